// RUN: comm-opt %s --comm-verify-runtime --canonicalize | FileCheck %s

// What only the run knows is asserted, with the op's name first.
// CHECK-LABEL: func.func @dynamic(
// CHECK: cf.assert %{{.*}}, "linalg.matmul: dimension #0 of input/output operand #1 is incompatible with inferred dimension size"
// CHECK: linalg.matmul
func.func @dynamic(%a: tensor<2x?xf32>, %b: tensor<?x3xf32>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<2x?xf32>, tensor<?x3xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %p : tensor<2x3xf32>
}

// The verifier has seen static sizes.
// CHECK-LABEL: func.func @static(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<2x4xf32>, tensor<4x3xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %p : tensor<2x3xf32>
}

// Of a static tensor, at an offset that is not.
// CHECK-LABEL: func.func @slice(
// CHECK: cf.assert %{{.*}}, "tensor.extract_slice: offset 0 is out-of-bounds"
func.func @slice(%a: tensor<4xf32>, %i: index) -> tensor<2xf32> {
  %s = tensor.extract_slice %a[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %s : tensor<2xf32>
}

// Bodies run in kernels.
// CHECK-LABEL: func.func @body(
// CHECK: linalg.generic
// CHECK-NOT: cf.assert
// CHECK: return
func.func @body(%a: tensor<4xf32>, %i: tensor<2xindex>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %g = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = ["parallel"]}
      ins(%i : tensor<2xindex>) outs(%c : tensor<2xf32>) {
  ^bb0(%at: index, %out: f32):
    %x = tensor.extract %a[%at] : tensor<4xf32>
    linalg.yield %x : f32
  } -> tensor<2xf32>
  return %g : tensor<2xf32>
}
