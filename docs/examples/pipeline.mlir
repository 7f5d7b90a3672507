// A pipeline of four stages, one per rank, joined by send and recv. The same
// lines stand on all ranks: where a rank takes no part, a recv yields zeros and
// tanh(0·w) stays zero. The adjoint of a message is a message the other way, so
// the backward runs the pipeline from the last stage to the first.
//
//   comm-run pipeline.mlir --function=stages --check-grad

comm.mesh @mesh [pp = 4]

// Stage s is tanh(h·w_s). Rank 0 feeds x; the result stands on rank 3, zeros on
// the others.
func.func @stages(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %h0 = call @stage(%x, %w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %m0 = comm.send %h0 from 0 to 1 over @mesh["pp"] : tensor<2x3xf32> -> !comm.message<tensor<2x3xf32>>
  %x1 = comm.recv %m0 : !comm.message<tensor<2x3xf32>> -> tensor<2x3xf32>
  %h1 = call @stage(%x1, %w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %m1 = comm.send %h1 from 1 to 2 over @mesh["pp"] : tensor<2x3xf32> -> !comm.message<tensor<2x3xf32>>
  %x2 = comm.recv %m1 : !comm.message<tensor<2x3xf32>> -> tensor<2x3xf32>
  %h2 = call @stage(%x2, %w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %m2 = comm.send %h2 from 2 to 3 over @mesh["pp"] : tensor<2x3xf32> -> !comm.message<tensor<2x3xf32>>
  %x3 = comm.recv %m2 : !comm.message<tensor<2x3xf32>> -> tensor<2x3xf32>
  %h3 = call @stage(%x3, %w) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %h3 : tensor<2x3xf32>
}

func.func private @stage(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %h = linalg.matmul ins(%x, %w : tensor<2x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %a = math.tanh %h : tensor<2x3xf32>
  return %a : tensor<2x3xf32>
}

// The stages' weights behind each other; x is rank 0's, the answer is given to
// all.
func.func @stages_from_full(%x: tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>},
                            %w: tensor<4x3x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>})
    -> (tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>}) {
  %first = comm.root_mask %x root 0 over @mesh["pp"] : tensor<2x3xf32>
  %ws = comm.all_slice %w dim 0 over @mesh["pp"] : tensor<4x3x3xf32> -> tensor<1x3x3xf32>
  %own = tensor.collapse_shape %ws [[0, 1], [2]] : tensor<1x3x3xf32> into tensor<3x3xf32>
  %last = call @stages(%first, %own) : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %y = comm.broadcast %last root 3 over @mesh["pp"] : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @stages_serial(%x: tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>},
                         %w: tensor<4x3x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>})
    -> (tensor<2x3xf32> {comm.replicated = #comm.axes<@mesh["pp"]>}) {
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %w0 = tensor.extract_slice %w[0, 0, 0] [1, 3, 3] [1, 1, 1] : tensor<4x3x3xf32> to tensor<3x3xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<2x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %h0 = math.tanh %p0 : tensor<2x3xf32>
  %w1 = tensor.extract_slice %w[1, 0, 0] [1, 3, 3] [1, 1, 1] : tensor<4x3x3xf32> to tensor<3x3xf32>
  %p1 = linalg.matmul ins(%h0, %w1 : tensor<2x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %h1 = math.tanh %p1 : tensor<2x3xf32>
  %w2 = tensor.extract_slice %w[2, 0, 0] [1, 3, 3] [1, 1, 1] : tensor<4x3x3xf32> to tensor<3x3xf32>
  %p2 = linalg.matmul ins(%h1, %w2 : tensor<2x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %h2 = math.tanh %p2 : tensor<2x3xf32>
  %w3 = tensor.extract_slice %w[3, 0, 0] [1, 3, 3] [1, 1, 1] : tensor<4x3x3xf32> to tensor<3x3xf32>
  %p3 = linalg.matmul ins(%h2, %w3 : tensor<2x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<2x3xf32>) -> tensor<2x3xf32>
  %h3 = math.tanh %p3 : tensor<2x3xf32>
  return %h3 : tensor<2x3xf32>
}
