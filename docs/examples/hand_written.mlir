// Backwards written by hand, right and wrong, for `comm-run --check-grad --vjp`.
//
//   comm-run hand_written.mlir --function=layer --check-grad --vjp=@layer_vjp_by_hand
//   comm-run hand_written.mlir --function=layer --check-grad --vjp=@layer_vjp_summed

comm.mesh @mesh [tp = 4]
#tp = #comm.axes<@mesh["tp"]>

// x is one value, every rank has its own w.
func.func @layer(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #tp}) {
  %h = arith.mulf %x, %w : tensor<4xf32>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Megatron's pair: nothing for the all_reduce (g), one for the gradient of x (f).
func.func @layer_vjp_by_hand(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>,
                             %dy: tensor<4xf32> {comm.replicated = #tp})
    -> (tensor<4xf32> {comm.replicated = #tp}, tensor<4xf32> {comm.replicated = #tp}, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = arith.mulf %dy, %w : tensor<4xf32>
  %dx = comm.all_reduce sum %p over @mesh["tp"] : tensor<4xf32>
  %dw = arith.mulf %dy, %x : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Wrong: takes the adjoint of an all_reduce to be an all_reduce although y is one
// value, and leaves every rank with its own part of the gradient of x.
func.func @layer_vjp_summed(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #tp}, tensor<4xf32>, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %dh = comm.all_reduce sum %dy over @mesh["tp"] : tensor<4xf32>
  %dx = arith.mulf %dh, %w : tensor<4xf32>
  %dw = arith.mulf %dh, %x : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
