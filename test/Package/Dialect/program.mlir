comm.mesh @mesh [tp = 3]
func.func @f(%w: tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %x: tensor<2xf32>)
    -> (tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %c = toy.cube %w : tensor<2xf32>
  %p = arith.mulf %c, %x : tensor<2xf32>
  %y = toy.ranked_mean %p over <@mesh["tp"]> : tensor<2xf32>
  return %y : tensor<2xf32>
}
