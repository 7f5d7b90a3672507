// A gradient of a gradient along one direction, through a collective: forward
// mode over reverse mode, without ever writing the Hessian down.
//
//   comm-run hessian_vector_product.mlir --function=hvp
//   comm-opt hessian_vector_product.mlir -comm-differentiate

comm.mesh @mesh [tp = 3]

// The share of each rank in a loss of all ranks' numbers: (x·s)², s = sum_j x_j.
func.func private @share(%x: tensor<1xf64>) -> tensor<1xf64> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf64>
  %product = arith.mulf %x, %s : tensor<1xf64>
  %share = arith.mulf %product, %product : tensor<1xf64>
  return %share : tensor<1xf64>
}

func.func @gradient(%x: tensor<1xf64>) -> tensor<1xf64> {
  %one = arith.constant dense<1.0> : tensor<1xf64>
  %share, %dx = comm.vjp @share(%x) cotangents(%one)
      : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %dx : tensor<1xf64>
}

// The gradient, and the Hessian times a direction.
func.func @hvp(%x: tensor<1xf64>, %direction: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %gradient, %product = comm.jvp @gradient(%x) tangents(%direction)
      : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %gradient, %product : tensor<1xf64>, tensor<1xf64>
}
