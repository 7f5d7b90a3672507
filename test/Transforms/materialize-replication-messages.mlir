// RUN: comm-opt %s --comm-materialize-replication -verify-diagnostics -split-input-file

// V19: a ring. Each message is taken before the next is sent.
comm.mesh @mesh [dp = 2, tp = 4]
func.func @ring(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %m1 = comm.send %x from 1 to 2 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r1 = comm.recv %m1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r0, %r1 : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Overlapping messages of different ranks, and of one direction, are fine; so
// is a collective of ranks that none of them names.
func.func @overlap(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %m1 = comm.send %x from 2 to 3 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %m2 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %r2 = comm.recv %m2 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %r1 = comm.recv %m1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r0, %r1 : tensor<4xf32>
  %b = arith.addf %a, %r2 : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// Two ranks send to each other before either receives.
comm.mesh @mesh [tp = 3]
func.func @exchange(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{deadlock: ranks wait for each other in a cycle of 2 ops}}
  // expected-note @+1 {{rank (tp = 0) waits in this 'comm.send' before it reaches the next one}}
  %m0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{rank (tp = 1) waits in this 'comm.send' before it reaches the next one}}
  %m1 = comm.send %x from 1 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %r1 = comm.recv %m1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r0, %r1 : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// A ring of sends before any receive, on a mesh of two axes.
comm.mesh @mesh [dp = 2, tp = 3]
func.func @ring(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{deadlock: ranks wait for each other in a cycle of 3 ops}}
  // expected-note @+1 {{rank (dp = 0, tp = 0) waits in this 'comm.send'}}
  %m0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{rank (dp = 0, tp = 2) waits in this 'comm.send'}}
  %m2 = comm.send %x from 2 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{rank (dp = 0, tp = 1) waits in this 'comm.send'}}
  %m1 = comm.send %x from 1 to 2 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %r1 = comm.recv %m1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %r2 = comm.recv %m2 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r0, %r1 : tensor<4xf32>
  %b = arith.addf %a, %r2 : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// A collective of both ranks between the ends of a message.
comm.mesh @mesh [dp = 2, tp = 3]
func.func @between(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{deadlock: ranks wait for each other in a cycle of 2 ops}}
  // expected-note @+1 {{waits in this 'comm.send'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{waits in this 'comm.permute'}}
  %y = comm.permute %x [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Over the other axis each rank meets others than its peer: no cycle.
func.func @other_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = comm.permute %x [(0, 1)] over @mesh["dp"] : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// Two of them close a cycle of ranks that are not all named by the message:
// (1, 2) is in both.
func.func @around(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{deadlock: ranks wait for each other in a cycle of 3 ops}}
  // expected-note @+1 {{waits in this 'comm.send'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{waits in this 'comm.permute'}}
  %y = comm.permute %x [(0, 1)] over @mesh["dp"] : tensor<4xf32>
  // expected-note @+1 {{waits in this 'comm.permute'}}
  %z = comm.permute %y [(0, 1)] over @mesh["tp"] : tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r, %z : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Through a call.
comm.mesh @mesh [tp = 3]
func.func private @back(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{rank (tp = 1) waits in this 'comm.send'}}
  %m = comm.send %x from 1 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 2 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{deadlock: ranks wait for each other in a cycle of 2 ops}}
  // expected-note @+1 {{rank (tp = 0) waits in this 'comm.send'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = call @back(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func @fine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// recv_c3
comm.mesh @mesh [tp = 3]
func.func @recv_c3(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{it was sent here}}
  %m0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{a message that was sent later}}
  %m1 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{is taken earlier}}
  %r1 = comm.recv %m1 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  // expected-error @+1 {{'comm.recv' op takes a message of rank 0 to rank 1 out of order: receives of one channel stand in the order of their sends}}
  %r0 = comm.recv %m0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %a = arith.addf %r0, %r1 : tensor<4xf32>
  return %a : tensor<4xf32>
}
