// RUN: comm-opt %s --verify-roundtrip | FileCheck %s
// RUN: comm-opt %s --emit-bytecode | comm-opt | FileCheck %s
// RUN: comm-opt %s --mlir-print-op-generic | comm-opt | FileCheck %s

// CHECK: comm.mesh @mesh [dp = 2, tp = 4]
// CHECK: {{.*}} = comm.axis_index over @mesh["dp", "tp"] : index
// CHECK: {{.*}} = comm.vary {{.*}} over @mesh["dp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.all_reduce sum {{.*}} over @mesh["tp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.all_gather {{.*}} dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
// CHECK: {{.*}} = comm.all_to_all {{.*}} split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
// CHECK: {{.*}} = comm.broadcast {{.*}} root 1 over @mesh["tp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.permute {{.*}} {{\[\(}}0, 1), (1, 2{{\)\]}} over @mesh["tp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.send {{.*}} from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
// CHECK: {{.*}} = comm.recv {{.*}} : !comm.message<tensor<4xf32>> -> tensor<4xf32>
// CHECK: {{.*}} = comm.all_slice {{.*}} dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK: {{.*}} = comm.root_mask {{.*}} root 1 over @mesh["tp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.reduce_scatter sum {{.*}} dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK: {{.*}} = comm.reduce avg {{.*}} root 2 over @mesh["tp", "dp"] : tensor<4xf32>
// CHECK: {{.*}} = comm.gather {{.*}} dim 0 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
// CHECK: {{.*}} = comm.scatter {{.*}} dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
// CHECK: comm.barrier over @mesh["dp"]
// CHECK: comm.all_reduce sum {{.*}} into {{.*}} over @mesh["tp"] : memref<4xf32>
// CHECK: comm.all_reduce sum {{.*}} over @mesh["tp"] : memref<4xf32>
// CHECK: comm.all_gather {{.*}} into {{.*}} dim 0 over @mesh["tp"] : memref<4xf32> -> memref<16xf32>
// CHECK: {{.*}} = comm.send {{.*}} from 0 to 1 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
// CHECK: comm.recv {{.*}} into {{.*}} : !comm.message<tensor<4xf32>> -> memref<4xf32>
// CHECK: {{.*}} = comm.vjp @f({{.*}}, {{.*}}, {{.*}}, {{.*}}) cotangents({{.*}}) wrt [0] : (tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<8x2xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)

comm.mesh @mesh [dp = 2, tp = 4]
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}, %big: tensor<16xf32>, %x2: tensor<8x2xf32>) -> tensor<4xf32> {
  %i = comm.axis_index over @mesh["dp", "tp"] : index
  %v = comm.vary %w over @mesh["dp"] : tensor<4xf32>
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %t = comm.all_to_all %x2 split 0 concat 1 over @mesh["tp"] : tensor<8x2xf32> -> tensor<2x8xf32>
  %b = comm.broadcast %x root 1 over @mesh["tp"] : tensor<4xf32>
  %p = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<4xf32>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %s = comm.all_slice %big dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %rm = comm.root_mask %x root 1 over @mesh["tp"] : tensor<4xf32>
  %rs = comm.reduce_scatter sum %big dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %rd = comm.reduce avg %x root 2 over @mesh["tp", "dp"] : tensor<4xf32>
  %ga = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %sc = comm.scatter %big dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  comm.barrier over @mesh["dp"]
  return %y : tensor<4xf32>
}
func.func @m(%in: memref<4xf32>, %out: memref<4xf32>, %o16: memref<16xf32>) {
  comm.all_reduce sum %in into %out over @mesh["tp"] : memref<4xf32>
  comm.all_reduce sum %in over @mesh["tp"] : memref<4xf32>
  comm.all_gather %in into %o16 dim 0 over @mesh["tp"] : memref<4xf32> -> memref<16xf32>
  %m = comm.send %in from 0 to 1 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %m into %out : !comm.message<tensor<4xf32>> -> memref<4xf32>
  return
}
func.func @g(%x: tensor<4xf32>, %dy: tensor<4xf32>, %w: tensor<4xf32>, %big: tensor<16xf32>, %x2: tensor<8x2xf32>) -> tensor<4xf32> {
  %y2, %dx = comm.vjp @f(%x, %w, %big, %x2) cotangents(%dy) wrt [0] : (tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<8x2xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %dx : tensor<4xf32>
}
