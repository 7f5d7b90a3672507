// What cannot be computed again.

// RUN: comm-opt %s -split-input-file -verify-diagnostics

func.func @value(%x: f32) -> f32 {
  // expected-error @+1 {{'comm.recompute' expects no value, got 3 : i32}}
  %y = math.sin %x {comm.recompute = 3 : i32} : f32
  return %y : f32
}

// -----

comm.mesh @mesh [pp = 3]

func.func @message(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'comm.send' cannot be marked 'comm.recompute': expected an op whose results can be computed again}}
  %m = comm.send %x from 0 to 1 over @mesh["pp"] {comm.recompute} : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  %y = comm.recv %m : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

comm.mesh @mesh [pp = 3]

func.func @received(%x: tensor<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["pp"] : tensor<4xf32> -> !comm.message<tensor<4xf32>>
  // expected-error @+1 {{'comm.recv' cannot be marked 'comm.recompute'}}
  %y = comm.recv %m {comm.recompute} : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
