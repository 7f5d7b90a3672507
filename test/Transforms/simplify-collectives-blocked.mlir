// RUN: comm-opt %s --comm-simplify-collectives | FileCheck %s
// The side conditions of the laws: nothing here may change.

comm.mesh @mesh [dp = 2, tp = 4]

//===----------------------------------------------------------------------===//
// The collective has another use
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @slice_reduced_used
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: return
func.func @slice_reduced_used(%x: tensor<16xf32>) -> (tensor<4xf32>, tensor<16xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<16xf32>
}

// CHECK-LABEL: @slice_gathered_used
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: return
func.func @slice_gathered_used(%x: tensor<2x8xf32>) -> (tensor<8x2xf32>, tensor<8x8xf32>) {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  %1 = comm.all_slice %0 dim 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<8x2xf32>
  return %1, %0 : tensor<8x2xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @slice_broadcast_used
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: return
func.func @slice_broadcast_used(%x: tensor<16xf32>) -> (tensor<4xf32>, tensor<16xf32>) {
  %0 = comm.broadcast %x root 2 over @mesh["tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<16xf32>
}

// The sum is needed whole, or there is nothing to win.
// CHECK-LABEL: @slice_elementwise_used
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: %[[E:.*]] = math.exp
// CHECK-NEXT: comm.all_slice %[[E]]
// CHECK-NEXT: %[[F:.*]] = math.exp
// CHECK-NEXT: comm.all_slice %[[F]]
// CHECK-NEXT: return
func.func @slice_elementwise_used(%x: tensor<16xf32>, %w: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32>, tensor<16xf32>, tensor<4xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %1 = math.exp %0 : tensor<16xf32>
  %2 = comm.all_slice %1 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %3 = math.exp %w : tensor<16xf32>
  %4 = comm.all_slice %3 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %2, %1, %4 : tensor<4xf32>, tensor<16xf32>, tensor<4xf32>
}

// CHECK-LABEL: @mask_used
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: return
func.func @mask_used(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.root_mask %0 root 1 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %3 = comm.root_mask %2 root 1 over @mesh["tp"] : tensor<16xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @reduce_used
// CHECK-NEXT: comm.all_reduce sum %arg0 over @mesh["tp"]
// CHECK-NEXT: comm.all_reduce sum %{{.*}} over @mesh["dp"]
// CHECK-NEXT: return
func.func @reduce_used(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp"] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// To change places with an all_reduce, the vary would have to be copied.
// CHECK-LABEL: @vary_used
// CHECK-NEXT: %[[V:.*]] = comm.vary
// CHECK-NEXT: comm.all_reduce sum %[[V]]
// CHECK-NEXT: return
func.func @vary_used(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp"] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @chunks_used
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: return
func.func @chunks_used(%x: tensor<16xf32>) -> (tensor<4xf32>, tensor<16xf32>) {
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return %0, %1 : tensor<4xf32>, tensor<16xf32>
}

// CHECK-LABEL: @root_sum_used
// CHECK-NEXT: comm.reduce
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: return
func.func @root_sum_used(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.reduce sum %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.broadcast %0 root 2 over @mesh["tp"] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @permute_used
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.permute
// CHECK-NEXT: return
func.func @permute_used(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %1 = comm.permute %0 [(1, 2)] over @mesh["tp"] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @summand_used
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @summand_used(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce sum %y over @mesh["tp"] : tensor<4xf32>
  %2 = arith.addf %0, %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @product_used
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: return
func.func @product_used(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %c: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.root_mask %x root 1 over @mesh["tp"] : tensor<4xf32>
  %1 = arith.mulf %0, %c : tensor<4xf32>
  %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// A law that only steps over the collective fires all the same
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @stepped_over
// CHECK-NEXT: %[[G:.*]] = comm.all_gather %arg0
// CHECK-NEXT: return %arg0, %[[G]]
func.func @stepped_over(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<16xf32>) {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<16xf32>
}

//===----------------------------------------------------------------------===//
// Factors, messages, regions, memrefs
//===----------------------------------------------------------------------===//

// c is each rank's own; and a constant stays where it is without a reason: it
// may keep the sum from overflowing.
// CHECK-LABEL: @scaled
// CHECK: comm.root_mask
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: return
func.func @scaled(%x: tensor<4xf16> {comm.replicated = #comm.axes<@mesh["tp"]>}, %c: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %quarter = arith.constant dense<0.25> : tensor<4xf16>
  %0 = comm.root_mask %x root 0 over @mesh["tp"] : tensor<4xf16>
  %1 = arith.mulf %0, %c : tensor<4xf16>
  %2 = comm.all_reduce sum %1 over @mesh["tp"] : tensor<4xf16>
  %3 = arith.mulf %c, %quarter : tensor<4xf16>
  %4 = comm.all_reduce sum %3 over @mesh["tp"] : tensor<4xf16>
  return %2, %4 : tensor<4xf16>, tensor<4xf16>
}

// An all_reduce over more ranks must not come between the ends of a message.
// CHECK-LABEL: @message_between
// CHECK-NEXT: comm.send
// CHECK-NEXT: comm.all_reduce sum %arg0 over @mesh["tp"]
// CHECK-NEXT: comm.recv
// CHECK-NEXT: comm.all_reduce sum %{{.*}} over @mesh["dp"]
func.func @message_between(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["dp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %1 = comm.all_reduce sum %0 over @mesh["dp"] : tensor<4xf32>
  return %1, %r : tensor<4xf32>, tensor<4xf32>
}

// What runs only under a condition does not run outside of it.
// CHECK-LABEL: @other_block
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: scf.if
// CHECK-NEXT: comm.all_gather
func.func @other_block(%x: tensor<16xf32>, %c: i1 {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) -> tensor<16xf32> {
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %1 = scf.if %c -> tensor<16xf32> {
    %2 = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
    scf.yield %2 : tensor<16xf32>
  } else {
    scf.yield %x : tensor<16xf32>
  }
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: @memrefs
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.permute
// CHECK-NEXT: return
func.func @memrefs(%x: memref<16xf32>, %s: memref<4xf32>) {
  comm.reduce_scatter sum %x into %s dim 0 over @mesh["tp"] : memref<16xf32> -> memref<4xf32>
  comm.all_gather %s into %x dim 0 over @mesh["tp"] : memref<4xf32> -> memref<16xf32>
  comm.permute %s [] over @mesh["tp"] : memref<4xf32>
  comm.permute %s [(0, 0), (1, 1), (2, 2), (3, 3)] over @mesh["tp"] : memref<4xf32>
  return
}

// 8 · x is exact in any type; 70000 is no number of f16.
// CHECK-LABEL: @vary_of_many_ranks
module @many {
  comm.mesh @mesh [ranks = 70000]
  // CHECK: comm.vary
  // CHECK-NEXT: comm.all_reduce sum
  // CHECK: arith.mulf %{{.*}} : tensor<4xf32>
  func.func @vary_of_many_ranks(%x: tensor<4xf16> {comm.replicated = #comm.axes<@mesh["ranks"]>}, %y: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["ranks"]>}) -> (tensor<4xf16>, tensor<4xf32>) {
    %0 = comm.vary %x over @mesh["ranks"] : tensor<4xf16>
    %1 = comm.all_reduce sum %0 over @mesh["ranks"] : tensor<4xf16>
    %2 = comm.vary %y over @mesh["ranks"] : tensor<4xf32>
    %3 = comm.all_reduce sum %2 over @mesh["ranks"] : tensor<4xf32>
    return %1, %3 : tensor<4xf16>, tensor<4xf32>
  }
}
