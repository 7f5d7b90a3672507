// What is marked is computed again in the backward, from what it reads.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-opt %s -comm-differentiate="functions=gathered recompute=comm.all_gather" | FileCheck %s --check-prefix=OPTION
// RUN: not comm-opt %s -comm-differentiate="recompute=all_gather" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'recompute' expects names of ops such as comm.all_gather, got 'all_gather'

comm.mesh @mesh [dp = 4]

// The shard is kept, not the weight. The second gather is not merged with the
// first where they meet.
// CHECK-LABEL: func.func private @sharded_fwd
// CHECK-SAME:    -> (tensor<8xf32>, tensor<2xf32>)
// CHECK-LABEL: func.func private @sharded_bwd
// CHECK-SAME:    %[[SHARD:[^:]*]]: tensor<2xf32>, %[[DY:[^:]*]]: tensor<8xf32>
// CHECK:         %[[W:.*]] = comm.all_gather %[[SHARD]] dim 0 over @mesh["dp"] {comm.recomputed}
// CHECK:         arith.mulf %{{.*}}, %[[W]]
// CHECK-LABEL: func.func @sharded_vjp
// CHECK:         comm.all_gather {{.*}} {comm.recompute}
// CHECK:         comm.all_gather {{.*}} {comm.recomputed}
func.func @sharded(%x: tensor<8xf32>, %w: tensor<2xf32>) -> tensor<8xf32> {
  %full = comm.all_gather %w dim 0 over @mesh["dp"] {comm.recompute} : tensor<2xf32> -> tensor<8xf32>
  %a = arith.mulf %full, %full : tensor<8xf32>
  %v = comm.vary %a over @mesh["dp"] : tensor<8xf32>
  %y = arith.addf %x, %v : tensor<8xf32>
  return %y : tensor<8xf32>
}

// OPTION-LABEL: func.func private @gathered_bwd
// OPTION:         comm.all_gather {{.*}} {comm.recomputed}
// CHECK-LABEL: func.func private @gathered_bwd
// CHECK-NOT:     comm.all_gather
// CHECK:         return
func.func @gathered(%x: tensor<8xf32>, %w: tensor<2xf32>) -> tensor<8xf32> {
  %full = comm.all_gather %w dim 0 over @mesh["dp"] : tensor<2xf32> -> tensor<8xf32>
  %y = arith.mulf %x, %full : tensor<8xf32>
  return %y : tensor<8xf32>
}

// Checkpoints: a run of marked ops starts again from what is kept before it.
// CHECK-LABEL: func.func private @checkpoint_fwd
// CHECK-SAME:    -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-LABEL: func.func private @checkpoint_bwd
// CHECK:         math.sin %arg0 {comm.recomputed}
// CHECK:         math.exp {{.*}} {comm.recomputed}
func.func @checkpoint(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.sin %x {comm.recompute} : tensor<4xf32>
  %b = math.exp %a {comm.recompute} : tensor<4xf32>
  %c = math.cos %b : tensor<4xf32>
  return %c : tensor<4xf32>
}

// A marked call keeps its arguments and runs its forward half in the backward.
// CHECK-LABEL: func.func private @call_fwd
// CHECK-SAME:    -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         call @checkpoint_fwd(
// CHECK-LABEL: func.func private @call_bwd
// CHECK:         %[[KEPT:.*]]:2 = call @checkpoint_fwd(%arg0) {comm.recomputed}
// CHECK:         call @checkpoint_bwd(%[[KEPT]]#1, %arg1)
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @checkpoint(%x) {comm.recompute} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A marked loop as well: no tape outlives the forward.
// CHECK-LABEL: func.func private @loop_fwd
// CHECK-SAME:    -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT:     tensor.empty
// CHECK-LABEL: func.func private @loop_bwd
// CHECK:         tensor.empty() : tensor<3x4xf32>
// CHECK:         scf.for
// CHECK:         } {comm.recomputed}
// CHECK:         scf.for
func.func @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<4xf32> {
    %next = math.sin %v : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  } {comm.recompute}
  return %y : tensor<4xf32>
}
