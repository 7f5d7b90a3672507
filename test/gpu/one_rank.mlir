// Every collective, in a group of one rank: what one GPU can do of NCCL. The
// calls are kept by --keep-groups-of-one.
comm.mesh @mesh [tp = 1]

func.func @reductions(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<6xf32>
  %1 = comm.all_reduce avg %x over @mesh["tp"] : tensor<6xf32>
  %2 = comm.all_reduce max %x over @mesh["tp"] : tensor<6xf32>
  %3 = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<6xf32> -> tensor<6xf32>
  %4 = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<6xf32>
  return %0, %1, %2, %3, %4 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

func.func @movements(%x: tensor<6xf16>) -> (tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>) {
  %0 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<6xf16> -> tensor<6xf16>
  %1 = comm.all_to_all %x split 0 concat 0 over @mesh["tp"] : tensor<6xf16> -> tensor<6xf16>
  %2 = comm.broadcast %x root 0 over @mesh["tp"] : tensor<6xf16>
  %3 = comm.gather %x dim 0 root 0 over @mesh["tp"] : tensor<6xf16> -> tensor<6xf16>
  %4 = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<6xf16> -> tensor<6xf16>
  %5 = comm.permute %x [(0, 0)] over @mesh["tp"] : tensor<6xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>
}

func.func @layer(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<64x64xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%empty : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%zeros : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %h = math.tanh %p : tensor<64x64xbf16>
  %y = comm.all_reduce sum %h over @mesh["tp"] : tensor<64x64xbf16>
  return %y : tensor<64x64xbf16>
}
