// RUN: comm-opt %s --comm-simplify-collectives --split-input-file | FileCheck %s
// V34: over a group of one rank every op is the identity or local.

comm.mesh @mesh [one = 1, also = 1]

// CHECK-LABEL: @every_op
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0, %arg0
func.func @every_op(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = comm.vary %x over @mesh["one"] : tensor<4x4xf32>
  %1 = comm.all_reduce avg %x over @mesh["one"] : tensor<4x4xf32>
  %2 = comm.all_reduce prod %x over @mesh["one", "also"] : tensor<4x4xf32>
  %3 = comm.all_gather %x dim 0 over @mesh["one"] : tensor<4x4xf32>
  %4 = comm.all_slice %x dim 1 over @mesh["one"] : tensor<4x4xf32>
  %5 = comm.reduce_scatter sum %x dim 1 over @mesh["also", "one"] : tensor<4x4xf32>
  %6 = comm.all_to_all %x split 1 concat 0 over @mesh["one"] : tensor<4x4xf32>
  %7 = comm.permute %x [(0, 0)] over @mesh["one"] : tensor<4x4xf32>
  %8 = comm.broadcast %x root 0 over @mesh["one"] : tensor<4x4xf32>
  %9 = comm.root_mask %x root 0 over @mesh["one"] : tensor<4x4xf32>
  %10 = comm.reduce avg %x root 0 over @mesh["one"] : tensor<4x4xf32>
  %11 = comm.gather %x dim 0 root 0 over @mesh["one"] : tensor<4x4xf32>
  %12 = comm.scatter %x dim 0 root 0 over @mesh["one"] : tensor<4x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @permute_nobody
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[Z]]
func.func @permute_nobody(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.permute %x [] over @mesh["one"] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @index_and_barrier
// CHECK-NEXT: %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT: return %[[C]]
func.func @index_and_barrier() -> index {
  comm.barrier over @mesh["one", "also"]
  %0 = comm.axis_index over @mesh["one"] : index
  return %0 : index
}

// CHECK-LABEL: @dynamic
// CHECK-NEXT: %[[C:.*]] = tensor.cast %arg0 : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: return %[[C]]
func.func @dynamic(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["one"] : tensor<?xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An axis of size 1 among others is dropped, which lets lists be equal.

comm.mesh @mesh [a = 2, one = 1, b = 3]

// CHECK-LABEL: @dropped
// CHECK-NEXT: %[[Y:.*]] = comm.reduce_scatter sum %arg0 dim 0 over @mesh["b", "a"] : tensor<12xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @dropped(%x: tensor<12xf32>) -> tensor<2xf32> {
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["b", "one", "a"] : tensor<12xf32> -> tensor<2xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["one", "b", "a"] : tensor<2xf32> -> tensor<12xf32>
  %2 = comm.all_slice %1 dim 0 over @mesh["b", "a", "one"] : tensor<12xf32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// A barrier and an index over other axes stay.
// CHECK-LABEL: @kept
// CHECK-NEXT: comm.barrier
// CHECK-NEXT: comm.axis_index
func.func @kept() -> index {
  comm.barrier over @mesh["a", "one"]
  %0 = comm.axis_index over @mesh["one", "b"] : index
  return %0 : index
}
