// RUN: comm-opt %s --comm-simplify-collectives | FileCheck %s
// Each law of all_reduce and of sums fires; the side conditions are in simplify-collectives-blocked.mlir.

comm.mesh @mesh [dp = 2, tp = 4]

//===----------------------------------------------------------------------===//
// Outermost op: all_reduce
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @reduce_varied
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce sum %arg0 over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[R]], %[[N]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_varied(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["tp", "dp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// n of the axes in both, and the vary over the others.
// CHECK-LABEL: @reduce_varied_more
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = comm.vary %arg0 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[V]], %[[N]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_varied_more(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp", "dp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @reduce_varied_disjoint
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce prod %arg0 over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.vary %[[R]] over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_varied_disjoint(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce prod %0 over @mesh["dp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The average and the maximum of equal values are the value.
// CHECK-LABEL: @average_varied
// CHECK-NEXT: return %arg0, %arg0
func.func @average_varied(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce avg %0 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.all_reduce max %0 over @mesh["tp"] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// 4·x wraps around as the sum does.
// CHECK-LABEL: @reduce_varied_integer
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4> : tensor<4xi8>
// CHECK-NEXT: %[[Y:.*]] = arith.muli %arg0, %[[N]] : tensor<4xi8>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_varied_integer(%x: tensor<4xi8> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xi8> {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xi8>
  %1 = comm.all_reduce sum %0 over @mesh["tp"] : tensor<4xi8>
  return %1 : tensor<4xi8>
}

// CHECK-LABEL: @reduce_reduced
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum %arg0 over @mesh["tp", "dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_reduced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// V26: the sum of four equal sums.
// CHECK-LABEL: @reduce_reduced_again
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce sum %arg0 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[R]], %[[N]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_reduced_again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @average_averaged
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce avg %arg0 over @mesh["tp", "dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @average_averaged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce avg %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.vary %0 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.all_reduce avg %1 over @mesh["dp", "tp"] : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @reduce_masked
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum %arg0 over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_masked(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.root_mask %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp", "tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @average_masked
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.divf %arg0, %[[N]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @average_masked(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.root_mask %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce avg %0 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @reduce_scaled
// CHECK-DAG: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK: %[[X:.*]] = arith.mulf %arg0, %[[N]] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %arg1, %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_scaled(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %c: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.vary %c over @mesh["tp"] : tensor<4xf32>
  %2 = arith.mulf %1, %0 : tensor<4xf32>
  %3 = comm.all_reduce sum %2 over @mesh["tp"] : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: @reduce_scaled_by_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %arg0, %[[C]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_scaled_by_constant(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %c = arith.constant dense<3.0> : tensor<4xf32>
  %0 = comm.root_mask %x root 1 over @mesh["tp"] : tensor<4xf32>
  %1 = arith.mulf %0, %c : tensor<4xf32>
  %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
  return %2 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @sum_of_all_reduces
// CHECK-NEXT: %[[S:.*]] = arith.addf %arg0, %arg1 fastmath<contract> : tensor<4xf32>
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %arg2 : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum %[[T]] over @mesh["tp", "dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_all_reduces(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp", "dp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %y over @mesh["dp", "tp"] : tensor<4xf32>
  %2 = comm.all_reduce sum %z over @mesh["tp", "dp"] : tensor<4xf32>
  %3 = arith.addf %0, %1 fastmath<contract> : tensor<4xf32>
  %4 = arith.addf %3, %2 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// The gradient of a weight that was gathered twice.
// CHECK-LABEL: @sum_of_slices
// CHECK-NEXT: %[[S:.*]] = arith.addf %arg0, %arg1 : tensor<16xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.reduce_scatter sum %[[S]] dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_slices(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %2 = comm.all_reduce sum %y over @mesh["tp"] : tensor<16xf32>
  %3 = comm.all_slice %2 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %4 = arith.addf %1, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: @sum_of_integers
// CHECK-NEXT: %[[S:.*]] = arith.addi %arg0, %arg1 : tensor<4xi32>
// CHECK-NEXT: %[[Y:.*]] = comm.permute %[[S]] {{\[\(}}0, 1{{\)\]}} over @mesh["tp"] : tensor<4xi32>
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xi32>
  %1 = comm.permute %y [(0, 1)] over @mesh["tp"] : tensor<4xi32>
  %2 = arith.addi %0, %1 : tensor<4xi32>
  return %2 : tensor<4xi32>
}

// vary x + vary y = vary (x + y), behind which the two all_reduces are one.
// CHECK-LABEL: @sum_of_varies
// CHECK-NEXT: %[[S:.*]] = arith.addf %arg0, %arg1 : tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce sum %[[S]] over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.vary %[[R]] over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @sum_of_varies(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.vary %0 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.all_reduce sum %y over @mesh["tp"] : tensor<4xf32>
  %3 = comm.vary %2 over @mesh["tp"] : tensor<4xf32>
  %4 = arith.addf %1, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
