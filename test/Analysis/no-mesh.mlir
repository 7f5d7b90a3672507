// RUN: comm-opt %s --comm-annotate-replication | FileCheck %s

// Without a mesh there is one rank: nothing varies.
// CHECK: func.func @f(%arg0: tensor<4xf32> {comm.state = []}) -> (tensor<4xf32> {comm.state = []})
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.mulf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
