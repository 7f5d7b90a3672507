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

// -----

// Each calls the other.
// expected-error @+1 {{'even' is recursive and cannot be differentiated}}
func.func @even(%x: f32) -> f32 {
  %y = call @odd(%x) : (f32) -> f32
  return %y : f32
}
func.func private @odd(%x: f32) -> f32 {
  %y = call @even(%x) : (f32) -> f32
  return %y : f32
}

// -----

// Its own derivative.
// expected-error @+1 {{'of_itself' is recursive and cannot be differentiated}}
func.func @of_itself(%x: f32) -> f32 {
  // expected-remark @+1 {{the derivative of 'of_itself' is asked for here}}
  %0:2 = comm.vjp @of_itself(%x) cotangents(%x) : (f32, f32) -> (f32, f32)
  return %0#1 : f32
}

// -----

// expected-error @+1 {{'branches' has unstructured control flow and cannot be differentiated}}
func.func @branches(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : f32
^b:
  return %x : f32
}
func.func @use(%c: i1, %x: f32) -> f32 {
  // expected-remark @+1 {{the derivative of 'branches' is asked for here}}
  %0:2 = comm.vjp @branches(%c, %x) cotangents(%x) : (i1, f32, f32) -> (f32, f32)
  return %0#1 : f32
}

// -----

comm.mesh @mesh [tp = 4]
func.func @in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{the region is here}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %t = tensor.from_elements %o : tensor<f32>
    // expected-error @+1 {{'comm.all_reduce' op runs inside a region of 'linalg.generic'}}
    %s = comm.all_reduce sum %t over @mesh["tp"] : tensor<f32>
    %e = tensor.extract %s[] : tensor<f32>
    linalg.yield %e : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
