// A training step on a 2-D mesh: data parallel over dp, tensor parallel over
// tp. `comm.value_and_grad` yields the loss and the gradients; @main takes one
// step of gradient descent.
//
//   comm-run train_step_2d.mlir
//   comm-run train_step_2d.mlir --function=loss --check-grad

comm.mesh @mesh [dp = 2, tp = 2]

// The weights are shards over tp, the same on every dp rank; the batch differs
// over dp and is the same on every tp rank. The loss is the mean over the batch.
func.func @loss(%w1: tensor<3x4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                %w2: tensor<4x2xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                %x: tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                %t: tensor<2x2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<2x4xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<2x3xf32>, tensor<3x4xf32>) outs(%zh : tensor<2x4xf32>) -> tensor<2x4xf32>
  %a = math.tanh %h : tensor<2x4xf32>
  %zp = arith.constant dense<0.0> : tensor<2x2xf32>
  %p = linalg.matmul ins(%a, %w2 : tensor<2x4xf32>, tensor<4x2xf32>) outs(%zp : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2x2xf32>
  %d = arith.subf %y, %t : tensor<2x2xf32>
  %sq = arith.mulf %d, %d : tensor<2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%sq : tensor<2x2xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %count = arith.constant dense<2.0> : tensor<f32>
  %own = arith.divf %sum, %count : tensor<f32>
  %loss = comm.all_reduce avg %own over @mesh["dp"] : tensor<f32>
  return %loss : tensor<f32>
}

func.func @main(%w1: tensor<3x4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                %w2: tensor<4x2xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                %x: tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                %t: tensor<2x2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
        tensor<3x4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
        tensor<4x2xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %loss, %dw1, %dw2 = comm.value_and_grad @loss(%w1, %w2, %x, %t) wrt [0, 1]
      : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>)
      -> (tensor<f32>, tensor<3x4xf32>, tensor<4x2xf32>)
  %rate1 = arith.constant dense<0.1> : tensor<3x4xf32>
  %rate2 = arith.constant dense<0.1> : tensor<4x2xf32>
  %step1 = arith.mulf %rate1, %dw1 : tensor<3x4xf32>
  %step2 = arith.mulf %rate2, %dw2 : tensor<4x2xf32>
  %new1 = arith.subf %w1, %step1 : tensor<3x4xf32>
  %new2 = arith.subf %w2, %step2 : tensor<4x2xf32>
  return %loss, %new1, %new2 : tensor<f32>, tensor<3x4xf32>, tensor<4x2xf32>
}

func.func @loss_from_full(%w1: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                          %w2: tensor<8x2xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                          %x: tensor<4x3xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                          %t: tensor<4x2xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %w1s = comm.all_slice %w1 dim 1 over @mesh["tp"] : tensor<3x8xf32> -> tensor<3x4xf32>
  %w2s = comm.all_slice %w2 dim 0 over @mesh["tp"] : tensor<8x2xf32> -> tensor<4x2xf32>
  %xs = comm.all_slice %x dim 0 over @mesh["dp"] : tensor<4x3xf32> -> tensor<2x3xf32>
  %ts = comm.all_slice %t dim 0 over @mesh["dp"] : tensor<4x2xf32> -> tensor<2x2xf32>
  %loss = call @loss(%w1s, %w2s, %xs, %ts) : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @loss_serial(%w1: tensor<3x8xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                       %w2: tensor<8x2xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                       %x: tensor<4x3xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>},
                       %t: tensor<4x2xf32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp", "tp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<4x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4x3xf32>, tensor<3x8xf32>) outs(%zh : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = math.tanh %h : tensor<4x8xf32>
  %zp = arith.constant dense<0.0> : tensor<4x2xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<4x8xf32>, tensor<8x2xf32>) outs(%zp : tensor<4x2xf32>) -> tensor<4x2xf32>
  %d = arith.subf %y, %t : tensor<4x2xf32>
  %sq = arith.mulf %d, %d : tensor<4x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%sq : tensor<4x2xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %count = arith.constant dense<4.0> : tensor<f32>
  %loss = arith.divf %sum, %count : tensor<f32>
  return %loss : tensor<f32>
}
