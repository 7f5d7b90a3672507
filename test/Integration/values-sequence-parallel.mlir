// V32: sequence parallel. Rows are gathered before the column-parallel product
// and scattered after the row-parallel one; the backward mirrors it. Values are
// those of the serial program.

// RUN: comm-opt %s -comm-differentiate | %list-collectives > %t
// RUN: FileCheck %s --check-prefix=FWD < %t
// RUN: FileCheck %s --check-prefix=BWD < %t
// FWD-LABEL: func.func @main{{$}}
// FWD-NEXT: comm.all_gather
// FWD-NEXT: comm.reduce_scatter
// FWD-NEXT: func.func
// BWD-LABEL: func.func private @main_bwd
// BWD-NEXT: comm.all_gather
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func

// RUN: comm-run %s --input=x@0=1,2,3,-1 --input=x@1=0,2,2,1 \
// RUN:   --input=w1@0=1,-1,2,1 --input=w1@1=2,0,0,-1 --input=w2@0=1,2,0,1 --input=w2@1=-1,1,2,0 \
// RUN:   --grad --seed=y@0=1,2,-1,1 --seed=y@1=3,0,1,-2 \
// RUN:   --expect=y@0=29,55,-33,54 --expect=y@1=24,36,2,49 \
// RUN:   --expect=grad.x@0=54,112,58,0 --expect=grad.x@1=24,72,-76,-40 \
// RUN:   --expect=grad.w1@0=8,-12,122,20 --expect=grad.w1@1=28,-28,-40,-64 \
// RUN:   --expect=grad.w2@0=88,19,-2,16 --expect=grad.w2@1=-16,12,16,7

comm.mesh @mesh [tp = 2]

func.func @main(%x: tensor<2x2xf32>, %w1: tensor<2x2xf32>, %w2: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %rows = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x2xf32> -> tensor<4x2xf32>
  %zero = arith.constant dense<0.0> : tensor<4x2xf32>
  %h = linalg.matmul ins(%rows, %w1 : tensor<4x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
  %a = arith.mulf %h, %h : tensor<4x2xf32>
  %p = linalg.matmul ins(%a, %w2 : tensor<4x2xf32>, tensor<2x2xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = comm.reduce_scatter sum %p dim 0 over @mesh["tp"] : tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

func.func private @end()
