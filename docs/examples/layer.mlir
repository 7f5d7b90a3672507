// The layer of the README: one value x on four ranks, each rank its own weight.
comm.mesh @mesh [tp = 4]

func.func @layer(%x: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %w: tensor<4xf32>)
    -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %h = arith.mulf %x, %w : tensor<4xf32>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}
