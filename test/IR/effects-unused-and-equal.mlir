// RUN: comm-opt %s --cse | FileCheck %s
// RUN: comm-opt %s --canonicalize | FileCheck %s --check-prefix=CANON
// An unused collective is dropped and equal ones are merged; what orders ranks
// and what writes memory is neither.

comm.mesh @mesh [tp = 4]

// CHECK-LABEL: @unused
// CHECK-NEXT: return
// CANON-LABEL: @unused
// CANON-NEXT: return
func.func @unused(%x: tensor<4x4xf32>) {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4x4xf32>
  %1 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4x4xf32>
  %2 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4x4xf32> -> tensor<16x4xf32>
  %3 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<4x4xf32> -> tensor<1x4xf32>
  %4 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<4x4xf32> -> tensor<1x4xf32>
  %5 = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<4x4xf32> -> tensor<1x16xf32>
  %6 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4x4xf32>
  %7 = comm.broadcast %x root 0 over @mesh["tp"] : tensor<4x4xf32>
  %8 = comm.root_mask %x root 0 over @mesh["tp"] : tensor<4x4xf32>
  %9 = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<4x4xf32>
  %10 = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<4x4xf32> -> tensor<16x4xf32>
  %11 = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<4x4xf32> -> tensor<1x4xf32>
  %12 = comm.axis_index over @mesh["tp"] : index
  return
}

// CHECK-LABEL: @equal
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum
// CHECK-NEXT: %[[I:.*]] = comm.axis_index
// CHECK-NEXT: return %[[Y]], %[[Y]], %[[I]], %[[I]]
// CANON-LABEL: @equal
// CANON: comm.all_reduce
// CANON: comm.all_reduce
func.func @equal(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, index, index) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %i = comm.axis_index over @mesh["tp"] : index
  %1 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %j = comm.axis_index over @mesh["tp"] : index
  return %0, %1, %i, %j : tensor<4xf32>, tensor<4xf32>, index, index
}

// CHECK-LABEL: @kept
// CHECK-NEXT: comm.barrier
// CHECK-NEXT: comm.barrier
// CHECK-NEXT: comm.send
// CHECK-NEXT: comm.send
// CHECK-NEXT: comm.recv
// CHECK-NEXT: comm.recv
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: return
// CANON-LABEL: @kept
// CANON-NEXT: comm.barrier
// CANON-NEXT: comm.barrier
// CANON-NEXT: comm.send
// CANON-NEXT: comm.send
// CANON-NEXT: comm.recv
// CANON-NEXT: comm.recv
// CANON-NEXT: comm.all_reduce
// CANON-NEXT: comm.all_reduce
// CANON-NEXT: return
func.func @kept(%x: tensor<4xf32>, %m: memref<4xf32>) {
  comm.barrier over @mesh["tp"]
  comm.barrier over @mesh["tp"]
  %0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %1 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %2 = comm.recv %0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %3 = comm.recv %1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  comm.all_reduce sum %m over @mesh["tp"] : memref<4xf32>
  comm.all_reduce sum %m over @mesh["tp"] : memref<4xf32>
  return
}

// canonicalize rewrites no collective: the laws are comm-simplify-collectives'.
// CANON-LABEL: @laws
// CANON-NEXT: comm.all_gather
// CANON-NEXT: comm.all_slice
// CANON-NEXT: comm.all_reduce
// CANON-NEXT: comm.all_reduce
// CANON-NEXT: return
func.func @laws(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %2 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %3 = comm.all_reduce sum %2 over @mesh["tp"] : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
