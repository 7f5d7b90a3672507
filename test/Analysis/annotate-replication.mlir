// RUN: comm-opt %s --allow-unregistered-dialect --comm-annotate-replication | FileCheck %s

comm.mesh @mesh [dp = 2, tp = 4, one = 1]

// An argument varies over every axis that its mark does not name; axes of size
// 1 never appear. Constants are replicated, local ops unite.
// CHECK-LABEL: func.func @marks(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {comm.state = ["dp", "tp"]}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>, comm.state = ["dp"]}
// CHECK-SAME: %[[R:[a-z0-9]+]]: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>, comm.state = []}
// CHECK-SAME: -> (tensor<4xf32> {comm.state = ["dp"]}, tensor<4xf32> {comm.state = []})
func.func @marks(%x: tensor<4xf32>,
    %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
    %r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: arith.constant {comm.state = []}
  %c = arith.constant dense<2.0> : tensor<4xf32>
  // CHECK: arith.mulf {{.*}} {comm.state = ["dp"]}
  %a = arith.mulf %w, %c : tensor<4xf32>
  // CHECK: arith.addf {{.*}} {comm.state = ["dp"]}
  %b = arith.addf %a, %r : tensor<4xf32>
  // CHECK: arith.addf {{.*}} {comm.state = ["dp", "tp"]}
  %d = arith.addf %a, %x : tensor<4xf32>
  // CHECK: arith.mulf {{.*}} {comm.state = []}
  %e = arith.mulf %r, %c : tensor<4xf32>
  return %b, %e : tensor<4xf32>, tensor<4xf32>
}

// The transfer functions of the collectives.
// CHECK-LABEL: func.func @collectives(
func.func @collectives(%x: tensor<8xf32>,
    %r: tensor<8xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) {
  // CHECK: comm.axis_index over @mesh["tp"] {comm.state = ["tp"]}
  %i = comm.axis_index over @mesh["tp"] : index
  // CHECK: comm.axis_index over @mesh["tp", "dp"] {comm.state = ["dp", "tp"]}
  %ij = comm.axis_index over @mesh["tp", "dp"] : index
  // CHECK: comm.vary {{.*}} over @mesh["tp"] {comm.state = ["tp"]}
  %v = comm.vary %r over @mesh["tp"] : tensor<8xf32>
  // CHECK: comm.vary {{.*}} over @mesh["one"] {comm.state = []}
  %n = comm.vary %r over @mesh["one"] : tensor<8xf32>
  // CHECK: comm.all_slice {{.*}} over @mesh["dp"] {comm.state = ["dp", "tp"]}
  %s = comm.all_slice %v dim 0 over @mesh["dp"] : tensor<8xf32> -> tensor<4xf32>
  // CHECK: comm.root_mask {{.*}} over @mesh["tp"] {comm.state = ["tp"]}
  %m = comm.root_mask %r root 1 over @mesh["tp"] : tensor<8xf32>
  // CHECK: comm.all_reduce sum {{.*}} over @mesh["tp"] {comm.state = ["dp"]}
  %ar = comm.all_reduce sum %x over @mesh["tp"] : tensor<8xf32>
  // CHECK: comm.all_reduce max {{.*}} over @mesh["tp", "dp"] {comm.state = []}
  %mx = comm.all_reduce max %x over @mesh["tp", "dp"] : tensor<8xf32>
  // CHECK: comm.all_gather {{.*}} over @mesh["dp"] {comm.state = ["tp"]}
  %ag = comm.all_gather %x dim 0 over @mesh["dp"] : tensor<8xf32> -> tensor<16xf32>
  // CHECK: comm.broadcast {{.*}} over @mesh["dp"] {comm.state = ["tp"]}
  %b = comm.broadcast %x root 1 over @mesh["dp"] : tensor<8xf32>
  // A replicated operand counts as varying: it gets a vary.
  // CHECK: comm.reduce_scatter sum {{.*}} over @mesh["tp"] {comm.state = ["tp"]}
  %rs = comm.reduce_scatter sum %r dim 0 over @mesh["tp"] : tensor<8xf32> -> tensor<2xf32>
  // CHECK: comm.all_to_all {{.*}} over @mesh["tp"] {comm.state = ["tp"]}
  %aa = comm.all_to_all %r split 0 concat 0 over @mesh["tp"] : tensor<8xf32> -> tensor<8xf32>
  // CHECK: comm.permute {{.*}} over @mesh["dp"] {comm.state = ["dp"]}
  %p = comm.permute %r [(0, 1)] over @mesh["dp"] : tensor<8xf32>
  // CHECK: comm.reduce sum {{.*}} over @mesh["dp"] {comm.state = ["dp"]}
  %rd = comm.reduce sum %r root 0 over @mesh["dp"] : tensor<8xf32>
  // CHECK: comm.gather {{.*}} over @mesh["dp"] {comm.state = ["dp"]}
  %ga = comm.gather %r dim 0 root 0 over @mesh["dp"] : tensor<8xf32> -> tensor<16xf32>
  // CHECK: comm.scatter {{.*}} over @mesh["dp"] {comm.state = ["dp"]}
  %sc = comm.scatter %r dim 0 root 0 over @mesh["dp"] : tensor<8xf32> -> tensor<4xf32>
  // CHECK: comm.send {{.*}} over @mesh["tp"] {comm.state = ["tp"]}
  %msg = comm.send %r from 0 to 1 over @mesh["tp"] : tensor<8xf32> -> !comm.message<tensor<8xf32>>
  // CHECK: comm.recv {{.*}} {comm.state = ["tp"]}
  %rv = comm.recv %msg : !comm.message<tensor<8xf32>> -> tensor<8xf32>
  return
}

