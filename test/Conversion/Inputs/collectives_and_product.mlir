// Only what NCCL and cuBLASLt compute: no kernel.
comm.mesh @mesh [tp = 4]

func.func @exchange(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>, tensor<4xf32>) {
  %sum = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %sum_v = comm.vary %sum over @mesh["tp"] : tensor<4xf32>
  %all = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %all_v = comm.vary %all over @mesh["tp"] : tensor<16xf32>
  %to = comm.all_to_all %x split 0 concat 0 over @mesh["tp"] : tensor<4xf32> -> tensor<4xf32>
  %again = comm.all_to_all %to split 0 concat 0 over @mesh["tp"] : tensor<4xf32> -> tensor<4xf32>
  %next = comm.permute %again [(0, 1), (1, 2), (3, 3)] over @mesh["tp"] : tensor<4xf32>
  %root = comm.reduce sum %x root 2 over @mesh["tp"] : tensor<4xf32>
  %gathered = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %part = comm.scatter %x dim 0 root 3 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  %chunk = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<1xf32>
  %from = comm.broadcast %x root 1 over @mesh["tp"] : tensor<4xf32>
  %from_v = comm.vary %from over @mesh["tp"] : tensor<4xf32>
  return %sum_v, %all_v, %next, %root, %from_v, %gathered, %part, %chunk, %to : tensor<4xf32>, tensor<16xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>, tensor<4xf32>
}

func.func @layer(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %p = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x2xf32>) outs(%zeros : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2x2xf32>
  %v = comm.vary %y over @mesh["tp"] : tensor<2x2xf32>
  return %v : tensor<2x2xf32>
}
