// RUN: comm-opt %s --comm-materialize-replication -verify-diagnostics -split-input-file

// V45: under a condition that differs per rank.
comm.mesh @mesh [dp = 2, tp = 3]
func.func @differs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{'comm.axis_index' makes a value that varies over axes ["tp"]}}
  %i = comm.axis_index over @mesh["tp"] : index
  // expected-note @+2 {{the condition of 'scf.if' varies over axes ["tp"]}}
  // expected-note @+1 {{'arith.cmpi' uses a value that varies over axes ["tp"]}}
  %c = arith.cmpi eq, %i, %c1 : index
  %y = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{'comm.all_reduce' op runs over axes ["tp"] under a condition that varies over them: not all ranks of a group would reach it}}
    %s = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// A local op whose adjoint is a collective; a barrier; a message.
comm.mesh @mesh [tp = 3]
func.func @locals(%x: tensor<4xf32>, %r: tensor<6xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
    // expected-note @+2 {{the condition of 'scf.for' varies over axes ["tp"]}}
    // expected-note @+1 {{argument 2 of '@locals' varies}}
    %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{'comm.all_slice' op runs over axes ["tp"] under a condition}}
    %s = comm.all_slice %r dim 0 over @mesh["tp"] : tensor<6xf32> -> tensor<2xf32>
    // expected-error @+1 {{'comm.vary' op runs over axes ["tp"] under a condition}}
    %v = comm.vary %r over @mesh["tp"] : tensor<6xf32>
    // expected-error @+1 {{'comm.barrier' op runs over axes ["tp"] under a condition}}
    comm.barrier over @mesh["tp"]
    // expected-error @+1 {{'comm.send' op runs over axes ["tp"] under a condition}}
    %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
    // expected-error @+1 {{'comm.recv' op runs over axes ["tp"] under a condition}}
    %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
    // Asking where the rank is waits for nobody.
    %k = comm.axis_index over @mesh["tp"] : index
  }
  return
}

// -----

// A call of a function that holds a collective, at any depth; the condition of
// a loop.
comm.mesh @mesh [tp = 3]
func.func private @deep(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @shallow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @deep(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %w = scf.while (%p = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @+1 {{'comm.axis_index' makes a value}}
    %i = comm.axis_index over @mesh["tp"] : index
    // expected-note @+2 {{the condition of 'scf.while' varies over axes ["tp"]}}
    // expected-note @+1 {{'arith.cmpi' uses a value}}
    %c = arith.cmpi eq, %i, %c1 : index
    scf.condition(%c) %p : tensor<4xf32>
  } do {
  ^bb0(%p: tensor<4xf32>):
    // expected-error @+1 {{'func.call' op calls '@shallow', which runs 'comm.permute' over axes ["tp"] under a condition that varies over them}}
    %q = func.call @shallow(%p) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %q : tensor<4xf32>
  }
  return %w : tensor<4xf32>
}

// -----

// In a controlled region nothing is one value, not even a constant: its
// backward would add up where not all ranks are.
comm.mesh @mesh [tp = 3]
// expected-note @+1 {{the function is here}}
func.func private @marked(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// expected-note @+1 {{argument 1 of '@constant' varies over axes ["tp"]}}
func.func @constant(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-note @+1 {{'scf.if' runs its regions under a condition that varies over axes ["tp"]}}
  %y = scf.if %c -> tensor<4xf32> {
    %k = arith.constant dense<1.0> : tensor<4xf32>
    // expected-error @+1 {{'func.call' op operand 0 varies over axes ["tp"], but argument 0 of '@marked' is marked replicated over them}}
    %s = func.call @marked(%k) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// The result of a controlled op varies, though both branches yield one value.
comm.mesh @mesh [tp = 3]
// expected-note @+1 {{argument 1 of '@claim' varies over axes ["tp"]}}
func.func @claim(%r: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %c: i1) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-note @+1 {{'scf.if' runs its regions under a condition that varies over axes ["tp"]}}
  %y = scf.if %c -> tensor<4xf32> {
    scf.yield %r : tensor<4xf32>
  } else {
    %s = arith.addf %r, %r : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  // expected-error @+1 {{result 0 of '@claim' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %y : tensor<4xf32>
}