// An op varies over what its regions capture or define, and a shape over
// nothing.
// CHECK-LABEL: func.func @captures(
func.func @captures(%x: tensor<?xf32>, %r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) {
  %c0 = arith.constant 0 : index
  // CHECK: tensor.dim {comm.state = []}
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  // CHECK: tensor.rank {{.*}} {comm.state = []}
  %k = tensor.rank %x : tensor<?xf32>
  // CHECK: tensor.empty({{.*}}) {comm.state = []}
  %e = tensor.empty(%n) : tensor<?xf32>
  // CHECK: tensor.generate
  %g = tensor.generate {
  ^bb0(%p: index):
    %i = comm.axis_index over @mesh["tp"] : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    tensor.yield %f : f32
    // CHECK: comm.argument_states = {{\[\[}}"tp"]], comm.state = ["tp"]}
  } : tensor<4xf32>
  // CHECK: comm.axis_index over @mesh["dp"]
  %d = comm.axis_index over @mesh["dp"] : index
  // CHECK: linalg.map {{.*}}comm.state = ["dp"]}
  %init = tensor.empty() : tensor<4xf32>
  %m = linalg.map ins(%r : tensor<4xf32>) outs(%init : tensor<4xf32>) (%in: f32, %out: f32) {
    %j = arith.index_cast %d : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.mulf %in, %f : f32
    linalg.yield %s : f32
  }
  return
}

// What an op reads from memory is unknown.
// CHECK-LABEL: func.func @memory(
// CHECK: memref.dim {comm.state = []}
// CHECK: memref.load {{.*}} {comm.state = ["dp", "tp"]}
// CHECK: "test.unknown"() {comm.state = ["dp", "tp"]}
func.func @memory(%m: memref<?xf32> {comm.replicated = #comm.axes<@mesh["tp", "dp"]>}) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %l = memref.load %m[%c0] : memref<?xf32>
  %u = "test.unknown"() : () -> f32
  return
}

// The marks of the callee; the result of an external function is unknown.
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @marked(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, tensor<4xf32>) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return %y, %x : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @calls(
// CHECK: call @external({{.*}}) {comm.state = ["dp", "tp"]}
// CHECK: call @marked({{.*}}) {comm.state = {{\[\[}}"dp"], ["dp", "tp"]]}
// CHECK: comm.vjp @marked{{.*}}comm.state = {{\[\[}}"dp"], ["dp", "tp"], ["dp", "tp"]]}
// CHECK: comm.jvp @marked{{.*}}comm.state = {{\[\[}}"dp"], ["dp", "tp"], ["dp"], ["dp", "tp"]]}
func.func @calls(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %e = call @external(%r) : (tensor<4xf32>) -> tensor<4xf32>
  %m:2 = call @marked(%r) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %v:3 = comm.vjp @marked(%r) cotangents(%r, %r) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %j:4 = comm.jvp @marked(%r) tangents(%r) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// A loop's values by a fixpoint: %p sees %q one round later.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: arith.addf {{.*}} {comm.state = ["tp"]}
// CHECK: comm.argument_states = {{\[\[}}], ["tp"], ["tp"], []], comm.state = {{\[\[}}"tp"], ["tp"], []]}
func.func @loop(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
    %r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %r, %q = %r, %s = %r) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %a = arith.addf %p, %p : tensor<4xf32>
    scf.yield %q, %x, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return
}

// In a region whose execution varies everything does, constants included.
// CHECK-LABEL: func.func @controlled(
func.func @controlled(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
    %n: index {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = comm.axis_index over @mesh["tp"] : index
  %cond = arith.cmpi eq, %i, %c0 : index
  // CHECK: scf.if
  %a = scf.if %cond -> tensor<4xf32> {
    // CHECK: arith.constant {comm.state = ["tp"]}
    %k = arith.constant dense<1.0> : tensor<4xf32>
    scf.yield %k : tensor<4xf32>
  } else {
    scf.yield %r : tensor<4xf32>
    // CHECK: } {comm.state = ["tp"]}
  }
  // CHECK: scf.index_switch {{.*}} {comm.state = ["tp"]}
  %b = scf.index_switch %i -> tensor<4xf32>
  case 0 {
    scf.yield %r : tensor<4xf32>
  } default {
    scf.yield %r : tensor<4xf32>
  }
  // CHECK: scf.for
  %f = scf.for %j = %c0 to %n step %c1 iter_args(%p = %r) -> tensor<4xf32> {
    // CHECK: arith.addf {{.*}} {comm.state = ["tp"]}
    %s = arith.addf %p, %r : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
    // CHECK: comm.argument_states = {{\[\[}}"tp"], ["tp"]], comm.state = ["tp"]}
  }
  // The condition of a loop is known only after a walk over its body.
  // CHECK: scf.while
  %w:2 = scf.while (%p = %r, %d = %c0) : (tensor<4xf32>, index) -> (tensor<4xf32>, index) {
    // CHECK: arith.constant {comm.state = ["tp"]}
    %z = arith.constant 3 : index
    %go = arith.cmpi slt, %d, %z : index
    scf.condition(%go) %p, %d : tensor<4xf32>, index
  } do {
  ^bb0(%p: tensor<4xf32>, %d: index):
    %next = arith.addi %d, %i : index
    scf.yield %p, %next : tensor<4xf32>, index
    // CHECK: attributes {comm.argument_states = {{\[\[}}"tp"], ["tp"], ["tp"], ["tp"]], comm.state = {{\[\[}}"tp"], ["tp"]]}
  }
  return
}
