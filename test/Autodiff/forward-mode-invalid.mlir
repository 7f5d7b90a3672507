// RUN: comm-opt %s -comm-differentiate="mode=forward" -split-input-file -verify-diagnostics

// expected-error @+1 {{differentiating 'f' generates 'f_jvp', which exists already}}
func.func @f(%x: f32) -> f32 {
  return %x : f32
}
// expected-note @+1 {{it is defined here}}
func.func private @f_jvp(%x: f32) -> f32

// -----

// expected-error @+1 {{'loop' is recursive and cannot be differentiated}}
func.func @loop(%x: f32) -> f32 {
  %y = call @loop(%x) : (f32) -> f32
  return %y : f32
}

// -----

// expected-note @+1 {{declared here}}
func.func private @g(%x: f32) -> f32
func.func @calls(%x: f32) -> f32 {
  // expected-error @+1 {{calls '@g', which has no body to differentiate}}
  %y = call @g(%x) : (f32) -> f32
  return %y : f32
}

// -----

// Of a callee as well, where the caller has errors of its own.
func.func private @g(%x: f32) -> f32 {
  // expected-error @+1 {{'arith.bitcast' has no adjoint}}
  %y = arith.bitcast %x : f32 to f32
  return %y : f32
}
func.func @calls(%x: f32) -> f32 {
  %y = call @g(%x) : (f32) -> f32
  // expected-error @+1 {{'arith.bitcast' has no adjoint}}
  %z = arith.bitcast %y : f32 to f32
  return %z : f32
}

// -----

// The callee of a comm.jvp.
func.func private @h(%x: f32) -> f32 {
  // expected-error @+1 {{'arith.bitcast' has no adjoint}}
  %y = arith.bitcast %x : f32 to f32
  return %y : f32
}
func.func @asks(%x: f32) -> f32 {
  // expected-remark @+1 {{the derivative of 'h' is asked for here}}
  %y, %ty = comm.jvp @h(%x) tangents(%x) : (f32, f32) -> (f32, f32)
  return %ty : f32
}

// -----

// A claim that does not hold is the user's error, as in reverse mode.
comm.mesh @mesh [tp = 3]
// expected-note @+1 {{argument 0 of '@claims' varies over axes ["tp"]}}
func.func @claims(%x: tensor<2xf32>) -> (tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  // expected-error @+1 {{result 0 of '@claims' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %x : tensor<2xf32>
}
