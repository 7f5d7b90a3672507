// Data parallel: one weight, each rank its own rows of the batch, the loss
// averaged over ranks. The weight is replicated and its uses are each rank's
// own: the backward holds ONE all_reduce, of the weight's gradient.
//
//   comm-run data_parallel.mlir --function=step --check-grad

comm.mesh @mesh [dp = 4]

// mean over the batch of (x·w - t)^2, as a mean of the ranks' means
func.func @step(%w: tensor<3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                %x: tensor<2x3xf32>, %t: tensor<2xf32>)
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %zy = arith.constant dense<0.0> : tensor<2xf32>
  %y = linalg.matvec ins(%x, %w : tensor<2x3xf32>, tensor<3xf32>) outs(%zy : tensor<2xf32>) -> tensor<2xf32>
  %d = arith.subf %y, %t : tensor<2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.dot ins(%d, %d : tensor<2xf32>, tensor<2xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %rows = arith.constant dense<2.0> : tensor<f32>
  %own = arith.divf %sum, %rows : tensor<f32>
  %loss = comm.all_reduce avg %own over @mesh["dp"] : tensor<f32>
  return %loss : tensor<f32>
}

func.func @step_from_full(%w: tensor<3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                          %x: tensor<8x3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                          %t: tensor<8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %xs = comm.all_slice %x dim 0 over @mesh["dp"] : tensor<8x3xf32> -> tensor<2x3xf32>
  %ts = comm.all_slice %t dim 0 over @mesh["dp"] : tensor<8xf32> -> tensor<2xf32>
  %loss = call @step(%w, %xs, %ts) : (tensor<3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func @step_serial(%w: tensor<3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                       %x: tensor<8x3xf32> {comm.replicated = #comm.axes<@mesh["dp"]>},
                       %t: tensor<8xf32> {comm.replicated = #comm.axes<@mesh["dp"]>})
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["dp"]>}) {
  %zy = arith.constant dense<0.0> : tensor<8xf32>
  %y = linalg.matvec ins(%x, %w : tensor<8x3xf32>, tensor<3xf32>) outs(%zy : tensor<8xf32>) -> tensor<8xf32>
  %d = arith.subf %y, %t : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.dot ins(%d, %d : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %rows = arith.constant dense<8.0> : tensor<f32>
  %loss = arith.divf %sum, %rows : tensor<f32>
  return %loss : tensor<f32>
}
