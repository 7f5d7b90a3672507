// RUN: comm-opt %s --split-input-file --verify-diagnostics -comm-differentiate
// RUN: comm-opt %s --split-input-file --verify-diagnostics -comm-materialize-replication

// expected-error @+1 {{'comm.custom_vjp' expects a function such as @g, or two such as [@forward, @backward], got "g"}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = "g"} {
  return %x : f32
}

// -----

// expected-error @+1 {{'comm.custom_vjp' expects a function such as @g, or two such as [@forward, @backward], got [@g]}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = [@g]} {
  return %x : f32
}

// -----

func.func @f(%x: f32) -> f32 {
  // expected-error @+1 {{'comm.custom_vjp' is an attribute of functions only}}
  %y = arith.negf %x {comm.custom_vjp = @g} : f32
  return %y : f32
}

// -----

// expected-error @+1 {{'comm.custom_vjp' of '@f': '@g' is not a function of the module}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}

// -----

// expected-error @+1 {{'comm.custom_vjp' of '@f': '@g' has no body}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}
func.func private @g(f32, f32) -> f32

// -----

// expected-error @+1 {{'comm.custom_vjp' of '@f': '@f' is the function itself}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @f} {
  return %x : f32
}

// -----

// All that does not fit is reported at once.
// expected-error @+2 {{'comm.custom_vjp' of '@f': expects argument 1 of '@g' to have type 'tensor<4xf32>' as argument 1 of '@f', got 'tensor<3xf32>'}}
// expected-error @+1 {{'comm.custom_vjp' of '@f': expects 2 results of '@g', got 1}}
func.func @f(%x: f32, %y: tensor<4xf32>) -> (f32, i32) attributes {comm.custom_vjp = @g} {
  %n = arith.constant 0 : i32
  return %x, %n : f32, i32
}
// expected-note @+1 {{the rule is here}}
func.func @g(%x: f32, %y: tensor<3xf32>, %dx: f32) -> f32 {
  return %dx : f32
}

// -----

// expected-error @+1 {{'comm.custom_vjp' of '@f': expects 2 arguments of '@g', got 1}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}
// expected-note @+1 {{the rule is here}}
func.func @g(%dx: f32) -> f32 {
  return %dx : f32
}

// -----

// Marks are those of the function.
comm.mesh @mesh [tp = 3]
// expected-error @+3 {{'comm.custom_vjp' of '@f': expects argument 0 of '@g' to be marked #comm.axes<@mesh["tp"]> as argument 0 of '@f', got unmarked}}
// expected-error @+2 {{'comm.custom_vjp' of '@f': expects argument 1 of '@g' to be unmarked as the cotangent of result 0 of '@f', got marked #comm.axes<@mesh["tp"]>}}
// expected-error @+1 {{'comm.custom_vjp' of '@f': expects result 0 of '@g' to be marked #comm.axes<@mesh["tp"]> as the cotangent of argument 0 of '@f', got unmarked}}
func.func @f(%x: f32 {comm.replicated = #comm.axes<@mesh["tp"]>}) -> f32 attributes {comm.custom_vjp = @g} {
  return %x : f32
}
// expected-note @+1 {{the rule is here}}
func.func @g(%x: f32, %dx: f32 {comm.replicated = #comm.axes<@mesh["tp"]>}) -> f32 {
  return %dx : f32
}

// -----

// The halves agree about the residuals.
// expected-error @+1 {{'comm.custom_vjp' of '@f': expects argument 0 of '@backward' to have type 'f64' as result 1 of '@forward', got 'f32'}}
func.func @f(%x: f32) -> f32 attributes {comm.custom_vjp = [@forward, @backward]} {
  return %x : f32
}
func.func private @forward(%x: f32) -> (f32, f64) {
  %r = arith.constant 1.0 : f64
  return %x, %r : f32, f64
}
// expected-note @+1 {{the rule is here}}
func.func private @backward(%r: f32, %dx: f32) -> f32 {
  return %dx : f32
}

// -----

// The claims of a rule are proved.
comm.mesh @mesh [tp = 3]
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<4xf32> attributes {comm.custom_vjp = @g} {
  %y = arith.mulf %x, %w : tensor<4xf32>
  return %y : tensor<4xf32>
}
// expected-note @+1 {{argument 2 of '@g' varies over axes ["tp"]: it is not marked replicated over them}}
func.func private @g(%x: tensor<4xf32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %dy: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %dx = arith.mulf %dy, %w : tensor<4xf32>
  // expected-note @+1 {{'arith.mulf' uses a value that varies over axes ["tp"]}}
  %dw = arith.mulf %dy, %x : tensor<4xf32>
  // expected-error @+1 {{result 1 of '@g' is marked replicated over axes ["tp"], but varies over ["tp"]}}
  return %dx, %dw : tensor<4xf32>, tensor<4xf32>
}
