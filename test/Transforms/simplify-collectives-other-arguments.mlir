// RUN: comm-opt %s --comm-simplify-collectives | FileCheck %s
// The side conditions of the laws on axes, dimensions, roots and reductions: nothing here may change.

comm.mesh @mesh [dp = 2, tp = 4]

//===----------------------------------------------------------------------===//
// Other lists of axes
//===----------------------------------------------------------------------===//

// Ranks are numbered in the order written: these are other chunks and roots.
// CHECK-LABEL: @other_order
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.gather
// CHECK-NEXT: comm.scatter
// CHECK-NEXT: comm.reduce
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: return
func.func @other_order(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2xf32>, tensor<128xf32>) {
  %0 = comm.all_gather %x dim 0 over @mesh["dp", "tp"] : tensor<16xf32> -> tensor<128xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp", "dp"] : tensor<128xf32> -> tensor<16xf32>
  %2 = comm.reduce_scatter sum %x dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
  %3 = comm.all_gather %2 dim 0 over @mesh["dp", "tp"] : tensor<2xf32> -> tensor<16xf32>
  %4 = comm.gather %x dim 0 root 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<128xf32>
  %5 = comm.scatter %4 dim 0 root 0 over @mesh["dp", "tp"] : tensor<128xf32> -> tensor<16xf32>
  %6 = comm.reduce sum %x root 1 over @mesh["tp", "dp"] : tensor<16xf32>
  %7 = comm.broadcast %6 root 1 over @mesh["dp", "tp"] : tensor<16xf32>
  %8 = comm.permute %x [(0, 1)] over @mesh["tp", "dp"] : tensor<16xf32>
  %9 = comm.permute %8 [(1, 2)] over @mesh["dp", "tp"] : tensor<16xf32>
  %10 = comm.broadcast %x root 1 over @mesh["tp", "dp"] : tensor<16xf32>
  %11 = comm.all_slice %10 dim 0 over @mesh["dp", "tp"] : tensor<16xf32> -> tensor<2xf32>
  %12 = comm.all_gather %x dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<128xf32>
  %13 = comm.root_mask %12 root 0 over @mesh["dp", "tp"] : tensor<128xf32>
  return %1, %3, %5, %7, %9, %11, %13 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2xf32>, tensor<128xf32>
}

