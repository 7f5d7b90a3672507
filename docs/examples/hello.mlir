// The "hello world" of differentiable communication: four ranks, x = ones(4),
// y = all_reduce(x), loss = sum(y). What is the gradient of x?
//
//   comm-run hello.mlir --function=loss_of_each_rank --grad --input=x=ones
//     [4, 4, 4, 4] on every rank
//   comm-run hello.mlir --function=one_loss --grad --input=x=ones
//     [1, 1, 1, 1] on every rank, without any communication
//
// Both are right; they are gradients of different objectives. An unmarked
// result is one loss per rank and the objective is the sum over ranks: every
// element of x is counted by four losses. A result marked replicated is ONE
// loss, counted once: all ranks hold the same number.

comm.mesh @mesh [tp = 4]

func.func @loss_of_each_rank(%x: tensor<4xf32>) -> tensor<f32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  // Every rank holds the same loss. To count it once per rank is meant here,
  // and `vary` says so; without it the compiler warns.
  %own = comm.vary %loss over @mesh["tp"] : tensor<f32>
  return %own : tensor<f32>
}

func.func @one_loss(%x: tensor<4xf32>)
    -> (tensor<f32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss : tensor<f32>
}
