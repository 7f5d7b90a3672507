// A reshape to sizes that are known at run time alone, of an argument and of
// what a kernel computes.

// RUN: comm-run %s --function=argument --input=x=2x3xf32=iota --input=shape=3,2 --expect=0=[[0,2],[4,6],[8,10]]
// RUN: comm-run %s --function=computed --input=x=2x3xf32=iota --expect=0=0,4,8,12,16,20
// RUN: comm-run %s --function=outer --input=x=2x6xf32=iota --input=shape=2,3 --expect=0=[[[0,2],[4,6],[8,10]],[[12,14],[16,18],[20,22]]]

func.func @argument(%x: tensor<?x?xf32>, %shape: tensor<2xi32>) -> tensor<?x?xf32> {
  %z = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %w = arith.addf %z, %z : tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}

func.func @computed(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %n = arith.muli %d0, %d1 : index
  %s = arith.index_cast %n : index to i64
  %shape = tensor.from_elements %s : tensor<1xi64>
  %y = arith.addf %x, %x : tensor<?x?xf32>
  %z = tensor.reshape %y(%shape) : (tensor<?x?xf32>, tensor<1xi64>) -> tensor<?xf32>
  %w = arith.addf %z, %z : tensor<?xf32>
  return %w : tensor<?xf32>
}

func.func @outer(%x: tensor<2x6xf32>, %shape: tensor<2xi32>) -> tensor<?x?x2xf32> {
  %two = arith.constant dense<2> : tensor<1xi32>
  %all = tensor.concat dim(0) %shape, %two : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  %y = arith.addf %x, %x : tensor<2x6xf32>
  %z = tensor.reshape %y(%all) : (tensor<2x6xf32>, tensor<3xi32>) -> tensor<?x?x2xf32>
  return %z : tensor<?x?x2xf32>
}
