// RUN: comm-opt %s --split-input-file --verify-diagnostics
// The constraints of comm.jvp.

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c1(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op 'nothing' is not a function}}
  %0:3 = comm.jvp @nothing(%x, %i, %w) tangents(%x, %w) : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c2_arguments(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op expects 3 arguments, got 2}}
  %0:3 = comm.jvp @f(%x, %i) tangents(%w) wrt [2] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c2_count(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op expects 5 operands, got 4}}
  %0:3 = comm.jvp @f(%x, %i, %w) tangents(%x) : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c2_type(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op expects operand 3 of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0:3 = comm.jvp @f(%x, %i, %w) tangents(%x) wrt [2] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c3_integer(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op wrt names argument 1 of type 'tensor<4xi32>', which has no derivative}}
  %0:3 = comm.jvp @f(%x, %i, %w) tangents(%i) wrt [1] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c3_order(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op wrt expects argument numbers in ascending order, each once, got 0 after 2}}
  %0:3 = comm.jvp @f(%x, %i, %w) tangents(%w, %x) wrt [2, 0] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c4_count(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op expects 3 results, got 4}}
  %0:4 = comm.jvp @f(%x, %i, %w) tangents(%w) wrt [2] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<4xi32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>) {
  return %i, %w : tensor<4xi32>, tensor<8xf32>
}
func.func @jvp_c4_type(%x: tensor<4xf32>, %i: tensor<4xi32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'comm.jvp' op expects result 2 of type 'tensor<8xf32>', got 'tensor<4xf32>'}}
  %0:3 = comm.jvp @f(%x, %i, %w) tangents(%w) wrt [2] : (tensor<4xf32>, tensor<4xi32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4xi32>, tensor<8xf32>, tensor<4xf32>)
  return
}
