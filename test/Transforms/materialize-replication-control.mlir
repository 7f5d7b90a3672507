// RUN: comm-opt %s --comm-materialize-replication | FileCheck %s
// RUN: comm-opt %s --comm-materialize-replication > %t.once
// RUN: comm-opt %t.once --comm-materialize-replication | diff %t.once -

comm.mesh @mesh [dp = 2, tp = 3]

// V51: the vary of what a controlled region captures stands outside of it, at
// the value's definition: no communication inside the branch.
// CHECK-LABEL: func.func @branch(
// CHECK-NEXT: %[[T:.*]] = tensor.from_elements %arg0
// CHECK-NEXT: %[[V:.*]] = comm.vary %[[T]] over @mesh["dp", "tp"]
// CHECK-NEXT: %[[W:.*]] = tensor.extract %[[V]][]
// CHECK-NOT: comm.vary
// CHECK: scf.if
// CHECK-NEXT: arith.mulf %[[W]], %[[W]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[W]]
// CHECK-NOT: comm.vary
// CHECK: return
func.func @branch(%w: f32 {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) -> f32 {
  %c1 = arith.constant 1 : index
  %i = comm.axis_index over @mesh["dp", "tp"] : index
  %c = arith.cmpi eq, %i, %c1 : index
  %y = scf.if %c -> f32 {
    %ww = arith.mulf %w, %w : f32
    scf.yield %ww : f32
  } else {
    scf.yield %w : f32
  }
  return %y : f32
}

// V45: under a uniform condition, what varies over other axes than those of
// the condition is brought to one state at the region's end; a collective may
// stand inside.
// CHECK-LABEL: func.func @uniform(
// CHECK-NEXT: %[[V:.*]] = comm.vary %arg0 over @mesh["dp", "tp"]
// CHECK: scf.if
// CHECK-NEXT: %[[S:.*]] = comm.all_reduce sum %arg1 over @mesh["tp"]
// CHECK-NEXT: %[[SV:.*]] = comm.vary %[[S]] over @mesh["tp"]
// CHECK-NEXT: scf.yield %[[SV]], %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[P:.*]] = comm.permute
// CHECK-NEXT: scf.yield %[[P]], %
func.func @uniform(%w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %x: tensor<4xf32>, %c: i1 {comm.replicated = #comm.axes<@mesh["tp", "dp"]>})
    -> (tensor<4xf32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
    %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    scf.yield %s, %s : tensor<4xf32>, tensor<4xf32>
  } else {
    %p = comm.permute %w [(0, 1)] over @mesh["dp", "tp"] : tensor<4xf32>
    scf.yield %p, %w : tensor<4xf32>, tensor<4xf32>
  }
  return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// A collective over axes that the condition does not vary over may stand under
// it.
// CHECK-LABEL: func.func @other_axis(
// CHECK: scf.if
// CHECK-NEXT: comm.all_reduce
func.func @other_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %i = comm.axis_index over @mesh["dp"] : index
  %c = arith.cmpi eq, %i, %c1 : index
  %y = scf.if %c -> tensor<4xf32> {
    %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    %p = comm.vary %s over @mesh["tp"] : tensor<4xf32>
    scf.yield %p : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// The values that a loop carries: what goes in and what comes round.
// CHECK-LABEL: func.func @loop(
// CHECK-NEXT: %[[V:.*]] = comm.vary %arg0 over @mesh["tp"]
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %arg1, %[[Q:.*]] = %[[V]])
// CHECK-NEXT: arith.mulf %[[Q]], %[[V]]
// CHECK-NEXT: %[[S:.*]] = comm.all_reduce
// CHECK-NEXT: %[[SV:.*]] = comm.vary %[[S]] over @mesh["tp"]
// CHECK-NEXT: scf.yield %[[SV]], %[[P]]
func.func @loop(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}, %x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>})
    -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %x, %q = %r) -> (tensor<4xf32>, tensor<4xf32>) {
    %a = arith.mulf %q, %r : tensor<4xf32>
    %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
    scf.yield %s, %p : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
