comm.mesh @mesh [tp = 3]
#tp = #comm.axes<@mesh["tp"]>

func.func @layer(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #tp}) {
  %h = arith.mulf %x, %w : tensor<4xf32>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// The gradient of w is zero.
func.func private @wrong(%x: tensor<4xf32> {comm.replicated = #tp}, %w: tensor<4xf32>, %dy: tensor<4xf32> {comm.replicated = #tp})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %p = arith.mulf %dy, %w : tensor<4xf32>
  %dx = comm.all_reduce sum %p over @mesh["tp"] : tensor<4xf32>
  %dw = arith.constant dense<0.0> : tensor<4xf32>
  return %y, %dx, %dw : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func private @root(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}
