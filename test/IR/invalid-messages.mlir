// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of messages.
// One test for each label; its name begins with the label.

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op to (4) is not a rank of a group of 4 over axes ["tp"]}}
  %m = comm.send %x from 0 to 4 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c1_from(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op from (-1) is not a rank of a group of 4 over axes ["tp"]}}
  %m = comm.send %x from -1 to 0 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op sends from rank 1 to itself}}
  %m = comm.send %x from 1 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{'comm.send' op expects a message of 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<8xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op expects exactly one 'comm.recv' of its message, got 0}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op expects exactly one 'comm.recv' of its message, got 2}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  %s = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4_returned(%x: tensor<4xf32>) -> !comm.message<tensor<4xf32>> {
  // expected-error @+1 {{'comm.send' op expects its message to be taken by a 'comm.recv'}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{it is used here}}
  return %m : !comm.message<tensor<4xf32>>
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c1(%x: !comm.message<tensor<4xf32>>) {
  // expected-error @+1 {{'comm.recv' op expects the message of a 'comm.send'}}
  %r = comm.recv %x : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c1_block(%x: tensor<4xf32>, %c: i1) {
  // expected-note @+1 {{the send is here}}
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  scf.if %c {
    // expected-error @+1 {{'comm.recv' op stands in another block than its 'comm.send'}}
    %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  }
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c2(%x: tensor<4xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects a result of 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_c2_memref(%x: tensor<4xf32>, %y: memref<8xf32>) {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' op expects a result of 'tensor<4xf32>', got 'memref<8xf32>'}}
  comm.recv %m into %y : !comm.message<tensor<4xf32>> -> memref<8xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @recv_of_an_argument(%m: !comm.message<tensor<4xf32>>) {
  // expected-error @+1 {{'comm.recv' op expects the message of a 'comm.send'}}
  %r = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c4_selected(%x: tensor<4xf32>, %c: i1) {
  // expected-error @+1 {{'comm.send' op expects its message to be taken by a 'comm.recv'}}
  %a = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %b = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-note @+1 {{it is used here}}
  %s = arith.select %c, %a, %b : !comm.message<tensor<4xf32>>
  %r = comm.recv %s : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c1_largest(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op to (9223372036854775807) is not a rank of a group of 4 over axes ["tp"]}}
  %0 = comm.send %x from 0 to 9223372036854775807 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %0 : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @send_c3_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.send' op expects a message of 'tensor<4xf32>', got 'tensor<4xi32>'}}
  %0 = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<4xf32> -> !comm.message<tensor<4xi32>>
  %r = comm.recv %0 : !comm.message<tensor<4xi32>> -> tensor<4xi32>
  return
}
