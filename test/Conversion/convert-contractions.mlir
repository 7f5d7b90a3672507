// RUN: comm-opt %s --convert-comm-to-runtime --comm-convert-contractions --canonicalize | FileCheck %s
// RUN: comm-opt %s --comm-prepare-tensors | FileCheck %s --check-prefix=TENSORS

// The fill with zeros is beta = 0.
// CHECK-LABEL: func.func @matmul(
// CHECK-NOT: linalg
// CHECK-DAG: %[[F32:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[NO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i64)
// CHECK-DAG: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: llvm.call @commGemm(%arg0, %[[F32]], %[[NO]], %[[NO]], %[[ONE]], %[[TWO]], %[[THREE]], %[[FOUR]], %{{.*}}, %[[FOUR]], %[[NONE]], %{{.*}}, %[[THREE]], %[[NONE]], %[[NO]], %{{.*}}, %[[THREE]], %[[NONE]], %{{.*}})
func.func @matmul(%a: memref<2x4xf32>, %b: memref<4x3xf32>, %c: memref<2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x3xf32>)
  linalg.matmul ins(%a, %b : memref<2x4xf32>, memref<4x3xf32>) outs(%c : memref<2x3xf32>)
  return
}

// C is added to: beta = 1. A is transposed by its strides, B by its map.
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: linalg
// CHECK-DAG: %[[BF16:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @commGemm(%arg0, %[[BF16]], %[[BF16]], %[[BF16]], {{.*}}, %[[BF16]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}})
func.func @transposed(%a: memref<2x4xbf16, strided<[1, 2]>>, %b: memref<3x4xbf16>, %c: memref<2x3xbf16>) {
  linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<2x4xbf16, strided<[1, 2]>>, memref<3x4xbf16>) outs(%c : memref<2x3xbf16>)
  return
}

// What BLAS has no words for stays: integers, mixed types, no unit stride.
// CHECK-LABEL: func.func @not_for_blas(
// CHECK-COUNT-3: linalg.matmul
func.func @not_for_blas(%i: memref<2x2xi32>, %h: memref<2x2xf16>, %f: memref<2x2xf32>, %s: memref<2x2xf32, strided<[8, 2]>>) {
  linalg.matmul ins(%i, %i : memref<2x2xi32>, memref<2x2xi32>) outs(%i : memref<2x2xi32>)
  linalg.matmul ins(%h, %h : memref<2x2xf16>, memref<2x2xf16>) outs(%f : memref<2x2xf32>)
  linalg.matmul ins(%s, %f : memref<2x2xf32, strided<[8, 2]>>, memref<2x2xf32>) outs(%f : memref<2x2xf32>)
  return
}

// TENSORS-LABEL: func.func @fold_transpose(
// TENSORS-SAME: %[[A:.*]]: tensor<4x2xf32>
// TENSORS-NOT: linalg.transpose
// TENSORS: linalg.contract {{.*}} ins(%[[A]], %{{.*}} : tensor<4x2xf32>, tensor<4x3xf32>)
func.func @fold_transpose(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) permutation = [1, 0]
  %d = linalg.matmul ins(%t, %b : tensor<2x4xf32>, tensor<4x3xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %d : tensor<2x3xf32>
}
