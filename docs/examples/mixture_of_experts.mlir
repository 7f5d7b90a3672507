// Mixture of experts: one expert per rank. Every rank has eight tokens, two for
// each expert, already sorted by expert. One all_to_all dispatches them, one
// combines the answers, and the gate weighs each token. The adjoint of an
// all_to_all is the all_to_all with split and concat swapped: two in the
// backward as well.
//
//   comm-run mixture_of_experts.mlir --function=moe --check-grad

comm.mesh @mesh [ep = 4]

func.func @moe(%x: tensor<8x3xf32>, %gate: tensor<8x3xf32>, %expert: tensor<3x3xf32>) -> tensor<8x3xf32> {
  %mine = comm.all_to_all %x split 0 concat 0 over @mesh["ep"] : tensor<8x3xf32>
  %zero = arith.constant dense<0.0> : tensor<8x3xf32>
  %h = linalg.matmul ins(%mine, %expert : tensor<8x3xf32>, tensor<3x3xf32>) outs(%zero : tensor<8x3xf32>) -> tensor<8x3xf32>
  %a = math.tanh %h : tensor<8x3xf32>
  %back = comm.all_to_all %a split 0 concat 0 over @mesh["ep"] : tensor<8x3xf32>
  %y = arith.mulf %gate, %back : tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// The tokens of all ranks below each other, the experts behind each other.
func.func @moe_from_full(%x: tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>},
                         %gate: tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>},
                         %experts: tensor<4x3x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>})
    -> (tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>}) {
  %xs = comm.all_slice %x dim 0 over @mesh["ep"] : tensor<32x3xf32> -> tensor<8x3xf32>
  %gs = comm.all_slice %gate dim 0 over @mesh["ep"] : tensor<32x3xf32> -> tensor<8x3xf32>
  %es = comm.all_slice %experts dim 0 over @mesh["ep"] : tensor<4x3x3xf32> -> tensor<1x3x3xf32>
  %e = tensor.collapse_shape %es [[0, 1], [2]] : tensor<1x3x3xf32> into tensor<3x3xf32>
  %ys = call @moe(%xs, %gs, %e) : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<3x3xf32>) -> tensor<8x3xf32>
  %y = comm.all_gather %ys dim 0 over @mesh["ep"] : tensor<8x3xf32> -> tensor<32x3xf32>
  return %y : tensor<32x3xf32>
}

// Token t of a rank belongs to expert t / 2: as [rank, expert, token of the
// expert], experts are brought to the front for a batched matmul.
func.func @moe_serial(%x: tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>},
                      %gate: tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>},
                      %experts: tensor<4x3x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>})
    -> (tensor<32x3xf32> {comm.replicated = #comm.axes<@mesh["ep"]>}) {
  %xr = tensor.expand_shape %x [[0, 1, 2], [3]] output_shape [4, 4, 2, 3] : tensor<32x3xf32> into tensor<4x4x2x3xf32>
  %empty = tensor.empty() : tensor<4x4x2x3xf32>
  %xe = linalg.transpose ins(%xr : tensor<4x4x2x3xf32>) outs(%empty : tensor<4x4x2x3xf32>) permutation = [1, 0, 2, 3]
  %xb = tensor.collapse_shape %xe [[0], [1, 2], [3]] : tensor<4x4x2x3xf32> into tensor<4x8x3xf32>
  %zero = arith.constant dense<0.0> : tensor<4x8x3xf32>
  %h = linalg.batch_matmul ins(%xb, %experts : tensor<4x8x3xf32>, tensor<4x3x3xf32>) outs(%zero : tensor<4x8x3xf32>) -> tensor<4x8x3xf32>
  %a = math.tanh %h : tensor<4x8x3xf32>
  %ar = tensor.expand_shape %a [[0], [1, 2], [3]] output_shape [4, 4, 2, 3] : tensor<4x8x3xf32> into tensor<4x4x2x3xf32>
  %ae = linalg.transpose ins(%ar : tensor<4x4x2x3xf32>) outs(%empty : tensor<4x4x2x3xf32>) permutation = [1, 0, 2, 3]
  %back = tensor.collapse_shape %ae [[0, 1, 2], [3]] : tensor<4x4x2x3xf32> into tensor<32x3xf32>
  %y = arith.mulf %gate, %back : tensor<32x3xf32>
  return %y : tensor<32x3xf32>
}
