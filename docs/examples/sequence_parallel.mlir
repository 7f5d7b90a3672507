// Sequence parallel: between the matmuls every rank holds its own rows. Rows
// are all_gathered before the column-parallel matmul and the partial sums are
// reduce_scattered after the row-parallel one. The backward is the same pair:
// one all_gather, one reduce_scatter, no all_reduce.
//
//   comm-run sequence_parallel.mlir --function=block --check-grad

comm.mesh @mesh [tp = 4]

func.func @block(%x: tensor<2x8xf32>, %w1: tensor<8x3xf32>, %w2: tensor<3x8xf32>) -> tensor<2x8xf32> {
  %rows = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  %zh = arith.constant dense<0.0> : tensor<8x3xf32>
  %h = linalg.matmul ins(%rows, %w1 : tensor<8x8xf32>, tensor<8x3xf32>) outs(%zh : tensor<8x3xf32>) -> tensor<8x3xf32>
  %a = math.tanh %h : tensor<8x3xf32>
  %zp = arith.constant dense<0.0> : tensor<8x8xf32>
  %p = linalg.matmul ins(%a, %w2 : tensor<8x3xf32>, tensor<3x8xf32>) outs(%zp : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = comm.reduce_scatter sum %p dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

func.func @block_from_full(%x: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                           %w1: tensor<8x12xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                           %w2: tensor<12x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %xs = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x8xf32>
  %w1s = comm.all_slice %w1 dim 1 over @mesh["tp"] : tensor<8x12xf32> -> tensor<8x3xf32>
  %w2s = comm.all_slice %w2 dim 0 over @mesh["tp"] : tensor<12x8xf32> -> tensor<3x8xf32>
  %ys = call @block(%xs, %w1s, %w2s) : (tensor<2x8xf32>, tensor<8x3xf32>, tensor<3x8xf32>) -> tensor<2x8xf32>
  %y = comm.all_gather %ys dim 0 over @mesh["tp"] : tensor<2x8xf32> -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

func.func @block_serial(%x: tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                        %w1: tensor<8x12xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                        %w2: tensor<12x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<8x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<8x12xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x8xf32>, tensor<8x12xf32>) outs(%zh : tensor<8x12xf32>) -> tensor<8x12xf32>
  %a = math.tanh %h : tensor<8x12xf32>
  %zp = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x12xf32>, tensor<12x8xf32>) outs(%zp : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
