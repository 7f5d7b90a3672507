// One replicated weight, used as it is and transposed: its gradient is summed on
// each rank and reduced once.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s
// RUN: comm-run %s --function=tied --check-grad | FileCheck %s --check-prefix=CHECK-GRAD
// RUN: comm-run %s --function=reshaped --check-grad | FileCheck %s --check-prefix=CHECK-GRAD
// RUN: comm-run %s --function=dynamic --input=x=2x4xf32=rand --input=w=4x3xf32=rand --check-grad | FileCheck %s --check-prefix=CHECK-GRAD
// CHECK-GRAD: gradient check passed

comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

// An embedding and its transpose.
// CHECK-LABEL: func.func private @tied_bwd
// CHECK-NEXT:  comm.all_reduce
// CHECK-NEXT:  func.func
func.func @tied(%x: tensor<2x4xf32>, %w: tensor<4x3xf32> {comm.replicated = #tp}) -> tensor<2x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %h = linalg.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = math.tanh %h : tensor<2x3xf32>
  %e = tensor.empty() : tensor<3x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x3xf32>) outs(%e : tensor<3x4xf32>) permutation = [1, 0]
  %zeros = arith.constant dense<0.0> : tensor<2x4xf32>
  %y = linalg.matmul ins(%a, %t : tensor<2x3xf32>, tensor<3x4xf32>) outs(%zeros : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Reshaped in two ways, of three dimensions.
// CHECK-LABEL: func.func private @reshaped_bwd
// CHECK-NEXT:  comm.all_reduce
// CHECK-NEXT:  func.func
func.func @reshaped(%x: tensor<2x6xf32>, %z: tensor<12xf32>, %w: tensor<2x3x2xf32> {comm.replicated = #tp}) -> (tensor<2x6xf32>, tensor<12xf32>) {
  %e = tensor.empty() : tensor<2x2x3xf32>
  %t = linalg.transpose ins(%w : tensor<2x3x2xf32>) outs(%e : tensor<2x2x3xf32>) permutation = [2, 0, 1]
  %rows = tensor.collapse_shape %t [[0], [1, 2]] : tensor<2x2x3xf32> into tensor<2x6xf32>
  %all = tensor.collapse_shape %w [[0, 1, 2]] : tensor<2x3x2xf32> into tensor<12xf32>
  %y = arith.mulf %rows, %x : tensor<2x6xf32>
  %v = arith.mulf %all, %z : tensor<12xf32>
  return %y, %v : tensor<2x6xf32>, tensor<12xf32>
}

// CHECK-LABEL: func.func private @dynamic_bwd
// CHECK-NEXT:  comm.all_reduce
// CHECK-NEXT:  func.func
func.func @dynamic(%x: tensor<2x?xf32>, %w: tensor<?x3xf32> {comm.replicated = #tp}) -> (tensor<?x3xf32>, tensor<3x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %w, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %t = linalg.transpose ins(%w : tensor<?x3xf32>) outs(%e : tensor<3x?xf32>) permutation = [1, 0]
  %i = comm.axis_index over @mesh["tp"] : index
  %j = arith.index_cast %i : index to i32
  %f = arith.sitofp %j : i32 to f32
  %s = tensor.splat %f[%n] : tensor<?x3xf32>
  %u = tensor.splat %f[%n] : tensor<3x?xf32>
  %y = arith.mulf %w, %s : tensor<?x3xf32>
  %v = arith.mulf %t, %u : tensor<3x?xf32>
  return %y, %v : tensor<?x3xf32>, tensor<3x?xf32>
}
