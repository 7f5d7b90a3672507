// RUN: comm-opt %s -comm-differentiate -split-input-file -verify-diagnostics

// Everything that has no rule is reported at once.
func.func @bad(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @+1 {{'arith.sitofp' brings back to a float an integer that depends on a differentiated argument}}
  %f = arith.sitofp %i : tensor<4xi32> to tensor<4xf32>
  // expected-error @+1 {{'tensor.generate' has no adjoint: implement AdjointOpInterface for it}}
  %g = tensor.generate {
  ^bb0(%k: index):
    %e = tensor.extract %x[%k] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  %s = arith.addf %f, %g : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// An integer beside the float path is fine.
func.func @count(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y, %i : tensor<4xf32>, tensor<4xi32>
}

// -----

// expected-error @+1 {{differentiating 'f' generates 'f_bwd', which exists already}}
func.func @f(%x: f32) -> f32 {
  return %x : f32
}
// expected-note @+1 {{it is defined here}}
func.func private @f_bwd(%x: f32) -> f32

// -----

// expected-error @+1 {{'loop' is recursive and cannot be differentiated}}
func.func @loop(%x: f32) -> f32 {
  %y = call @loop(%x) : (f32) -> f32
  return %y : f32
}

// -----

func.func @store(%x: f32, %m: memref<f32>) -> f32 {
  // expected-error @+1 {{passes a value that depends on a differentiated argument through memory}}
  memref.store %x, %m[] : memref<f32>
  %y = memref.load %m[] : memref<f32>
  return %y : f32
}
