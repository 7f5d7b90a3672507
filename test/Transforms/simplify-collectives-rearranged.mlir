// RUN: comm-opt %s -comm-simplify-collectives -split-input-file | FileCheck %s

comm.mesh @mesh [dp = 2, tp = 3]

// T(all_reduce x) + all_reduce y = all_reduce(T x + y)
// CHECK-LABEL: @transposed(
// CHECK:         %[[T:.*]] = linalg.transpose ins(%arg0 : tensor<2x3xf32>)
// CHECK:         %[[S:.*]] = arith.addf %[[T]], %arg1
// CHECK:         %[[Y:.*]] = comm.all_reduce sum %[[S]] over @mesh["tp"] : tensor<3x2xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @transposed(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %a = comm.all_reduce sum %x over @mesh["tp"] : tensor<2x3xf32>
  %b = comm.all_reduce sum %y over @mesh["tp"] : tensor<3x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %z = arith.addf %t, %b : tensor<3x2xf32>
  return %z : tensor<3x2xf32>
}

// -----

comm.mesh @mesh [dp = 2, tp = 3]

// Both sides, through several ops; integers; the axes match as sets.
// CHECK-LABEL: @both(
// CHECK:         tensor.expand_shape %arg0
// CHECK:         linalg.transpose
// CHECK:         tensor.collapse_shape %arg1
// CHECK:         %[[S:.*]] = arith.addi
// CHECK:         comm.all_reduce sum %[[S]] over @mesh["tp", "dp"] : tensor<3x2xi32>
// CHECK-NOT:     comm.all_reduce
func.func @both(%x: tensor<6xi32>, %y: tensor<3x2x1xi32>) -> tensor<3x2xi32> {
  %a = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<6xi32>
  %b = comm.all_reduce sum %y over @mesh["tp", "dp"] : tensor<3x2x1xi32>
  %s = tensor.expand_shape %a [[0, 1]] output_shape [2, 3] : tensor<6xi32> into tensor<2x3xi32>
  %e = tensor.empty() : tensor<3x2xi32>
  %t = linalg.transpose ins(%s : tensor<2x3xi32>) outs(%e : tensor<3x2xi32>) permutation = [1, 0]
  %c = tensor.collapse_shape %b [[0], [1, 2]] : tensor<3x2x1xi32> into tensor<3x2xi32>
  %z = arith.addi %t, %c : tensor<3x2xi32>
  return %z : tensor<3x2xi32>
}

// -----

comm.mesh @mesh [dp = 2, tp = 3]

// Not where one of them is used elsewhere, or they are not the same.
// CHECK-LABEL: @used(
// CHECK-COUNT-2: comm.all_reduce
func.func @used(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %a = comm.all_reduce sum %x over @mesh["tp"] : tensor<2x3xf32>
  %b = comm.all_reduce sum %y over @mesh["tp"] : tensor<3x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %z = arith.addf %t, %b : tensor<3x2xf32>
  return %z, %a : tensor<3x2xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: @other_axes(
// CHECK-COUNT-2: comm.all_reduce
func.func @other_axes(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %a = comm.all_reduce sum %x over @mesh["tp"] : tensor<2x3xf32>
  %b = comm.all_reduce sum %y over @mesh["dp"] : tensor<6xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %z = arith.addf %b, %c : tensor<6xf32>
  return %z : tensor<6xf32>
}
// CHECK-LABEL: @other_reduction(
// CHECK-COUNT-2: comm.all_reduce
func.func @other_reduction(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %a = comm.all_reduce sum %x over @mesh["tp"] : tensor<2x3xf32>
  %b = comm.all_reduce avg %y over @mesh["tp"] : tensor<6xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %z = arith.addf %b, %c : tensor<6xf32>
  return %z : tensor<6xf32>
}
// CHECK-LABEL: @maximum(
// CHECK-COUNT-2: comm.all_reduce
func.func @maximum(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
  %a = comm.all_reduce max %x over @mesh["tp"] : tensor<2x3xf32>
  %b = comm.all_reduce max %y over @mesh["tp"] : tensor<6xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %z = arith.addf %b, %c : tensor<6xf32>
  return %z : tensor<6xf32>
}
