// Fully sharded data parallel (ZeRO-3): every rank keeps a shard of each
// weight and all_gathers it where it is used. The backward holds ONE
// reduce_scatter per weight and no all_reduce.
//
//   comm-run fully_sharded.mlir --function=step --check-grad

comm.mesh @mesh [dp = 4]

func.func @step(%w1: tensor<2x8xf32>, %w2: tensor<2x3xf32>, %x: tensor<2x8xf32>)
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %w1f = comm.all_gather %w1 dim 0 over @mesh["dp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  %zh = arith.constant dense<0.0> : tensor<2x8xf32>
  %h = linalg.matmul ins(%x, %w1f : tensor<2x8xf32>, tensor<8x8xf32>) outs(%zh : tensor<2x8xf32>) -> tensor<2x8xf32>
  %a = math.tanh %h : tensor<2x8xf32>
  %w2f = comm.all_gather %w2 dim 0 over @mesh["dp"] : tensor<2x3xf32> -> tensor<8x3xf32>
  %zy = arith.constant dense<0.0> : tensor<2x3xf32>
  %y = linalg.matmul ins(%a, %w2f : tensor<2x8xf32>, tensor<8x3xf32>) outs(%zy : tensor<2x3xf32>) -> tensor<2x3xf32>
  %sq = arith.mulf %y, %y : tensor<2x3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %own = linalg.reduce { arith.addf } ins(%sq : tensor<2x3xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %loss = comm.all_reduce avg %own over @mesh["dp"] : tensor<f32>
  return %loss : tensor<f32>
}

func.func @step_from_full(%w1: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                          %w2: tensor<8x3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                          %x: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %w1s = comm.all_slice %w1 dim 0 over @mesh["dp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %w2s = comm.all_slice %w2 dim 0 over @mesh["dp"] : tensor<8x3xf32> -> tensor<2x3xf32>
  %xs = comm.all_slice %x dim 0 over @mesh["dp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %loss = call @step(%w1s, %w2s, %xs) : (tensor<2x8xf32>, tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// The mean over ranks of the ranks' sums is a quarter of the whole batch's sum.
func.func @step_serial(%w1: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                       %w2: tensor<8x3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                       %x: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<8x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zh : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = math.tanh %h : tensor<8x8xf32>
  %zy = arith.constant dense<0.0> : tensor<8x3xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x8xf32>, tensor<8x3xf32>) outs(%zy : tensor<8x3xf32>) -> tensor<8x3xf32>
  %sq = arith.mulf %y, %y : tensor<8x3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%sq : tensor<8x3xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %ranks = arith.constant dense<4.0> : tensor<f32>
  %loss = arith.divf %sum, %ranks : tensor<f32>
  return %loss : tensor<f32>
}
