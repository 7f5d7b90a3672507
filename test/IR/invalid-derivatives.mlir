// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of comm.vjp and comm.value_and_grad.

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c1(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op 'nothing' is not a function}}
  %0 = comm.vjp @nothing(%x) cotangents(%x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{it is declared here}}
func.func private @g(tensor<4xf32>)
func.func @vjp_c1_declaration(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op 'g' has no body to differentiate}}
  %0 = comm.vjp @g(%x) cotangents() : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

comm.mesh @mesh [dp = 2, tp = 4]
func.func @vjp_c1_mesh(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op 'mesh' is not a function}}
  %0 = comm.vjp @mesh(%x) cotangents() : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c2_arguments(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects 3 arguments, got 2}}
  %0:4 = comm.vjp @f(%x, %i) cotangents(%x) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c2_cotangents(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects 4 operands, got 3}}
  %0:4 = comm.vjp @f(%x, %i, %x) cotangents() : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c2_type(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects operand 3 of type 'tensor<4xf32>', got 'tensor<4xi32>'}}
  %0:4 = comm.vjp @f(%x, %i, %x) cotangents(%i) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c3_integer(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op wrt names argument 1 of type 'tensor<4xi32>', which has no derivative}}
  %0:3 = comm.vjp @f(%x, %i, %x) cotangents(%x) wrt [1] : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c3_range(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op wrt names argument 3, but 'f' has 3}}
  %0:3 = comm.vjp @f(%x, %i, %x) cotangents(%x) wrt [3] : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c3_negative(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op wrt names argument -1, but 'f' has 3}}
  %0:3 = comm.vjp @f(%x, %i, %x) cotangents(%x) wrt [-1] : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c3_order(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op wrt expects argument numbers in ascending order, each once, got 0 after 2}}
  %0:4 = comm.vjp @f(%x, %i, %x) cotangents(%x) wrt [2, 0] : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c3_twice(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op wrt expects argument numbers in ascending order, each once, got 0 after 0}}
  %0:4 = comm.vjp @f(%x, %i, %x) cotangents(%x) wrt [0, 0] : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c4_count(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects 4 results, got 3}}
  %0:3 = comm.vjp @f(%x, %i, %x) cotangents(%x) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_c4_type(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects result 3 of type 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %0:4 = comm.vjp @f(%x, %i, %x) cotangents(%x) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_negative_count(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects 3 arguments, got -1}}
  %0:4 = "comm.vjp"(%x, %i, %x, %x) <{callee = @f, num_arguments = -1 : i64}> : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_huge_count(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.vjp' op expects 3 arguments, got 9223372036854775807}}
  %0:4 = "comm.vjp"(%x, %i, %x, %x) <{callee = @f, num_arguments = 9223372036854775807 : i64}> : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @vjp_nested_callee(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{invalid properties {callee = @f::@f, num_arguments = 3 : i64} for op comm.vjp: Invalid attribute `callee` in property conversion: @f::@f}}
  %0:4 = "comm.vjp"(%x, %i, %x, %x) <{callee = @f::@f, num_arguments = 3 : i64}> : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @value_and_grad_c1(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op 'nothing' is not a function}}
  %0:2 = comm.value_and_grad @nothing(%x) : (tensor<4xf32>) -> (f32, tensor<4xf32>)
  return
}

// -----

// expected-note @+1 {{it is declared here}}
func.func private @g(tensor<4xf32>) -> f32
func.func @value_and_grad_c1_declaration(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op 'g' has no body to differentiate}}
  %0:2 = comm.value_and_grad @g(%x) : (tensor<4xf32>) -> (f32, tensor<4xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0 = arith.mulf %x, %w : tensor<4xf32>
  return %0, %i : tensor<4xf32>, tensor<4xi32>
}
func.func @value_and_grad_c2(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects result 0 of 'f' to be the loss, a float scalar, got 'tensor<4xf32>'}}
  %0:4 = comm.value_and_grad @f(%x, %i, %x) : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @g(%x: tensor<4xf32>) {
  return
}
func.func @value_and_grad_c2_no_result(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects result 0 of 'g' to be the loss, a float scalar, got no result}}
  %0 = comm.value_and_grad @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @g(%x: tensor<4xf32>) -> tensor<i32> {
  %0 = arith.constant dense<1> : tensor<i32>
  return %0 : tensor<i32>
}
func.func @value_and_grad_c2_integer(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects result 0 of 'g' to be the loss, a float scalar, got 'tensor<i32>'}}
  %0:2 = comm.value_and_grad @g(%x) : (tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c3(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects 3 operands, got 2}}
  %0:4 = comm.value_and_grad @loss(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (f32, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c3_type(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects operand 1 of type 'tensor<4xf32>', got 'tensor<4xi32>'}}
  %0:4 = comm.value_and_grad @loss(%x, %i, %i) : (tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) -> (f32, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c4_integer(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op wrt names argument 2 of type 'tensor<4xi32>', which has no derivative}}
  %0:3 = comm.value_and_grad @loss(%x, %x, %i) wrt [2] : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (f32, tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c4_range(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op wrt names argument 7, but 'loss' has 3}}
  %0:3 = comm.value_and_grad @loss(%x, %x, %i) wrt [7] : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (f32, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c4_order(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op wrt expects argument numbers in ascending order, each once, got 0 after 1}}
  %0:4 = comm.value_and_grad @loss(%x, %x, %i) wrt [1, 0] : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (f32, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c5(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects 4 results, got 2}}
  %0:2 = comm.value_and_grad @loss(%x, %x, %i) : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (f32, tensor<4xf32>)
  return
}

// -----

func.func @loss(%x: tensor<4xf32>, %w: tensor<4xf32>, %i: tensor<4xi32>) -> (f32, tensor<4xf32>) {
  %0 = arith.constant 1.0 : f32
  return %0, %x : f32, tensor<4xf32>
}
func.func @value_and_grad_c5_type(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'comm.value_and_grad' op expects result 2 of type 'tensor<4xf32>', got 'f32'}}
  %0:3 = comm.value_and_grad @loss(%x, %x, %i) wrt [0] : (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (f32, tensor<4xf32>, f32)
  return
}

// -----

func.func @stop_gradient_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{'comm.stop_gradient' op operand #0 must be float or ranked tensor of floats, but got 'tensor<4xi32>'}}
  %0 = comm.stop_gradient %x : tensor<4xi32>
  return
}

// -----

// stop_gradient_c1
func.func @stop_gradient_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'comm.stop_gradient' op requires the same type for all operands and results}}
  %0 = "comm.stop_gradient"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}