// CHECK-LABEL: @other_order_of_local_ops
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: return
func.func @other_order_of_local_ops(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = comm.all_slice %x dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["dp", "tp"] : tensor<2xf32> -> tensor<16xf32>
  %2 = comm.root_mask %x root 1 over @mesh["tp", "dp"] : tensor<16xf32>
  %3 = comm.broadcast %2 root 1 over @mesh["dp", "tp"] : tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: @all_to_all_other_order
// CHECK-NEXT: comm.all_to_all
// CHECK-NEXT: comm.all_to_all
// CHECK-NEXT: return
func.func @all_to_all_other_order(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = comm.all_to_all %x split 0 concat 1 over @mesh["tp", "dp"] : tensor<8x2xf32> -> tensor<1x16xf32>
  %1 = comm.all_to_all %0 split 1 concat 0 over @mesh["dp", "tp"] : tensor<1x16xf32> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// A mask over some of the axes: two collectives would take the place of one.
// CHECK-LABEL: @mask_of_fewer_axes
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: return
func.func @mask_of_fewer_axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<4xf32>
  %1 = comm.root_mask %0 root 3 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Reduced over fewer axes than masked or varied.
// CHECK-LABEL: @fewer_axes
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.vary
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: comm.reduce
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.scatter
// CHECK-NEXT: return
func.func @fewer_axes(%x: tensor<8xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = comm.root_mask %x root 1 over @mesh["tp", "dp"] : tensor<8xf32>
  %1 = comm.all_reduce sum %0 over @mesh["tp"] : tensor<8xf32>
  %2 = comm.vary %x over @mesh["tp"] : tensor<8xf32>
  %3 = comm.broadcast %2 root 1 over @mesh["tp", "dp"] : tensor<8xf32>
  %4 = comm.reduce sum %2 root 1 over @mesh["tp", "dp"] : tensor<8xf32>
  %5 = comm.reduce_scatter sum %2 dim 0 over @mesh["tp", "dp"] : tensor<8xf32> -> tensor<1xf32>
  %6 = comm.scatter %2 dim 0 root 1 over @mesh["tp", "dp"] : tensor<8xf32> -> tensor<1xf32>
  return %1, %3, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: @summands_over_other_axes
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: arith.addf
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @summands_over_other_axes(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<16xf32>, tensor<2xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %1 = comm.all_reduce sum %y over @mesh["dp"] : tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  %3 = comm.reduce_scatter sum %x dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
  %4 = comm.reduce_scatter sum %y dim 0 over @mesh["dp", "tp"] : tensor<16xf32> -> tensor<2xf32>
  %5 = arith.addf %3, %4 : tensor<2xf32>
  return %2, %5 : tensor<16xf32>, tensor<2xf32>
}

//===----------------------------------------------------------------------===//
// Other dimensions and roots
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @other_dim
// CHECK-NEXT: comm.reduce_scatter
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: comm.gather
// CHECK-NEXT: comm.scatter
// CHECK-NEXT: comm.all_to_all
// CHECK-NEXT: comm.all_to_all
// CHECK-NEXT: return
func.func @other_dim(%x: tensor<8x8xf32>) -> (tensor<2x32xf32>, tensor<32x2xf32>, tensor<2x32xf32>) {
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %1 = comm.all_gather %0 dim 1 over @mesh["tp"] : tensor<2x8xf32> -> tensor<2x32xf32>
  %2 = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<32x8xf32>
  %3 = comm.scatter %2 dim 1 root 1 over @mesh["tp"] : tensor<32x8xf32> -> tensor<32x2xf32>
  %4 = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x32xf32>
  %5 = comm.all_to_all %4 split 1 concat 1 over @mesh["tp"] : tensor<2x32xf32>
  return %1, %3, %5 : tensor<2x32xf32>, tensor<32x2xf32>, tensor<2x32xf32>
}

// CHECK-LABEL: @other_slice_dim
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: return
func.func @other_slice_dim(%x: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<2x32xf32> {
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %1 = comm.all_gather %0 dim 1 over @mesh["tp"] : tensor<2x8xf32> -> tensor<2x32xf32>
  return %1 : tensor<2x32xf32>
}

// CHECK-LABEL: @other_root
// CHECK-NEXT: comm.reduce
// CHECK-NEXT: comm.broadcast
// CHECK-NEXT: comm.gather
// CHECK-NEXT: comm.scatter
// CHECK-NEXT: return
func.func @other_root(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.reduce sum %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.broadcast %0 root 1 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.gather %x dim 0 root 2 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %3 = comm.scatter %2 dim 0 root 1 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @other_pairs
// CHECK-NEXT: comm.permute
// CHECK-NEXT: comm.permute
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @other_pairs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %1 = comm.permute %y [(0, 2)] over @mesh["tp"] : tensor<4xf32>
  %2 = arith.addf %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Three of four ranks keep theirs; the fourth has zeros.
// CHECK-LABEL: @not_all_pairs
// CHECK-NEXT: comm.permute
// CHECK-NEXT: return
func.func @not_all_pairs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.permute %x [(0, 0), (1, 1), (2, 2)] over @mesh["tp"] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Other reductions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @sum_and_avg
// CHECK-NEXT: comm.all_reduce sum
// CHECK-NEXT: comm.all_reduce avg
// CHECK-NEXT: comm.all_reduce sum
// CHECK-NEXT: comm.all_reduce avg
// CHECK-NEXT: arith.addf
// CHECK-NEXT: comm.reduce_scatter sum
// CHECK-NEXT: comm.reduce_scatter avg
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @sum_and_avg(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce avg %0 over @mesh["dp"] : tensor<4xf32>
  %2 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %3 = comm.all_reduce avg %y over @mesh["tp"] : tensor<4xf32>
  %4 = arith.addf %2, %3 : tensor<4xf32>
  %5 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  %6 = comm.reduce_scatter avg %y dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  %7 = arith.addf %5, %6 : tensor<1xf32>
  return %1, %4, %7 : tensor<4xf32>, tensor<4xf32>, tensor<1xf32>
}

// max over max would share a gradient between ties in another way.
// CHECK-LABEL: @not_additive
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: comm.all_slice
// CHECK-NEXT: comm.all_reduce min
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @not_additive(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.all_reduce max %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce max %0 over @mesh["dp"] : tensor<4xf32>
  %2 = comm.all_reduce max %x over @mesh["tp"] : tensor<4xf32>
  %3 = comm.all_slice %2 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  %4 = comm.all_reduce min %x over @mesh["tp"] : tensor<4xf32>
  %5 = comm.root_mask %4 root 0 over @mesh["tp"] : tensor<4xf32>
  %6 = comm.all_reduce max %x over @mesh["tp"] : tensor<4xf32>
  %7 = comm.all_reduce max %y over @mesh["tp"] : tensor<4xf32>
  %8 = arith.addf %6, %7 : tensor<4xf32>
  return %1, %3, %5, %8 : tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>
}

// x·x·x·x, the xor of four equal values, and the maximum beside zeros.
// CHECK-LABEL: @not_additive_inside
// CHECK-NEXT: comm.vary
// CHECK-NEXT: comm.all_reduce prod
// CHECK-NEXT: comm.vary
// CHECK-NEXT: comm.all_reduce xor
// CHECK-NEXT: comm.root_mask
// CHECK-NEXT: comm.all_reduce max
// CHECK-NEXT: return
func.func @not_additive_inside(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %b: tensor<4xi1> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %0 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_reduce prod %0 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.vary %b over @mesh["tp"] : tensor<4xi1>
  %3 = comm.all_reduce xor %2 over @mesh["tp"] : tensor<4xi1>
  %4 = comm.root_mask %x root 0 over @mesh["tp"] : tensor<4xf32>
  %5 = comm.all_reduce max %4 over @mesh["tp"] : tensor<4xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}
