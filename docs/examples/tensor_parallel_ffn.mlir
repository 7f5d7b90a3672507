// A tensor-parallel feed-forward layer: the first weight is split by columns,
// the second by rows, one all_reduce at the end. Megatron writes the operators
// f and g of this layer by hand; here they are derived: the backward holds ONE
// all_reduce, of the gradient of x.
//
//   comm-opt tensor_parallel_ffn.mlir -comm-differentiate="functions=ffn"
//   comm-run tensor_parallel_ffn.mlir --function=ffn --check-grad

comm.mesh @mesh [tp = 4]

// x is one value; every rank has a column of w1 and the matching rows of w2.
func.func @ffn(%x: tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
               %w1: tensor<8x4xf32>, %w2: tensor<4x8xf32>)
    -> (tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<2x4xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<2x8xf32>, tensor<8x4xf32>) outs(%zh : tensor<2x4xf32>) -> tensor<2x4xf32>
  %a = math.tanh %h : tensor<2x4xf32>
  %zp = arith.constant dense<0.0> : tensor<2x8xf32>
  %p = linalg.matmul ins(%a, %w2 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%zp : tensor<2x8xf32>) -> tensor<2x8xf32>
  %y = comm.all_reduce sum %p over @mesh["tp"] : tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// The same layer from full weights, for the comparison with the serial program:
// the adjoint of all_slice is the all_gather that puts a gradient together.
func.func @ffn_from_full(%x: tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                         %w1: tensor<8x16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                         %w2: tensor<16x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %w1s = comm.all_slice %w1 dim 1 over @mesh["tp"] : tensor<8x16xf32> -> tensor<8x4xf32>
  %w2s = comm.all_slice %w2 dim 0 over @mesh["tp"] : tensor<16x8xf32> -> tensor<4x8xf32>
  %y = call @ffn(%x, %w1s, %w2s) : (tensor<2x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// The serial twin: no collective.
func.func @ffn_serial(%x: tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                      %w1: tensor<8x16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
                      %w2: tensor<16x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<2x8xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %zh = arith.constant dense<0.0> : tensor<2x16xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<2x8xf32>, tensor<8x16xf32>) outs(%zh : tensor<2x16xf32>) -> tensor<2x16xf32>
  %a = math.tanh %h : tensor<2x16xf32>
  %zp = arith.constant dense<0.0> : tensor<2x8xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<2x16xf32>, tensor<16x8xf32>) outs(%zp : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
