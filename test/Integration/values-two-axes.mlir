// Rows of the table of known values on a mesh with two axes.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s --check-prefix=BWD

comm.mesh @mesh [dp = 2, tp = 2]

#dp = #comm.axes<@mesh["dp"]>
#both = #comm.axes<@mesh["dp", "tp"]>

// V24: the average over a sub-group.
// RUN: comm-run %s --function=v24 --input=x@0=2 --input=x@1=4 --input=x@2=6 --input=x@3=8 --grad \
// RUN:   --expect=y@0=3 --expect=y@1=3 --expect=y@2=7 --expect=y@3=7 --expect=grad.x=1
// BWD-LABEL: func.func private @v24_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v24(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V31: the adjoint of the chain is one all_reduce.
// RUN: comm-run %s --function=v31 --input=x@0=1 --input=x@1=10 --input=x@2=100 --input=x@3=1000 \
// RUN:   --grad --seed=y@0=1 --seed=y@1=2 --seed=y@2=3 --seed=y@3=4 --expect=y=1111 \
// RUN:   --expect=grad.x=10
// BWD-LABEL: func.func private @v31_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v31(%x: tensor<1xf32>) -> tensor<1xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  %y = comm.all_reduce sum %s over @mesh["dp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// RUN: comm-run %s --function=v31_at_once --input=x@0=1 --input=x@1=10 --input=x@2=100 \
// RUN:   --input=x@3=1000 --grad --seed=y@0=1 --seed=y@1=2 --seed=y@2=3 --seed=y@3=4 \
// RUN:   --expect=y=1111 --expect=grad.x=10
// BWD-LABEL: func.func private @v31_at_once_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v31_at_once(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce sum %x over @mesh["dp", "tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V52: a weight that is replicated over dp and sharded over tp. The whole weight is
// never all_reduced, only the shard.
// RUN: comm-run %s --function=v52 --input=w@0=1,2 --input=w@1=3,4 --input=d@0=1,0,0,0 \
// RUN:   --input=d@1=0,1,0,0 --input=d@2=0,0,1,0 --input=d@3=0,0,0,2 --grad --expect=loss=9.75 \
// RUN:   --expect=grad.w@0=0.25,0.5 --expect=grad.w@1=0.75,4 --expect=grad.w@2=0.25,0.5 \
// RUN:   --expect=grad.w@3=0.75,4
// BWD-LABEL: func.func private @v52_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v52(%w: tensor<2xf32> {comm.replicated = #dp}, %d: tensor<4xf32>)
    -> (tensor<f32> {comm.replicated = #both}) {
  %full = comm.all_gather %w dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = linalg.dot ins(%full, %d : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %sq = arith.mulf %p, %p : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %l = arith.mulf %half, %sq : tensor<f32>
  %loss = comm.all_reduce avg %l over @mesh["dp", "tp"] : tensor<f32>
  return %loss : tensor<f32>
}

// V53: axes in an order that is not the mesh's.
// RUN: comm-run %s --function=v53 --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=x@3=4 --grad \
// RUN:   --seed=y@0=1,2,3,4 --seed=y@1=10,20,30,40 --seed=y@2=100,200,300,400 \
// RUN:   --seed=y@3=1000,2000,3000,4000 --expect=y=1,3,2,4 --expect=grad.x@0=1111 \
// RUN:   --expect=grad.x@1=3333 --expect=grad.x@2=2222 --expect=grad.x@3=4444
// BWD-LABEL: func.func private @v53_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v53(%x: tensor<1xf32>) -> tensor<4xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp", "dp"] : tensor<1xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @end()
