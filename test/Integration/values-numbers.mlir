// Rows of the table of known values on integers, and on values that a collective
// does not find packed.

// RUN: comm-opt %s -comm-differentiate="functions=v47_transpose,v47_slice,v47_expand" | %list-collectives | FileCheck %s --check-prefix=BWD

comm.mesh @mesh [tp = 2]

// V38: integers wrap around.
// RUN: comm-run %s --function=v38 --input=x@0=120 --input=x@1=100 --expect=y=-36
func.func @v38(%x: tensor<1xi8>) -> tensor<1xi8> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xi8>
  return %y : tensor<1xi8>
}

// V39: a flag takes `or`.
// RUN: comm-run %s --function=v39 --input=x=true --expect=y=true
// RUN: comm-run %s --function=v39 --input=x@0=true --input=x@1=false --expect=y=true
func.func @v39(%x: tensor<1xi1>) -> tensor<1xi1> {
  %y = comm.all_reduce or %x over @mesh["tp"] : tensor<1xi1>
  return %y : tensor<1xi1>
}

// V40: a count beside the path of the floats is fine.
// RUN: comm-run %s --function=v40 --input=n@0=3 --input=n@1=4 --input=x@0=2 --input=x@1=5 --grad \
// RUN:   --expect=y@0=14 --expect=y@1=35 --expect=grad.x=7
func.func @v40(%x: tensor<1xf32>, %n: tensor<1xi32>) -> tensor<1xf32> {
  %s = comm.all_reduce sum %n over @mesh["tp"] : tensor<1xi32>
  %f = arith.sitofp %s : tensor<1xi32> to tensor<1xf32>
  %y = arith.mulf %x, %f : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V47: of a transpose.
// RUN: comm-run %s --function=v47_transpose --input=x@0=1,2,3,4,5,6 --input=x@1=10,20,30,40,50,60 --grad \
// RUN:   --seed=y=iota --expect=y=[[1,4],[2,5],[3,6],[10,40],[20,50],[30,60]] \
// RUN:   --expect=grad.x@0=0,4,8,2,6,10 --expect=grad.x@1=12,16,20,14,18,22
// BWD-LABEL: func.func private @v47_transpose_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v47_transpose(%x: tensor<2x3xf32>) -> tensor<6x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  %y = comm.all_gather %t dim 0 over @mesh["tp"] : tensor<3x2xf32> -> tensor<6x2xf32>
  return %y : tensor<6x2xf32>
}

// Of every second element.
// RUN: comm-run %s --function=v47_slice --input=x@0=1,2,3,4,5,6 --input=x@1=10,20,30,40,50,60 --grad \
// RUN:   --seed=y@0=1,2,3 --seed=y@1=10,20,30 --expect=y=22,44,66 --expect=grad.x=0,11,0,22,0,33
// BWD-LABEL: func.func private @v47_slice_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v47_slice(%x: tensor<6xf32>) -> tensor<3xf32> {
  %s = tensor.extract_slice %x[1] [3] [2] : tensor<6xf32> to tensor<3xf32>
  %y = comm.all_reduce sum %s over @mesh["tp"] : tensor<3xf32>
  return %y : tensor<3xf32>
}

// Of a column, along the inner dimension.
// RUN: comm-run %s --function=v47_column --input=x@0=1,2,3,4 --input=x@1=10,20,30,40 --grad \
// RUN:   --seed=y@0=1,2,3,4 --seed=y@1=10,20,30,40 --expect=y=[[2,20],[4,40]] \
// RUN:   --expect=grad.x@0=0,11,0,33 --expect=grad.x@1=0,22,0,44
func.func @v47_column(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %s = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : tensor<2x2xf32> to tensor<2x1xf32>
  %y = comm.all_gather %s dim 1 over @mesh["tp"] : tensor<2x1xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Of an expanded scalar.
// RUN: comm-run %s --function=v47_expand --input=x@0=5 --input=x@1=7 --grad \
// RUN:   --seed=y@0=1,2 --seed=y@1=10,20 --expect=y=5,7 --expect=grad.x@0=11 --expect=grad.x@1=22
// BWD-LABEL: func.func private @v47_expand_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v47_expand(%x: tensor<f32>) -> tensor<1x2xf32> {
  %e = tensor.expand_shape %x [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %y = comm.all_gather %e dim 1 over @mesh["tp"] : tensor<1x1xf32> -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

func.func private @end()
