// RUN: comm-opt %s --comm-differentiate --verify-diagnostics
// RUN: comm-opt %s --comm-differentiate=mode=forward --verify-diagnostics

// All ops without a rule are reported at once, each where it stands.
func.func @no_rule(%x: f32, %t: tensor<4xf32>, %i: tensor<2x1xindex>)
    -> (f32, f32, tensor<4xf32>, tensor<2xf32>) {
  // expected-error @+1 {{'arith.bitcast' has no adjoint}}
  %a = arith.bitcast %x : f32 to f32
  %lo = arith.constant 0.0 : f32
  %hi = arith.constant 1.0 : f32
  // expected-error @+1 {{'math.clampf' has no adjoint}}
  %b = math.clampf %x to [%lo, %hi] : f32
  // expected-error @+1 {{'tensor.generate' has no adjoint}}
  %c = tensor.generate {
  ^bb0(%j: index):
    tensor.yield %x : f32
  } : tensor<4xf32>
  // expected-error @+1 {{'tensor.gather' has no adjoint}}
  %d = tensor.gather %t[%i] gather_dims([0])
    : (tensor<4xf32>, tensor<2x1xindex>) -> tensor<2xf32>
  return %a, %b, %c, %d : f32, f32, tensor<4xf32>, tensor<2xf32>
}

// An integer made of a float is no float path.
func.func @through_integer(%x: f32) -> f32 {
  %i = arith.fptosi %x : f32 to i32
  // expected-error @+1 {{'arith.sitofp' brings back to a float an integer}}
  %y = arith.sitofp %i : i32 to f32
  return %y : f32
}

// Nor is one in an exponent, though the power has a rule for its base.
func.func @through_exponent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  // expected-error @+1 {{'math.fpowi' brings back to a float an integer}}
  %y = math.fpowi %x, %i : tensor<4xf32>, tensor<4xi32>
  return %y : tensor<4xf32>
}

// The same in a body.
func.func @through_exponent_in_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
    (%a: f32, %o: f32) {
      %i = arith.fptosi %a : f32 to i32
      // expected-error @+1 {{'math.fpowi' brings back to a float an integer}}
      %p = math.fpowi %a, %i : f32, i32
      linalg.yield %p : f32
    }
  return %y : tensor<4xf32>
}

// What only selects is no path: a condition, an index, an exponent of its own.
func.func @selected(%x: f32, %t: tensor<4xf32>, %n: i32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ogt, %x, %zero : f32
  %relu = arith.select %c, %x, %zero : f32
  %i = arith.fptosi %x : f32 to i64
  %j = arith.index_cast %i : i64 to index
  %taken = tensor.extract %t[%j] : tensor<4xf32>
  %power = math.fpowi %taken, %n : f32, i32
  return %relu, %power : f32, f32
}

// Nor in a callee, and not two calls deep.
func.func private @of_integer(%i: i32, %y: f32) -> f32 {
  // expected-error @+1 {{'arith.sitofp' brings back to a float an integer}}
  %f = arith.sitofp %i : i32 to f32
  %z = arith.mulf %f, %y : f32
  return %z : f32
}
func.func private @passes_on(%y: f32, %i: i32) -> f32 {
  // expected-note @+1 {{the integer is passed here}}
  %z = call @of_integer(%i, %y) : (i32, f32) -> f32
  return %z : f32
}
func.func @through_call(%x: f32, %y: f32) -> f32 {
  %i = arith.fptosi %x : f32 to i32
  // expected-note @+1 {{the integer is passed here}}
  %z = call @of_integer(%i, %y) : (i32, f32) -> f32
  return %z : f32
}
func.func @through_calls(%x: f32, %y: f32) -> f32 {
  %i = arith.fptosi %x : f32 to i32
  %z = call @passes_on(%y, %i) : (f32, i32) -> f32
  return %z : f32
}

// A flag that only selects loses nothing, and neither does an argument that the
// float result does not depend on.
func.func private @chosen(%flag: i1, %i: i32, %y: f32) -> (f32, f32) {
  %f = arith.sitofp %i : i32 to f32
  %two = arith.constant 2.0 : f32
  %double = arith.mulf %y, %two : f32
  %z = arith.select %flag, %y, %double : f32
  return %z, %f : f32, f32
}
func.func @flag_in_call(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %flag = arith.cmpf ogt, %x, %zero : f32
  %i = arith.fptosi %x : f32 to i32
  %z, %unused = call @chosen(%flag, %i, %x) : (i1, i32, f32) -> (f32, f32)
  return %z : f32
}

// What stands in control flow is reported with the rest, and a condition is no
// integer that comes back.
func.func @branches(%x: f32, %b: i1) -> f32 {
  %y = scf.if %b -> f32 {
    // expected-error @+1 {{'func.call' op calls '@external'}}
    %z = func.call @external(%x) : (f32) -> f32
    scf.yield %z : f32
  } else {
    // expected-error @+1 {{'builtin.unrealized_conversion_cast' has no adjoint: implement AdjointOpInterface for it}}
    %z = builtin.unrealized_conversion_cast %x : f32 to f32
    scf.yield %z : f32
  }
  return %y : f32
}
func.func @parallel(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.parallel' is control flow that is not differentiated: implement RegionAdjointOpInterface for it}}
  %y = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%x) -> f32 {
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      scf.reduce.return %sum : f32
    }
  }
  return %y : f32
}
func.func @in_a_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  %y = linalg.map ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) (%a: f32, %out: f32) {
    %positive = arith.cmpf ogt, %a, %c : f32
    // expected-error @+1 {{'scf.if' is control flow that is not differentiated in the body of an op}}
    %b = scf.if %positive -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %c : f32
    }
    linalg.yield %b : f32
  }
  return %y : tensor<4xf32>
}
func.func @marked(%x: f32, %g: (f32) -> f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> f32 {
    // expected-error @+1 {{'func.call_indirect' has no adjoint: implement AdjointOpInterface for it}}
    %z = func.call_indirect %g(%v) : (f32) -> f32
    scf.yield %z : f32
  } {comm.recompute}
  return %y : f32
}
func.func @induction_variable(%n: i32, %x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = arith.fptosi %x : f32 to i32
  %y = scf.for %k = %i to %n step %c1 iter_args(%v = %x) -> f32 : i32 {
    // expected-error @+1 {{'arith.sitofp' brings back to a float an integer that depends on a differentiated argument}}
    %f = arith.sitofp %k : i32 to f32
    %next = arith.mulf %v, %f : f32
    scf.yield %next : f32
  }
  return %y : f32
}

// expected-note @+1 {{declared here}}
func.func private @external(%x: f32) -> f32
func.func @calls_external(%x: f32) -> f32 {
  // expected-error @+1 {{'func.call' op calls '@external', which has no body to differentiate}}
  %y = call @external(%x) : (f32) -> f32
  return %y : f32
}
