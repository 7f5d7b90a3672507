// Rows of the table of known values on four ranks.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s --check-prefix=BWD

comm.mesh @mesh [tp = 4]

#tp = #comm.axes<@mesh["tp"]>

// V03: the objective is the sum of the four losses.
// RUN: comm-run %s --function=v03 --input=x=ones --grad --expect=loss=16 --expect=grad.x=4
// BWD-LABEL: func.func private @v03_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v03(%x: tensor<4xf32>) -> tensor<f32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss : tensor<f32>
}

// V04: the same loss, counted once.
// RUN: comm-run %s --function=v04 --input=x=ones --grad --expect=loss=16 --expect=grad.x=1
// BWD-LABEL: func.func private @v04_bwd
// BWD-NEXT: func.func
func.func @v04(%x: tensor<4xf32>) -> (tensor<f32> {comm.replicated = #tp}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%y : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %loss : tensor<f32>
}

// V15
// RUN: comm-run %s --function=v15 --input=x=rank --grad --expect=loss=192 --expect=grad.x=2
// BWD-LABEL: func.func private @v15_bwd
// BWD-NEXT: comm.all_to_all
// BWD-NEXT: func.func
func.func @v15(%x: tensor<8x8xf32>) -> tensor<f32> {
  %y = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x8xf32> -> tensor<2x32xf32>
  %twice = arith.addf %y, %y : tensor<2x32xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%twice : tensor<2x32xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %loss : tensor<f32>
}

// V19: each rank adds its left neighbour.
// RUN: comm-run %s --function=v19 --input=a@0=1 --input=a@1=10 --input=a@2=100 --input=a@3=1000 \
// RUN:   --grad --expect=y@0=1001 --expect=y@1=11 --expect=y@2=110 --expect=y@3=1100 \
// RUN:   --expect=grad.a=2
func.func @v19(%a: tensor<1xf32>) -> tensor<1xf32> {
  %m0 = comm.send %a from 0 to 1 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %m1 = comm.send %a from 1 to 2 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r1 = comm.recv %m1 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %m2 = comm.send %a from 2 to 3 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r2 = comm.recv %m2 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %m3 = comm.send %a from 3 to 0 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r3 = comm.recv %m3 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %s0 = arith.addf %a, %r0 : tensor<1xf32>
  %s1 = arith.addf %s0, %r1 : tensor<1xf32>
  %s2 = arith.addf %s1, %r2 : tensor<1xf32>
  %y = arith.addf %s2, %r3 : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V20: a pipeline of four stages, the result on the last.
// RUN: comm-run %s --function=v20 --input=a@0=2 --input=a@1=3 --input=a@2=5 --input=a@3=7 \
// RUN:   --input=x=11 --grad --expect=h3@3=2310 --expect=h3=0 --expect=grad.a@0=1155 \
// RUN:   --expect=grad.a@1=770 --expect=grad.a@2=462 --expect=grad.a@3=330 --expect=grad.x@0=210 \
// RUN:   --expect=grad.x=0
func.func @v20(%a: tensor<1xf32>, %x: tensor<1xf32>) -> tensor<1xf32> {
  %h0 = arith.mulf %a, %x : tensor<1xf32>
  %m0 = comm.send %h0 from 0 to 1 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r0 = comm.recv %m0 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %h1 = arith.mulf %a, %r0 : tensor<1xf32>
  %m1 = comm.send %h1 from 1 to 2 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r1 = comm.recv %m1 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %h2 = arith.mulf %a, %r1 : tensor<1xf32>
  %m2 = comm.send %h2 from 2 to 3 over @mesh["tp"] : tensor<1xf32> -> !comm.message<tensor<1xf32>>
  %r2 = comm.recv %m2 : !comm.message<tensor<1xf32>> -> tensor<1xf32>
  %h3 = arith.mulf %a, %r2 : tensor<1xf32>
  return %h3 : tensor<1xf32>
}

// V37: the average fits where the sum does not.
// RUN: comm-run %s --function=v37 --input=x=40000 --expect=y=40000
func.func @v37(%x: tensor<1xf16>) -> tensor<1xf16> {
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<1xf16>
  return %y : tensor<1xf16>
}

func.func private @end()
