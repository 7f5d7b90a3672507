// RUN: comm-opt %s --split-input-file --verify-diagnostics -comm-differentiate=functions=f
// A rule that asks for the derivative of its function would never end.

// expected-error @+1 {{'f' is recursive and cannot be differentiated}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}
func.func private @g(%x: f32, %dy: f32) -> f32 {
  // expected-remark @+1 {{the derivative of 'f' is asked for here}}
  %y, %dx = comm.vjp @f(%x) cotangents(%dy) : (f32, f32) -> (f32, f32)
  return %dx : f32
}

// -----

// Through another function that it calls.
// expected-error @+1 {{'f' is recursive and cannot be differentiated}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}
func.func private @g(%x: f32, %dy: f32) -> f32 {
  %dx = call @h(%x, %dy) : (f32, f32) -> f32
  return %dx : f32
}
func.func private @h(%x: f32, %dy: f32) -> f32 {
  // expected-remark @+1 {{the derivative of 'f' is asked for here}}
  %y, %dx = comm.vjp @f(%x) cotangents(%dy) : (f32, f32) -> (f32, f32)
  return %dx : f32
}
