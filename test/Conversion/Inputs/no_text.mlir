func.func @no_text(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %l, %h = arith.mulsi_extended %a, %b : tensor<4xi32>
  return %l, %h : tensor<4xi32>, tensor<4xi32>
}
