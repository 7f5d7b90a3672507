// Rows of the table of known values on two ranks.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s --check-prefix=BWD
// RUN: comm-opt %s -comm-simplify-collectives | %list-collectives | FileCheck %s --check-prefix=FWD

comm.mesh @mesh [tp = 2]

#tp = #comm.axes<@mesh["tp"]>

// V02
// RUN: comm-run %s --function=v02 --input=x@0=2 --input=x@1=3 --grad --seed=y@0=1 --seed=y@1=10 \
// RUN:   --expect=y=5 --expect=grad.x=11
// BWD-LABEL: func.func private @v02_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v02(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V07
// RUN: comm-run %s --function=v07 --input=x@0=2 --input=x@1=3 --grad --seed=y@0=1,10 \
// RUN:   --seed=y@1=100,1000 --expect=y=2,3 --expect=grad.x@0=101 --expect=grad.x@1=1010
// BWD-LABEL: func.func private @v07_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v07(%x: tensor<1xf32>) -> tensor<2xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// V08
// RUN: comm-run %s --function=v08 --input=x@0=1,2 --input=x@1=3,4 --grad --seed=y@0=1 \
// RUN:   --seed=y@1=10 --expect=y@0=4 --expect=y@1=6 --expect=grad.x=1,10
// BWD-LABEL: func.func private @v08_bwd
// BWD-NEXT: comm.all_gather
// BWD-NEXT: func.func
func.func @v08(%x: tensor<2xf32>) -> tensor<1xf32> {
  %y = comm.reduce_scatter sum %x dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// V12: junk seeds on rank 0.
// RUN: comm-run %s --function=v12 --grad --seed=y@0=77,88 --seed=y@1=3,5 --expect=grad.x@0=3 \
// RUN:   --expect=grad.x@1=5
// BWD-LABEL: func.func private @v12_bwd
// BWD-NEXT: comm.scatter
// BWD-NEXT: func.func
func.func @v12(%x: tensor<1xf32>) -> tensor<2xf32> {
  %y = comm.gather %x dim 0 root 1 over @mesh["tp"] : tensor<1xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// V13
// RUN: comm-run %s --function=v13 --input=x@0=2,3 --grad --seed=y@0=3 --seed=y@1=5 --expect=y@0=2 \
// RUN:   --expect=y@1=3 --expect=grad.x@0=3,5 --expect=grad.x@1=0
// BWD-LABEL: func.func private @v13_bwd
// BWD-NEXT: comm.gather
// BWD-NEXT: func.func
func.func @v13(%x: tensor<2xf32>) -> tensor<1xf32> {
  %y = comm.scatter %x dim 0 root 0 over @mesh["tp"] : tensor<2xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// V14
// RUN: comm-run %s --function=v14 --grad --seed=y@0=1,2 --seed=y@1=3,4 --expect=grad.x@0=1,3 \
// RUN:   --expect=grad.x@1=2,4
// BWD-LABEL: func.func private @v14_bwd
// BWD-NEXT: comm.all_to_all
// BWD-NEXT: func.func
func.func @v14(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = comm.all_to_all %x split 0 concat 0 over @mesh["tp"] : tensor<2xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// V18
// RUN: comm-run %s --function=v18 --input=x@0=5 --grad --seed=y@1=3 --expect=y@0=0 \
// RUN:   --expect=y@1=10 --expect=grad.x@0=6 --expect=grad.x@1=0
// BWD-LABEL: func.func private @v18_bwd
// BWD-NEXT: comm.send
// BWD-NEXT: comm.recv
// BWD-NEXT: func.func
func.func @v18(%x: tensor<1xf32>) -> tensor<1xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r = comm.recv %m : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %two = arith.constant dense<2.0> : tensor<1xf32>
  %y = arith.mulf %two, %r : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V21: a tensor-parallel layer. The one all_reduce is the gradient of x.
// RUN: comm-run %s --function=v21 --input=x=3 --input=w1@0=2 --input=w1@1=5 --input=w2@0=7 \
// RUN:   --input=w2@1=-1 --grad --seed=loss=1 --seed=y=0 --expect=y=27 --expect=loss=364.5 \
// RUN:   --expect=grad.w1@0=567 --expect=grad.w1@1=-81 --expect=grad.w2@0=162 \
// RUN:   --expect=grad.w2@1=405 --expect=grad.x=243
// BWD-LABEL: func.func private @v21_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v21(%x: f32 {comm.replicated = #tp}, %w1: f32, %w2: f32)
    -> (f32 {comm.replicated = #tp}, tensor<f32> {comm.replicated = #tp}) {
  %h = arith.mulf %w1, %x : f32
  %p = arith.mulf %w2, %h : f32
  %pt = tensor.from_elements %p : tensor<f32>
  %y = comm.all_reduce sum %pt over @mesh["tp"] : tensor<f32>
  %ys = tensor.extract %y[] : tensor<f32>
  %sq = arith.mulf %ys, %ys : f32
  %half = arith.constant 0.5 : f32
  %loss = arith.mulf %half, %sq : f32
  return %loss, %y : f32, tensor<f32>
}

// V23: data parallel; the mean of the losses.
// RUN: comm-run %s --function=v23 --input=w=2 --input=d@0=1 --input=d@1=3 --grad --expect=loss=10 \
// RUN:   --expect=grad.w=10
// BWD-LABEL: func.func private @v23_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v23(%w: f32 {comm.replicated = #tp}, %d: f32) -> (tensor<f32> {comm.replicated = #tp}) {
  %p = arith.mulf %w, %d : f32
  %sq = arith.mulf %p, %p : f32
  %half = arith.constant 0.5 : f32
  %l = arith.mulf %half, %sq : f32
  %lt = tensor.from_elements %l : tensor<f32>
  %loss = comm.all_reduce avg %lt over @mesh["tp"] : tensor<f32>
  return %loss : tensor<f32>
}

// Unmarked and not averaged: the sum of the losses.
// RUN: comm-run %s --function=v23_sum --input=w=2 --input=d@0=1 --input=d@1=3 --grad \
// RUN:   --expect=grad.w=20
// BWD-LABEL: func.func private @v23_sum_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v23_sum(%w: f32 {comm.replicated = #tp}, %d: f32) -> f32 {
  %p = arith.mulf %w, %d : f32
  %sq = arith.mulf %p, %p : f32
  %half = arith.constant 0.5 : f32
  %l = arith.mulf %half, %sq : f32
  return %l : f32
}

// V25
// RUN: comm-run %s --function=v25 --input=x@0=2 --input=x@1=4 --grad --seed=y@0=1 --seed=y@1=10 \
// RUN:   --expect=y=3 --expect=grad.x=5.5
// BWD-LABEL: func.func private @v25_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v25(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// RUN: comm-run %s --function=v25_marked --grad --expect=grad.x=0.5
// BWD-LABEL: func.func private @v25_marked_bwd
// BWD-NEXT: func.func
func.func @v25_marked(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V27
// RUN: comm-run %s --function=v27 --input=w=2 --input=d@0=3 --input=d@1=4 --grad \
// RUN:   --expect=grad.w=7 --expect=grad.d=2
// BWD-LABEL: func.func private @v27_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v27(%w: tensor<1xf32> {comm.replicated = #tp}, %d: tensor<1xf32>) -> tensor<1xf32> {
  %y = arith.mulf %w, %d : tensor<1xf32>
  return %y : tensor<1xf32>
}

// RUN: comm-run %s --function=v27_varying --input=w=2 --input=d@0=3 --input=d@1=4 --grad \
// RUN:   --expect=grad.w@0=3 --expect=grad.w@1=4
// BWD-LABEL: func.func private @v27_varying_bwd
// BWD-NEXT: func.func
func.func @v27_varying(%w: tensor<1xf32>, %d: tensor<1xf32>) -> tensor<1xf32> {
  %y = arith.mulf %w, %d : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V29
// RUN: comm-run %s --function=v29 --input=x=8,9 --grad --seed=y@0=3 --seed=y@1=5 --expect=y@0=8 \
// RUN:   --expect=y@1=9 --expect=grad.x=3,5
// BWD-LABEL: func.func private @v29_bwd
// BWD-NEXT: comm.all_gather
// BWD-NEXT: func.func
func.func @v29(%x: tensor<2xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}

// V30: the gradients of both branches are summed before the one all_reduce.
// RUN: comm-run %s --function=v30 --input=a@0=1 --input=a@1=2 --input=b@0=10 --input=b@1=20 \
// RUN:   --grad --seed=z@0=3 --seed=z@1=5 --expect=grad.w=133
// BWD-LABEL: func.func private @v30_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v30(%w: tensor<1xf32> {comm.replicated = #tp}, %a: tensor<1xf32>, %b: tensor<1xf32>)
    -> (tensor<1xf32>, tensor<1xf32>) {
  %y = arith.mulf %w, %a : tensor<1xf32>
  %z = arith.mulf %w, %b : tensor<1xf32>
  return %y, %z : tensor<1xf32>, tensor<1xf32>
}

// V33: fully sharded. One reduce_scatter a weight, no all_reduce.
// RUN: comm-run %s --function=v33 --input=w@0=1,2 --input=w@1=3,4 --input=d@0=1,0,2,0 \
// RUN:   --input=d@1=0,1,0,3 --grad --expect=loss=61.25 --expect=grad.w@0=3.5,7 \
// RUN:   --expect=grad.w@1=7,21
// BWD-LABEL: func.func private @v33_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v33(%w: tensor<2xf32>, %d: tensor<4xf32>) -> (tensor<f32> {comm.replicated = #tp}) {
  %full = comm.all_gather %w dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %p = linalg.dot ins(%full, %d : tensor<4xf32>, tensor<4xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %sq = arith.mulf %p, %p : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %l = arith.mulf %half, %sq : tensor<f32>
  %loss = comm.all_reduce avg %l over @mesh["tp"] : tensor<f32>
  return %loss : tensor<f32>
}

// V41
// RUN: comm-run %s --function=v41 --input=x@0=1 --input=x@1=2 --grad --expect=y=9 \
// RUN:   --expect=grad.x=12
func.func @v41(%x: tensor<1xf32>) -> tensor<1xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  %y = arith.mulf %s, %s : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V42: 15 where a residual is overwritten in place.
// RUN: comm-run %s --function=v42 --input=x@0=2 --input=x@1=3 --grad --expect=y@0=10 \
// RUN:   --expect=y@1=15 --expect=grad.x=10
// BWD-LABEL: func.func private @v42_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v42(%x: tensor<1xf32>) -> tensor<1xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  %y = arith.mulf %x, %s : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V43
// RUN: comm-run %s --function=v43 --input=b@0=3 --input=b@1=4 --grad --seed=y@0=1 --seed=y@1=10 \
// RUN:   --expect=y=7 --expect=grad.a=0 --expect=grad.b=11
// BWD-LABEL: func.func private @v43_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v43(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %c = comm.all_reduce sum %a over @mesh["tp"] : tensor<1xf32>
  %y = comm.all_reduce sum %b over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V49
// RUN: comm-run %s --function=v49 --input=x@0=1,2 --input=x@1=3,4 --grad --seed=y=1,2,3,4 \
// RUN:   --expect=y=[[1,3],[2,4]] --expect=grad.x@0=2,6 --expect=grad.x@1=4,8
// BWD-LABEL: func.func private @v49_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v49(%x: tensor<2x1xf32>) -> tensor<2x2xf32> {
  %y = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<2x1xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// V50
// RUN: comm-run %s --function=v50 --input=x@0=1,2,3,4 --input=x@1=10,20,30,40 --expect=y@0=11,22 \
// RUN:   --expect=y@1=33,44
// RUN: comm-run %s --function=v50 --grad --seed=y@0=1,2 --seed=y@1=3,4 --expect=grad.x=1,2,3,4
// BWD-LABEL: func.func private @v50_bwd
// BWD-NEXT: comm.all_gather
// BWD-NEXT: func.func
// FWD-LABEL: func.func @v50
// FWD-NEXT: comm.reduce_scatter
// FWD-NEXT: func.func
func.func @v50(%x: tensor<4xf32>) -> tensor<2xf32> {
  %s = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %y = comm.all_slice %s dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func private @end()
