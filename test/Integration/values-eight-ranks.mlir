// V22: the adjoint of a change of state at 8 ranks, in groups of 4.

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s --check-prefix=BWD

comm.mesh @mesh [dp = 2, tp = 4]

// RUN: comm-run %s --function=v22 --grad --seed=y=rank --expect=grad.x=22 --expect=grad.x@0=6 \
// RUN:   --expect=grad.x@1=6 --expect=grad.x@2=6 --expect=grad.x@3=6
// BWD-LABEL: func.func private @v22_bwd
// BWD-NEXT: comm.all_reduce
// BWD-NEXT: func.func
func.func @v22(%x: tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<1xf32> {
  %y = comm.vary %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func private @end()
