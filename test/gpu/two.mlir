// For two processes on one GPU.
comm.mesh @mesh [tp = 2]

func.func @two(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<6xf32>
  return %y : tensor<6xf32>
}
