// RUN: comm-opt %s --comm-materialize-replication | FileCheck %s
// A second run changes nothing.
// RUN: comm-opt %s --comm-materialize-replication > %t.once
// RUN: comm-opt %t.once --comm-materialize-replication > %t.twice
// RUN: diff %t.once %t.twice
// RUN: comm-opt %t.twice --comm-materialize-replication --verify-diagnostics

comm.mesh @mesh [dp = 2, tp = 3, one = 1]

// V21, V22, V30: a replicated value that is used in two varying branches gets
// ONE vary, right after its definition.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[X]] over @mesh["dp", "tp"] : tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[V]], %{{.*}}
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[V]], %{{.*}}
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: comm.all_reduce sum %[[C]] over @mesh["dp", "tp"]
// CHECK-NEXT: return
func.func @shared(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}, %w: tensor<4xf32>, %u: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) {
  %a = arith.mulf %x, %w : tensor<4xf32>
  %b = arith.mulf %x, %u : tensor<4xf32>
  %c = arith.addf %a, %b : tensor<4xf32>
  %y = comm.all_reduce sum %c over @mesh["dp", "tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// One vary for each set of axes; each operand gets what it lacks.
// CHECK-LABEL: func.func @sets(
// CHECK-SAME: %[[R:arg0]]: {{.*}}, %[[D:arg1]]: {{.*}}, %[[T:arg2]]: tensor
// CHECK-NEXT: %[[RD:.*]] = comm.vary %[[R]] over @mesh["dp"]
// CHECK-NEXT: %[[RT:.*]] = comm.vary %[[R]] over @mesh["tp"]
// CHECK-NEXT: %[[DT:.*]] = comm.vary %[[D]] over @mesh["tp"]
// CHECK-NEXT: %[[TD:.*]] = comm.vary %[[T]] over @mesh["dp"]
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[RD]], %[[D]]
// CHECK-NEXT: %[[AV:.*]] = comm.vary %[[A]] over @mesh["tp"]
// CHECK-NEXT: %[[B:.*]] = arith.mulf %[[RT]], %[[T]]
// CHECK-NEXT: %[[BV:.*]] = comm.vary %[[B]] over @mesh["dp"]
// CHECK-NEXT: %[[C:.*]] = arith.mulf %[[DT]], %[[TD]]
// CHECK-NEXT: arith.addf %[[AV]], %[[BV]]
func.func @sets(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
    %d: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
    %t: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) -> tensor<4xf32> {
  %a = arith.mulf %r, %d : tensor<4xf32>
  %b = arith.mulf %r, %t : tensor<4xf32>
  %c = arith.mulf %d, %t : tensor<4xf32>
  %e = arith.addf %a, %b : tensor<4xf32>
  %f = arith.addf %e, %c : tensor<4xf32>
  return %f : tensor<4xf32>
}

// A scalar goes through a tensor.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[W:arg0]]: f32 {{.*}}, %[[D:arg1]]: f32
// CHECK-NEXT: %[[T:.*]] = tensor.from_elements %[[W]] : tensor<f32>
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[T]] over @mesh["dp", "tp"] : tensor<f32>
// CHECK-NEXT: %[[S:.*]] = tensor.extract %[[V]][] : tensor<f32>
// CHECK-NEXT: arith.mulf %[[S]], %[[D]] : f32
func.func @scalar(%w: f32 {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %d: f32) -> f32 {
  %y = arith.mulf %w, %d : f32
  return %y : f32
}

// A collective that wants a varying operand gets what is missing of its group,
// in the order of the mesh.
// CHECK-LABEL: func.func @collective(
// CHECK-SAME: %[[R:arg0]]: {{.*}}, %[[D:arg1]]: tensor<6xf32>
// CHECK-NEXT: %[[RV:.*]] = comm.vary %[[R]] over @mesh["dp", "tp"]
// CHECK-NEXT: %[[DV:.*]] = comm.vary %[[D]] over @mesh["tp"]
// CHECK-NEXT: comm.reduce_scatter sum %[[RV]] dim 0 over @mesh["tp", "dp"]
// CHECK-NEXT: comm.permute %[[DV]] {{.*}} over @mesh["tp"]
// all_slice takes a replicated operand as it is.
// CHECK-NEXT: comm.all_slice %[[R]] dim 0 over @mesh["tp", "dp"]
func.func @collective(%r: tensor<6xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
    %d: tensor<6xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<1xf32>, tensor<6xf32>, tensor<1xf32>) {
  %a = comm.reduce_scatter sum %r dim 0 over @mesh["tp", "dp"] : tensor<6xf32> -> tensor<1xf32>
  %b = comm.permute %d [(0, 1)] over @mesh["tp"] : tensor<6xf32>
  %c = comm.all_slice %r dim 0 over @mesh["tp", "dp"] : tensor<6xf32> -> tensor<1xf32>
  return %a, %b, %c : tensor<1xf32>, tensor<6xf32>, tensor<1xf32>
}

// Constants, integers and what is computed from integers need none; neither
// does a user without a derivative.
// CHECK-LABEL: func.func @inactive(
// CHECK-NOT: comm.vary
// CHECK: return
func.func @inactive(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
    %n: tensor<4xi32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi32>) {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %f = arith.sitofp %n : tensor<4xi32> to tensor<4xf32>
  %i = arith.fptosi %w : tensor<4xf32> to tensor<4xi32>
  %g = arith.sitofp %i : tensor<4xi32> to tensor<4xf32>
  %a = arith.mulf %x, %c : tensor<4xf32>
  %b = arith.mulf %a, %f : tensor<4xf32>
  %d = arith.mulf %b, %g : tensor<4xf32>
  %p = arith.cmpf olt, %w, %d : tensor<4xf32>
  %s = comm.permute %n [(0, 1)] over @mesh["tp"] : tensor<4xi32>
  return %d, %p, %s : tensor<4xf32>, tensor<4xi1>, tensor<4xi32>
}

// A program without a float argument is left alone.
// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: arith.constant
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: return
func.func @integers(%n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %s = comm.all_reduce sum %n over @mesh["tp", "dp"] : tensor<4xi32>
  return %c, %s : tensor<4xf32>, tensor<4xi32>
}

// What the body of a local op captures gets its vary outside; so do its
// operands where the body varies.
// CHECK-LABEL: func.func @body(
// CHECK-SAME: %[[X:arg0]]: {{.*}}, %[[S:arg1]]: f32
// CHECK-NEXT: %[[XV:.*]] = comm.vary %[[X]] over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT: %[[T:.*]] = tensor.from_elements %[[S]]
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[T]] over @mesh["tp"] : tensor<f32>
// CHECK-NEXT: %[[SV:.*]] = tensor.extract %[[V]][]
// CHECK: linalg.generic {{.*}} ins(%[[XV]] :
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[I:.*]] = linalg.index 0
// CHECK-NEXT: comm.axis_index
// CHECK-NOT: comm.vary
// CHECK: arith.mulf %{{.*}}, %[[SV]]
// CHECK-NOT: comm.vary
func.func @body(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
    %s: f32 {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %init = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %r = comm.axis_index over @mesh["tp"] : index
    %k = arith.addi %i, %r : index
    %n = arith.index_cast %k : index to i32
    %f = arith.sitofp %n : i32 to f32
    %a = arith.mulf %in, %f : f32
    %b = arith.mulf %a, %s : f32
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// An argument that is unmarked gets a vary, a marked one the value itself; so
// do the cotangents of a derivative.
func.func private @callee(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<4xf32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %z = arith.mulf %w, %y : tensor<4xf32>
  return %x, %z : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @call(
// CHECK-SAME: %[[R:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[ALL:.*]] = comm.vary %[[R]] over @mesh["dp", "tp"]
// CHECK-NEXT: %[[DP:.*]] = comm.vary %[[R]] over @mesh["dp"]
// CHECK-NEXT: call @callee(%[[ALL]], %[[DP]])
// CHECK-NEXT: comm.vjp @callee(%[[ALL]], %[[DP]]) cotangents(%[[ALL]], %[[DP]])
func.func @call(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) -> (tensor<4xf32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y:2 = call @callee(%r, %r) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %z:4 = comm.vjp @callee(%r, %r) cotangents(%r, %r) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %z#2, %z#3 : tensor<4xf32>, tensor<4xf32>
}

// V32: sequence parallel. The rows are gathered before the column-parallel
// product and scattered after the row-parallel one; the gathered value is
// replicated, so one vary, which becomes the reduce_scatter of the backward.
// CHECK-LABEL: func.func @sequence(
// CHECK: %[[G:.*]] = comm.all_gather
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[G]] over @mesh["tp"]
// CHECK-NEXT: linalg.matmul ins(%[[V]], %{{.*}}
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: comm.reduce_scatter sum
// CHECK-NEXT: return
func.func @sequence(%x: tensor<2x4xf32>, %w1: tensor<4x5xf32>, %w2: tensor<5x4xf32>, %i1: tensor<6x5xf32>, %i2: tensor<6x4xf32>) -> tensor<2x4xf32> {
  %g = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x4xf32> -> tensor<6x4xf32>
  %h = linalg.matmul ins(%g, %w1 : tensor<6x4xf32>, tensor<4x5xf32>) outs(%i1 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %p = linalg.matmul ins(%h, %w2 : tensor<6x5xf32>, tensor<5x4xf32>) outs(%i2 : tensor<6x4xf32>) -> tensor<6x4xf32>
  %y = comm.reduce_scatter sum %p dim 0 over @mesh["tp"] : tensor<6x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// V34: groups of one rank change no state.
// CHECK-LABEL: func.func @one_rank(
// CHECK-NEXT: comm.all_reduce sum %arg0 over @mesh["one"]
// CHECK-NEXT: comm.all_gather
// CHECK-NEXT: return
func.func @one_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.all_reduce sum %x over @mesh["one"] : tensor<4xf32>
  %z = comm.all_gather %y dim 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  return %z : tensor<4xf32>
}
