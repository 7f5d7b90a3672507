// The smallest program in which a claim does not hold: what does not bear on the
// error goes away.

// RUN: comm-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/claims-too-much.sh' | FileCheck %s --implicit-check-not='{{func|math|arith|comm}}.'

// CHECK: comm.mesh @mesh
// CHECK: func.func @forgotten
// CHECK-SAME: comm.replicated = #comm.axes
// CHECK: arith.mulf
// CHECK: return

func.func @innocent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %v = comm.vary %y over @mesh["tp"] : tensor<4xf32>
  return %v : tensor<4xf32>
}

func.func @innocent_too(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

comm.mesh @mesh [tp = 4]

func.func @forgotten(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %unused = math.tanh %w : tensor<4xf32>
  comm.barrier over @mesh["tp"]
  %y = arith.mulf %x, %w : tensor<4xf32>
  return %y : tensor<4xf32>
}
