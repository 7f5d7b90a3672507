// A value that stands in two places is two values to whoever uses them: no write
// in place may show through the other.

// RUN: comm-run %s --function=twice --input=x=1,2,3 --expect=0=1,4,9 --expect=1=2,4,6
// RUN: comm-run %s --function=view --input=x=1,2,3,4 --expect=0=[[1,4],[9,16]] --expect=1=2,4,6,8
// RUN: comm-run %s --function=chosen --input=x=1,2 --input=c=true --expect=0=1,4 --expect=1=2,4
// RUN: comm-run %s --function=map_reads_init --input=x=1,2,3 --expect=0=1,4,9
// RUN: comm-run %s --function=same_argument --input=x=1,2,3 --expect=0=1,2,3 --expect=1=1,2,3

func.func private @both(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y = arith.addf %x, %x : tensor<3xf32>
  return %y, %y : tensor<3xf32>, tensor<3xf32>
}

func.func @twice(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y:2 = call @both(%x) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %half = arith.constant dense<0.25> : tensor<3xf32>
  %square = arith.mulf %y#0, %y#0 : tensor<3xf32>
  %z = arith.mulf %square, %half : tensor<3xf32>
  return %z, %y#1 : tensor<3xf32>, tensor<3xf32>
}

func.func private @both_shapes(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %y = arith.addf %x, %x : tensor<4xf32>
  %v = tensor.expand_shape %y [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %v, %y : tensor<2x2xf32>, tensor<4xf32>
}

func.func @view(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %y:2 = call @both_shapes(%x) : (tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>)
  %quarter = arith.constant dense<0.25> : tensor<2x2xf32>
  %square = arith.mulf %y#0, %y#0 : tensor<2x2xf32>
  %z = arith.mulf %square, %quarter : tensor<2x2xf32>
  return %z, %y#1 : tensor<2x2xf32>, tensor<4xf32>
}

func.func private @one_of(%x: tensor<2xf32>, %c: i1) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = arith.addf %x, %x : tensor<2xf32>
  %o = arith.mulf %x, %y : tensor<2xf32>
  %s = scf.if %c -> tensor<2xf32> {
    scf.yield %y : tensor<2xf32>
  } else {
    scf.yield %o : tensor<2xf32>
  }
  return %s, %y : tensor<2xf32>, tensor<2xf32>
}

func.func @chosen(%x: tensor<2xf32>, %c: i1) -> (tensor<2xf32>, tensor<2xf32>) {
  %y:2 = call @one_of(%x, %c) : (tensor<2xf32>, i1) -> (tensor<2xf32>, tensor<2xf32>)
  %quarter = arith.constant dense<0.25> : tensor<2xf32>
  %square = arith.mulf %y#0, %y#0 : tensor<2xf32>
  %z = arith.mulf %square, %quarter : tensor<2xf32>
  return %z, %y#1 : tensor<2xf32>, tensor<2xf32>
}

func.func @map_reads_init(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = linalg.map outs(%x : tensor<3xf32>) (%o: f32) {
    %s = arith.mulf %o, %o : f32
    linalg.yield %s : f32
  }
  return %y : tensor<3xf32>
}

func.func @same_argument(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  return %x, %x : tensor<3xf32>, tensor<3xf32>
}
