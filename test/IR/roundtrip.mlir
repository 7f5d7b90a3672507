// RUN: comm-opt %s --verify-roundtrip -o %t.custom
// RUN: comm-opt %s --mlir-print-op-generic | comm-opt -o %t.generic
// RUN: comm-opt %s --emit-bytecode | comm-opt -o %t.bytecode
// RUN: diff %t.custom %t.generic
// RUN: diff %t.custom %t.bytecode
// RUN: FileCheck %s < %t.custom
// Every op, on static and dynamic sizes, every element type, rank 0, zero sizes
// and memrefs: text, generic form and bytecode say the same.

// CHECK: comm.mesh @mesh [dp = 2, tp = 3, "an axis" = 1]
comm.mesh @mesh [dp = 2, tp = 3, "an axis" = 1]

// CHECK-LABEL: @changes_of_state
func.func @changes_of_state(%s: tensor<6x?xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %d: tensor<?x?xbf16> {comm.replicated = #comm.axes<@mesh["tp", "an axis"]>}) -> (tensor<f64> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  // CHECK: comm.vary %{{.*}} over @mesh["tp"] : tensor<6x?xf32>
  %0 = comm.vary %s over @mesh["tp"] : tensor<6x?xf32>
  // CHECK: comm.all_slice %{{.*}} dim 0 over @mesh["tp", "dp"] : tensor<6x?xf32> -> tensor<1x?xf32>
  %1 = comm.all_slice %s dim 0 over @mesh["tp", "dp"] : tensor<6x?xf32> -> tensor<1x?xf32>
  // CHECK: comm.all_slice %{{.*}} dim 1 over @mesh["tp"] : tensor<?x?xbf16>{{$}}
  %2 = comm.all_slice %d dim 1 over @mesh["tp"] : tensor<?x?xbf16> -> tensor<?x?xbf16>
  // CHECK: comm.root_mask %{{.*}} root 2 over @mesh["tp"] : tensor<?x?xbf16>
  %3 = comm.root_mask %d root 2 over @mesh["tp"] : tensor<?x?xbf16>
  // CHECK: comm.axis_index over @mesh["an axis"] : index
  %4 = comm.axis_index over @mesh["an axis"] : index
  // CHECK: comm.barrier over @mesh["dp", "tp"] {note = "here"}
  comm.barrier over @mesh["dp", "tp"] {note = "here"}
  %5 = arith.constant dense<1.0> : tensor<f64>
  return %5 : tensor<f64>
}

// CHECK-LABEL: @reductions
func.func @reductions(%f: tensor<f16>, %i: tensor<?xi64>, %b: tensor<0x2xi1>, %k: tensor<3xi8>) {
  // CHECK: comm.all_reduce sum %{{.*}} : tensor<f16>
  %0 = comm.all_reduce sum %f over @mesh["dp"] : tensor<f16>
  // CHECK: comm.all_reduce avg %{{.*}} : tensor<f16>
  %1 = comm.all_reduce avg %f over @mesh["dp"] : tensor<f16>
  // CHECK: comm.all_reduce prod %{{.*}} : tensor<?xi64>
  %2 = comm.all_reduce prod %i over @mesh["dp"] : tensor<?xi64>
  // CHECK: comm.all_reduce max %{{.*}} : tensor<?xi64>
  %3 = comm.all_reduce max %i over @mesh["dp"] : tensor<?xi64>
  // CHECK: comm.all_reduce min %{{.*}} : tensor<3xi8>
  %4 = comm.all_reduce min %k over @mesh["dp"] : tensor<3xi8>
  // CHECK: comm.all_reduce and %{{.*}} : tensor<0x2xi1>
  %5 = comm.all_reduce and %b over @mesh["dp"] : tensor<0x2xi1>
  // CHECK: comm.all_reduce or %{{.*}} : tensor<0x2xi1>
  %6 = comm.all_reduce or %b over @mesh["dp"] : tensor<0x2xi1>
  // CHECK: comm.all_reduce xor %{{.*}} : tensor<?xi64>
  %7 = comm.all_reduce xor %i over @mesh["dp"] : tensor<?xi64>
  // CHECK: comm.reduce sum %{{.*}} root 2 over @mesh["tp"] : tensor<3xi8>
  %8 = comm.reduce sum %k root 2 over @mesh["tp"] : tensor<3xi8>
  // CHECK: comm.reduce avg %{{.*}} root 1 over @mesh["dp"] : tensor<f16>
  %9 = comm.reduce avg %f root 1 over @mesh["dp"] : tensor<f16>
  // CHECK: comm.reduce_scatter sum %{{.*}} dim 0 over @mesh["tp"] : tensor<3xi8> -> tensor<1xi8>
  %10 = comm.reduce_scatter sum %k dim 0 over @mesh["tp"] : tensor<3xi8> -> tensor<1xi8>
  // CHECK: comm.reduce_scatter sum %{{.*}} dim 0 over @mesh["tp"] : tensor<?xi64> -> tensor<5xi64>
  %11 = comm.reduce_scatter sum %i dim 0 over @mesh["tp"] : tensor<?xi64> -> tensor<5xi64>
  return
}

// CHECK-LABEL: @exchanges
func.func @exchanges(%s: tensor<6x4xf64>, %d: tensor<?x?xi32>, %z: tensor<1x0x2xf32>, %p: tensor<f32>) {
  // CHECK: comm.all_gather %{{.*}} dim 1 over @mesh["tp", "dp"] : tensor<6x4xf64> -> tensor<6x24xf64>
  %0 = comm.all_gather %s dim 1 over @mesh["tp", "dp"] : tensor<6x4xf64> -> tensor<6x24xf64>
  // CHECK: comm.all_gather %{{.*}} dim 0 over @mesh["tp"] : tensor<?x?xi32>{{$}}
  %1 = comm.all_gather %d dim 0 over @mesh["tp"] : tensor<?x?xi32>
  // CHECK: comm.all_gather %{{.*}} dim 1 over @mesh["tp"] : tensor<1x0x2xf32>{{$}}
  %2 = comm.all_gather %z dim 1 over @mesh["tp"] : tensor<1x0x2xf32>
  // CHECK: comm.broadcast %{{.*}} root 1 over @mesh["dp"] : tensor<f32>
  %3 = comm.broadcast %p root 1 over @mesh["dp"] : tensor<f32>
  // CHECK: comm.all_to_all %{{.*}} split 0 concat 1 over @mesh["tp"] : tensor<6x4xf64> -> tensor<2x12xf64>
  %4 = comm.all_to_all %s split 0 concat 1 over @mesh["tp"] : tensor<6x4xf64> -> tensor<2x12xf64>
  // CHECK: comm.all_to_all %{{.*}} split 0 concat 0 over @mesh["tp"] : tensor<6x4xf64>{{$}}
  %5 = comm.all_to_all %s split 0 concat 0 over @mesh["tp"] : tensor<6x4xf64>
  // CHECK: comm.all_to_all %{{.*}} split 1 concat 0 over @mesh["tp"] : tensor<?x?xi32> -> tensor<12x?xi32>
  %6 = comm.all_to_all %d split 1 concat 0 over @mesh["tp"] : tensor<?x?xi32> -> tensor<12x?xi32>
  // CHECK: comm.all_to_all %{{.*}} split 1 concat 0 over @mesh["tp"] : tensor<1x0x2xf32> -> tensor<3x0x2xf32>
  %7 = comm.all_to_all %z split 1 concat 0 over @mesh["tp"] : tensor<1x0x2xf32> -> tensor<3x0x2xf32>
  // CHECK: comm.permute %{{.*}} [] over @mesh["tp"] : tensor<f32>
  %8 = comm.permute %p [] over @mesh["tp"] : tensor<f32>
  // CHECK: comm.permute %{{.*}} {{\[\(}}0, 1), (2, 0{{\)\]}} over @mesh["tp"] : tensor<f32>
  %9 = comm.permute %p [(0, 1), (2, 0)] over @mesh["tp"] : tensor<f32>
  // CHECK: comm.gather %{{.*}} dim 0 root 1 over @mesh["dp"] : tensor<6x4xf64> -> tensor<12x4xf64>
  %10 = comm.gather %s dim 0 root 1 over @mesh["dp"] : tensor<6x4xf64> -> tensor<12x4xf64>
  // CHECK: comm.scatter %{{.*}} dim 1 root 1 over @mesh["dp"] : tensor<6x4xf64> -> tensor<6x2xf64>
  %11 = comm.scatter %s dim 1 root 1 over @mesh["dp"] : tensor<6x4xf64> -> tensor<6x2xf64>
  // CHECK: comm.send %{{.*}} from 2 to 0 over @mesh["tp"] : tensor<?x?xi32> -> !comm.message<tensor<?x?xi32>>
  %12 = comm.send %d from 2 to 0 over @mesh["tp"] : tensor<?x?xi32> -> !comm.message<tensor<?x?xi32>>
  // CHECK: comm.recv %{{.*}} : !comm.message<tensor<?x?xi32>> -> tensor<?x?xi32>
  %13 = comm.recv %12 : !comm.message<tensor<?x?xi32>> -> tensor<?x?xi32>
  return
}

// No size is too large to be named.
// CHECK-LABEL: @huge
func.func @huge(%x: tensor<3074457345618258602xf32>) {
  // CHECK: comm.all_gather {{.*}} : tensor<3074457345618258602xf32> -> tensor<9223372036854775806xf32>
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<3074457345618258602xf32> -> tensor<9223372036854775806xf32>
  return
}

// CHECK-LABEL: @memrefs
func.func @memrefs(%x: memref<6xf32>, %y: memref<6xf32, strided<[?], offset: ?>>, %d: memref<?xf32>, %s: memref<2xf32>) {
  // CHECK: comm.all_reduce avg %{{.*}} over @mesh["tp"] : memref<6xf32>{{$}}
  comm.all_reduce avg %x over @mesh["tp"] : memref<6xf32>
  // CHECK: comm.all_reduce sum %{{.*}} into %{{.*}} over @mesh["tp"] : memref<6xf32> -> memref<6xf32, strided<[?], offset: ?>>
  comm.all_reduce sum %x into %y over @mesh["tp"] : memref<6xf32> -> memref<6xf32, strided<[?], offset: ?>>
  // CHECK: comm.all_gather %{{.*}} into %{{.*}} dim 0 over @mesh["tp"] : memref<2xf32> -> memref<6xf32>
  comm.all_gather %s into %x dim 0 over @mesh["tp"] : memref<2xf32> -> memref<6xf32>
  // CHECK: comm.reduce_scatter sum %{{.*}} into %{{.*}} dim 0 over @mesh["tp"] : memref<6xf32> -> memref<2xf32>
  comm.reduce_scatter sum %x into %s dim 0 over @mesh["tp"] : memref<6xf32> -> memref<2xf32>
  // CHECK: comm.all_to_all %{{.*}} into %{{.*}} split 0 concat 0 over @mesh["tp"] : memref<?xf32>{{$}}
  comm.all_to_all %d into %d split 0 concat 0 over @mesh["tp"] : memref<?xf32>
  // CHECK: comm.permute %{{.*}} into %{{.*}} {{\[\(}}0, 1{{\)\]}} over @mesh["tp"] : memref<6xf32>
  comm.permute %x into %x [(0, 1)] over @mesh["tp"] : memref<6xf32>
  // CHECK: comm.broadcast %{{.*}} root 0 over @mesh["tp"] : memref<?xf32>
  comm.broadcast %d root 0 over @mesh["tp"] : memref<?xf32>
  // CHECK: comm.reduce sum %{{.*}} into %{{.*}} root 0 over @mesh["tp"] : memref<6xf32>
  comm.reduce sum %x into %x root 0 over @mesh["tp"] : memref<6xf32>
  // CHECK: comm.gather %{{.*}} into %{{.*}} dim 0 root 0 over @mesh["tp"] : memref<2xf32> -> memref<6xf32>
  comm.gather %s into %x dim 0 root 0 over @mesh["tp"] : memref<2xf32> -> memref<6xf32>
  // CHECK: comm.scatter %{{.*}} into %{{.*}} dim 0 root 0 over @mesh["tp"] : memref<6xf32> -> memref<2xf32>
  comm.scatter %x into %s dim 0 root 0 over @mesh["tp"] : memref<6xf32> -> memref<2xf32>
  // CHECK: comm.send %{{.*}} from 0 to 1 over @mesh["tp"] : memref<6xf32> -> !comm.message<tensor<6xf32>>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : memref<6xf32> -> !comm.message<tensor<6xf32>>
  // CHECK: comm.recv %{{.*}} into %{{.*}} : !comm.message<tensor<6xf32>> -> memref<6xf32, strided<[?], offset: ?>>
  comm.recv %m into %y : !comm.message<tensor<6xf32>> -> memref<6xf32, strided<[?], offset: ?>>
  return
}

func.func @step(%x: tensor<2xf32>, %n: tensor<2xi32>, %w: f32) -> (f32, tensor<2xf32>) {
  return %w, %x : f32, tensor<2xf32>
}

// CHECK-LABEL: @derivatives
func.func @derivatives(%x: tensor<2xf32>, %n: tensor<2xi32>, %w: f32) {
  // CHECK: comm.vjp @step(%{{.*}}, %{{.*}}, %{{.*}}) cotangents(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<2xi32>, f32, f32, tensor<2xf32>) -> (f32, tensor<2xf32>, tensor<2xf32>, f32)
  %0:4 = comm.vjp @step(%x, %n, %w) cotangents(%w, %x) : (tensor<2xf32>, tensor<2xi32>, f32, f32, tensor<2xf32>) -> (f32, tensor<2xf32>, tensor<2xf32>, f32)
  // CHECK: comm.vjp @step(%{{.*}}) cotangents(%{{.*}}) wrt [] :
  %1:2 = comm.vjp @step(%x, %n, %w) cotangents(%w, %x) wrt [] : (tensor<2xf32>, tensor<2xi32>, f32, f32, tensor<2xf32>) -> (f32, tensor<2xf32>)
  // CHECK: comm.jvp @step(%{{.*}}, %{{.*}}, %{{.*}}) tangents(%{{.*}}, %{{.*}}) : (tensor<2xf32>, tensor<2xi32>, f32, tensor<2xf32>, f32) -> (f32, tensor<2xf32>, f32, tensor<2xf32>)
  %3:4 = comm.jvp @step(%x, %n, %w) tangents(%x, %w) : (tensor<2xf32>, tensor<2xi32>, f32, tensor<2xf32>, f32) -> (f32, tensor<2xf32>, f32, tensor<2xf32>)
  // CHECK: comm.jvp @step(%{{.*}}) tangents(%{{.*}}) wrt [2] :
  %4:4 = comm.jvp @step(%x, %n, %w) tangents(%w) wrt [2] : (tensor<2xf32>, tensor<2xi32>, f32, f32) -> (f32, tensor<2xf32>, f32, tensor<2xf32>)
  // CHECK: comm.value_and_grad @step(%{{.*}}) wrt [0, 2] : (tensor<2xf32>, tensor<2xi32>, f32) -> (f32, tensor<2xf32>, tensor<2xf32>, f32)
  %2:4 = comm.value_and_grad @step(%x, %n, %w) wrt [0, 2] : (tensor<2xf32>, tensor<2xi32>, f32) -> (f32, tensor<2xf32>, tensor<2xf32>, f32)
  return
}

// CHECK-LABEL: @stop_gradient
func.func @stop_gradient(%s: f16, %d: tensor<?x2xbf16>, %e: tensor<f64>) -> (f16, tensor<?x2xbf16>, tensor<f64>) attributes {comm.custom_vjp = [@forward, @backward]} {
  // CHECK: comm.stop_gradient %{{.*}} : f16
  %0 = comm.stop_gradient %s : f16
  // CHECK: comm.stop_gradient %{{.*}} : tensor<?x2xbf16>
  %1 = comm.stop_gradient %d : tensor<?x2xbf16>
  // CHECK: comm.stop_gradient %{{.*}} : tensor<f64>
  %2 = comm.stop_gradient %e : tensor<f64>
  return %0, %1, %2 : f16, tensor<?x2xbf16>, tensor<f64>
}
