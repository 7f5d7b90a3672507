// RUN: comm-opt --comm-differentiate --split-input-file --verify-diagnostics %s

func.func @product(%a: tensor<4xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{result #0 is a reduction that is no sum, maximum or minimum of its accumulator}}
  %y = linalg.reduce {arith.mulf} ins(%a : tensor<4xf32>)
    outs(%c : tensor<f32>) dimensions = [0]
  return %y : tensor<f32>
}

// -----

func.func @last(%a: tensor<4xf32>, %c: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{result #0 does not read its accumulator}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
    ins(%a : tensor<4xf32>) outs(%c : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// All that stands in the way, at once.
func.func @body(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.map ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>)
    (%p: f32, %o: f32) {
      %0 = arith.bitcast %p : f32 to i32
      // expected-error @below {{'arith.bitcast' brings back to a float}}
      %1 = arith.bitcast %0 : i32 to f32
      %2 = arith.fptosi %1 : f32 to i32
      // expected-error @below {{'arith.sitofp' brings back to a float}}
      %3 = arith.sitofp %2 : i32 to f32
      linalg.yield %3 : f32
    }
  return %y : tensor<4xf32>
}

// -----

func.func @running(%a: tensor<4xf32>, %c: tensor<f32>, %n: tensor<i32>)
    -> tensor<f32> {
  // expected-error @below {{reads the running value of an accumulator}}
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                          affine_map<(i) -> ()>,
                                          affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
    ins(%a : tensor<4xf32>) outs(%c, %n : tensor<f32>, tensor<i32>) {
  ^bb0(%p: f32, %o: f32, %m: i32):
    %one = arith.constant 1 : i32
    %0 = arith.addi %m, %one : i32
    %1 = arith.sitofp %m : i32 to f32
    %2 = arith.mulf %p, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3, %0 : f32, i32
  } -> (tensor<f32>, tensor<i32>)
  return %y#0 : tensor<f32>
}

// -----

func.func @captured_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'linalg.generic' captures a value that depends on a differentiated argument: pass it as an operand}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %e = tensor.extract %x[%i] : tensor<4xf32>
    %z = arith.subf %o, %e : f32
    linalg.yield %z : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
