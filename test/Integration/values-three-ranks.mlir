// Rows of the table of known values on three ranks.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s --check-prefix=BWD

comm.mesh @mesh [tp = 3]

// V01: no mark, so every rank has a seed and the adjoint of the sum is the sum.
// RUN: comm-run %s --function=v01 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=grad.x=111
// BWD-LABEL: func.func private @v01_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v01(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V05
// RUN: comm-run %s --function=v05 --grad --seed=y@0=1,2,3 --seed=y@1=10,20,30 \
// RUN:   --seed=y@2=100,200,300 --expect=grad.x@0=111 --expect=grad.x@1=222 --expect=grad.x@2=333
// BWD-LABEL: func.func private @v05_bwd
// BWD-NEXT: comm.reduce_scatter
// BWD-NEXT: func.func
func.func @v05(%x: tensor<1xf32>) -> tensor<3xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// V06: the same with a marked result. There is one seed, and nothing to communicate.
// RUN: comm-run %s --function=v06 --grad --seed=y=1,2,3 --expect=grad.x@0=1 --expect=grad.x@1=2 \
// RUN:   --expect=grad.x@2=3
// BWD-LABEL: func.func private @v06_bwd
// BWD-NEXT: func.func
func.func @v06(%x: tensor<1xf32>) -> (tensor<3xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<1xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// V09
// RUN: comm-run %s --function=v09 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=grad.x@0=0 --expect=grad.x@1=111 --expect=grad.x@2=0
// BWD-LABEL: func.func private @v09_bwd
// BWD-NEXT: comm.reduce
// BWD-NEXT: func.func
func.func @v09(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.broadcast %x root 1 over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V10
// RUN: comm-run %s --function=v10 --grad --seed=y=7 --expect=grad.x@0=0 --expect=grad.x@1=7 \
// RUN:   --expect=grad.x@2=0
// BWD-LABEL: func.func private @v10_bwd
// BWD-NEXT: func.func
func.func @v10(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.broadcast %x root 1 over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V11: seeds off the root are ignored.
// RUN: comm-run %s --function=v11 --input=x@0=1 --input=x@1=2 --input=x@2=3 --grad --seed=y@0=4 \
// RUN:   --seed=y=99 --expect=y@0=6 --expect=y@1=0 --expect=y@2=0 --expect=grad.x=4
// BWD-LABEL: func.func private @v11_bwd
// BWD-NEXT: comm.broadcast
// BWD-NEXT: func.func
func.func @v11(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.reduce sum %x root 0 over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V16
// RUN: comm-run %s --function=v16 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=grad.x@0=10 --expect=grad.x@1=100 --expect=grad.x@2=0
// BWD-LABEL: func.func private @v16_bwd
// BWD-NEXT: comm.permute
// BWD-NEXT: func.func
func.func @v16(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// RUN: comm-run %s --function=v16_ring --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=grad.x@0=10 --expect=grad.x@1=100 --expect=grad.x@2=1
// BWD-LABEL: func.func private @v16_ring_bwd
// BWD-NEXT: comm.permute
// BWD-NEXT: func.func
func.func @v16_ring(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.permute %x [(0, 1), (1, 2), (2, 0)] over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V17
// RUN: comm-run %s --function=v17 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 \
// RUN:   --expect=grad.x@0=100 --expect=grad.x@1=0 --expect=grad.x@2=0
// BWD-LABEL: func.func private @v17_bwd
// BWD-NEXT: comm.permute
// BWD-NEXT: func.func
func.func @v17(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.permute %x [(0, 2)] over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V35
// RUN: comm-run %s --function=v35 --input=x@0=1 --input=x@1=5 --input=x@2=3 --grad --expect=y=5 \
// RUN:   --expect=grad.x@0=0 --expect=grad.x@1=3 --expect=grad.x@2=0
func.func @v35(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce max %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// Ties share evenly.
// RUN: comm-run %s --function=v35_marked --input=x@0=1 --input=x@1=5 --input=x@2=3 --grad \
// RUN:   --expect=y=5 --expect=grad.x@0=0 --expect=grad.x@1=1 --expect=grad.x@2=0
// RUN: comm-run %s --function=v35_marked --input=x@0=1 --input=x@1=5 --input=x@2=5 --grad \
// RUN:   --expect=y=5 --expect=grad.x@0=0 --expect=grad.x@1=0.5 --expect=grad.x@2=0.5
func.func @v35_marked(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce max %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// V36
// RUN: comm-run %s --function=v36 --input=x@0=2 --input=x@1=3 --input=x@2=4 --grad --expect=y=24 \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=grad.x@0=1332 --expect=grad.x@1=888 \
// RUN:   --expect=grad.x@2=666
func.func @v36(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = comm.all_reduce prod %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

// Right with a zero among the factors.
// RUN: comm-run %s --function=v36_marked --input=x@0=2 --input=x@1=3 --input=x@2=4 --grad \
// RUN:   --expect=y=24 --expect=grad.x@0=12 --expect=grad.x@1=8 --expect=grad.x@2=6
// RUN: comm-run %s --function=v36_marked --input=x@0=0 --input=x@1=3 --input=x@2=4 --grad \
// RUN:   --expect=y=0 --expect=grad.x@0=12 --expect=grad.x@1=0 --expect=grad.x@2=0
func.func @v36_marked(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce prod %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func private @end()
