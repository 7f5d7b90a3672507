// RUN: comm-opt %s --comm-simplify-collectives | FileCheck %s
// Each law fires; the side conditions are in simplify-collectives-blocked.mlir.

comm.mesh @mesh [dp = 2, tp = 4]

//===----------------------------------------------------------------------===//
// Outermost op: all_slice
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @slice_reduced_same
// CHECK-NEXT: %[[Y:.*]] = comm.reduce_scatter sum %arg0 dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_reduced_same(%x: tensor<16xf32>) -> tensor<2xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: @slice_reduced_subset
// CHECK-NEXT: %[[S:.*]] = comm.reduce_scatter sum %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_reduced_subset(%x: tensor<16xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @slice_averaged_subset
// CHECK-NEXT: %[[S:.*]] = comm.reduce_scatter avg %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce avg %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_averaged_subset(%x: tensor<16xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce avg %x over @mesh["dp", "tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The slice first: a quarter of the bytes. For any reduction.
// CHECK-LABEL: @slice_reduced_disjoint
// CHECK-NEXT: %[[S:.*]] = comm.all_slice %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce max %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_reduced_disjoint(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.all_reduce max %x over @mesh["dp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @slice_reduced_mixed
// CHECK-NEXT: %[[S:.*]] = comm.all_slice %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.reduce_scatter sum %[[S]] dim 0 over @mesh["dp"] : tensor<4xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_reduced_mixed(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<2xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp", "dp"] : tensor<16xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The new collective stands where the old one stood: not between the two ends
// of a message, where it would deadlock, and not in the loop.
// CHECK-LABEL: @slice_reduced_in_place
// CHECK: comm.reduce_scatter
// CHECK-NEXT: comm.send
// CHECK: scf.for
// CHECK-NOT: comm
// CHECK: scf.yield
// CHECK: comm.recv
func.func @slice_reduced_in_place(%x: tensor<16xf32>, %n: index) -> (tensor<4xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = arith.constant dense<0.0> : tensor<4xf32>
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<16xf32> -> !comm.message<tensor<16xf32>>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<4xf32> {
    %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    %2 = arith.mulf %a, %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  %r = comm.recv %m : !comm.message<tensor<16xf32>> -> tensor<16xf32>
  return %l, %r : tensor<4xf32>, tensor<16xf32>
}

// CHECK-LABEL: @slice_gathered_equal
// CHECK-NEXT: return %arg0
func.func @slice_gathered_equal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @slice_gathered_other_dim
// CHECK-NEXT: %[[Y:.*]] = comm.all_to_all %arg0 split 1 concat 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x2xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_gathered_other_dim(%x: tensor<2x8xf32>) -> tensor<8x2xf32> {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  %1 = comm.all_slice %0 dim 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @slice_broadcast
// CHECK-NEXT: %[[Y:.*]] = comm.scatter %arg0 dim 0 root 2 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @slice_broadcast(%x: tensor<16xf32>) -> tensor<4xf32> {
  %0 = comm.broadcast %x root 2 over @mesh["tp"] : tensor<16xf32>
  %1 = comm.all_slice %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @slice_elementwise
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[X:.*]] = comm.reduce_scatter sum %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[C]] fastmath<contract> : tensor<4xf32>
// CHECK-NEXT: %[[W:.*]] = comm.all_slice %arg1 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[P]], %[[W]] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.truncf %[[D]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT: return %[[Y]]
func.func @slice_elementwise(%x: tensor<16xf32>, %w: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf16> {
  %c = arith.constant dense<3.0> : tensor<16xf32>
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %1 = arith.mulf %0, %c fastmath<contract> : tensor<16xf32>
  %2 = arith.subf %1, %w : tensor<16xf32>
  %3 = arith.truncf %2 : tensor<16xf32> to tensor<16xf16>
  %4 = comm.all_slice %3 dim 0 over @mesh["tp"] : tensor<16xf16> -> tensor<4xf16>
  return %4 : tensor<4xf16>
}

// A scalar operand is no chunk's.
// CHECK-LABEL: @slice_select
// CHECK: %[[B:.*]] = arith.xori
// CHECK-NEXT: %[[X:.*]] = comm.scatter %arg1
// CHECK-NEXT: %[[W:.*]] = comm.all_slice %arg2
// CHECK-NEXT: %[[Y:.*]] = arith.select %[[B]], %[[X]], %[[W]] : tensor<4xf32>
func.func @slice_select(%a: i1 {comm.replicated = #comm.axes<@mesh["tp"]>}, %x: tensor<16xf32>, %w: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %true = arith.constant true
  %b = arith.xori %a, %true : i1
  %0 = comm.broadcast %x root 2 over @mesh["tp"] : tensor<16xf32>
  %1 = arith.select %b, %0, %w : tensor<16xf32>
  %2 = comm.all_slice %1 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Outermost op: root_mask
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @mask_reduced
// CHECK-NEXT: %[[Y:.*]] = comm.reduce sum %arg0 root 3 over @mesh["tp", "dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @mask_reduced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<4xf32>
  %1 = comm.root_mask %0 root 3 over @mesh["tp", "dp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @mask_averaged
// CHECK-NEXT: comm.reduce avg %arg0 root 1 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return
func.func @mask_averaged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce avg %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.root_mask %0 root 1 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @mask_gathered
// CHECK-NEXT: %[[Y:.*]] = comm.gather %arg0 dim 1 root 3 over @mesh["tp"] : tensor<2x4xf32> -> tensor<2x16xf32>
// CHECK-NEXT: return %[[Y]]
func.func @mask_gathered(%x: tensor<2x4xf32>) -> tensor<2x16xf32> {
  %0 = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<2x4xf32> -> tensor<2x16xf32>
  %1 = comm.root_mask %0 root 3 over @mesh["tp"] : tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}

//===----------------------------------------------------------------------===//
// Outermost op: all_gather
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @gather_slices
// CHECK-NEXT: return %arg0
func.func @gather_slices(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<16xf32> {
  %0 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// CHECK-LABEL: @gather_reduced_chunks
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce avg %arg0 over @mesh["tp"] : tensor<16xf32>
// CHECK-NEXT: return %[[Y]]
func.func @gather_reduced_chunks(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = comm.reduce_scatter avg %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

//===----------------------------------------------------------------------===//
// Outermost op: broadcast, reduce, reduce_scatter, scatter
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @broadcast_masked
// CHECK-NEXT: return %arg0
func.func @broadcast_masked(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  %0 = comm.root_mask %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.broadcast %0 root 2 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @broadcast_varied
// CHECK-NEXT: %[[Y:.*]] = comm.vary %arg0 over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @broadcast_varied(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["dp", "tp"] : tensor<4xf32>
  %1 = comm.broadcast %0 root 2 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @broadcast_reduced
// CHECK-NEXT: %[[Y:.*]] = comm.all_reduce sum %arg0 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @broadcast_reduced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.reduce sum %x root 2 over @mesh["tp"] : tensor<4xf32>
  %1 = comm.broadcast %0 root 2 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @root_reduce_varied
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[M:.*]] = comm.root_mask %arg0 root 2 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[M]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[V]], %[[N]] : tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = comm.root_mask %arg0 root 2 over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]], %[[A]]
func.func @root_reduce_varied(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = comm.vary %x over @mesh["tp", "dp"] : tensor<4xf32>
  %1 = comm.reduce sum %0 root 2 over @mesh["tp"] : tensor<4xf32>
  %2 = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  %3 = comm.reduce avg %2 root 2 over @mesh["tp"] : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @reduce_scatter_varied
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<4.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = comm.all_slice %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[V]], %[[N]] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @reduce_scatter_varied(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp", "dp"] : tensor<16xf32>
  %1 = comm.reduce_scatter sum %0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @scatter_gathered
// CHECK-NEXT: return %arg0
func.func @scatter_gathered(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %1 = comm.scatter %0 dim 0 root 1 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @scatter_varied
// CHECK-NEXT: %[[S:.*]] = comm.all_slice %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.vary %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @scatter_varied(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["tp", "dp"] : tensor<16xf32>
  %1 = comm.scatter %0 dim 0 root 3 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Outermost op: permute, all_to_all, vary
//===----------------------------------------------------------------------===//

// 0 -> 1 -> 3 and 2 -> 0 -> 2; what goes to 3 goes no further.
// CHECK-LABEL: @permute_permuted
// CHECK-NEXT: %[[Y:.*]] = comm.permute %arg0 {{\[\(}}0, 3), (2, 2{{\)\]}} over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @permute_permuted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.permute %x [(0, 1), (1, 3), (2, 0)] over @mesh["tp"] : tensor<4xf32>
  %1 = comm.permute %0 [(1, 3), (0, 2)] over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @permute_back
// CHECK-NEXT: return %arg0
func.func @permute_back(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = comm.permute %x [(0, 1), (1, 2), (2, 3), (3, 0)] over @mesh["tp"] : tensor<4xf32>
  %1 = comm.permute %0 [(0, 3), (1, 0), (2, 1), (3, 2)] over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: @permute_nobody
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: %[[I:.*]] = arith.constant dense<0> : tensor<4xi64>
// CHECK-NEXT: return %[[Z]], %[[I]]
func.func @permute_nobody(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
  %0 = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %1 = comm.permute %0 [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %2 = comm.permute %i [] over @mesh["tp"] : tensor<4xi64>
  return %1, %2 : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: @all_to_all_and_back
// CHECK-NEXT: return %arg0
func.func @all_to_all_and_back(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %0 = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  %1 = comm.all_to_all %0 split 1 concat 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// CHECK-LABEL: @vary_varied
// CHECK-NEXT: %[[Y:.*]] = comm.vary %arg0 over @mesh["dp", "tp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @vary_varied(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> tensor<4xf32> {
  %0 = comm.vary %x over @mesh["dp"] : tensor<4xf32>
  %1 = comm.vary %0 over @mesh["tp"] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Through a vary over other axes the two collectives meet.
// CHECK-LABEL: @vary_between
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce sum %arg0 over @mesh["tp"] : tensor<16xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.vary %[[R]] over @mesh["dp"] : tensor<16xf32>
// CHECK-NEXT: return %[[Y]]
func.func @vary_between(%x: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) -> tensor<16xf32> {
  %0 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %1 = comm.vary %0 over @mesh["dp"] : tensor<4xf32>
  %2 = comm.all_gather %1 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// CHECK-LABEL: @vary_between_slice
// CHECK-NEXT: %[[S:.*]] = comm.reduce_scatter sum %arg0 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = comm.all_reduce sum %[[S]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = comm.vary %[[R]] over @mesh["dp"] : tensor<4xf32>
// CHECK-NEXT: return %[[Y]]
func.func @vary_between_slice(%x: tensor<16xf32>) -> tensor<4xf32> {
  %0 = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<16xf32>
  %1 = comm.vary %0 over @mesh["dp"] : tensor<16xf32>
  %2 = comm.all_slice %1 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Dynamic sizes
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @dynamic
// CHECK: %[[S:.*]] = comm.all_slice %arg0 dim 0 over @mesh["tp"] : tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.splat %{{.*}}[%{{.*}}] : tensor<?xf32>
// CHECK: arith.mulf %[[S]], %[[N]] : tensor<?xf32>
// CHECK: %[[C:.*]] = tensor.cast %arg0 : tensor<?xf32> to tensor<16xf32>
// CHECK: return %{{.*}}, %[[C]]
func.func @dynamic(%x: tensor<?xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<?xf32>, tensor<16xf32>) {
  %0 = comm.vary %x over @mesh["tp"] : tensor<?xf32>
  %1 = comm.reduce_scatter sum %0 dim 0 over @mesh["tp"] : tensor<?xf32>
  %2 = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<?xf32> -> tensor<4xf32>
  %3 = comm.all_gather %2 dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  return %1, %3 : tensor<?xf32>, tensor<16xf32>
}
