// Three layers of a tensor-parallel network in one loop: the weights of all
// layers are stacked, each rank has its columns of w1 and its rows of w2.
comm.mesh @mesh [tp = 4]

#tp = #comm.axes<@mesh["tp"]>

func.func @layers(%x: tensor<2x4xf32> {comm.replicated = #tp}, %w1: tensor<3x4x2xf32>, %w2: tensor<3x2x4xf32>)
    -> (tensor<2x4xf32> {comm.replicated = #tp}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<2x4xf32> {
    %a = tensor.extract_slice %w1[%i, 0, 0] [1, 4, 2] [1, 1, 1] : tensor<3x4x2xf32> to tensor<4x2xf32>
    %b = tensor.extract_slice %w2[%i, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<2x4xf32>
    %h0 = tensor.splat %zero : tensor<2x2xf32>
    %h = linalg.matmul ins(%v, %a : tensor<2x4xf32>, tensor<4x2xf32>) outs(%h0 : tensor<2x2xf32>) -> tensor<2x2xf32>
    %t = math.tanh %h : tensor<2x2xf32>
    %p0 = tensor.splat %zero : tensor<2x4xf32>
    %p = linalg.matmul ins(%t, %b : tensor<2x2xf32>, tensor<2x4xf32>) outs(%p0 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %all = comm.all_reduce sum %p over @mesh["tp"] : tensor<2x4xf32>
    %next = arith.addf %v, %all : tensor<2x4xf32>
    scf.yield %next : tensor<2x4xf32>
  }
  return %y : tensor<2x4xf32>
}
