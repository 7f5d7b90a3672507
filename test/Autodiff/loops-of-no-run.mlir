// A loop that never runs hands its initial values on, and its backward the
// cotangents: there is no tape of which a row could be read. Each loop runs in
// the forward as it is written.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-run %s --function=nested --check-grad
// RUN: comm-run %s --function=recomputed --check-grad

// CHECK-LABEL: func.func private @nested_fwd
// CHECK:         scf.for
// CHECK-NOT:     tensor.empty
// CHECK:         return %{{.*}} : tensor<2xf32>
// CHECK-LABEL: func.func private @nested_bwd(
// CHECK-SAME:    %[[DY:[^:]*]]: tensor<2xf32>
// CHECK-NOT:     scf.for
// CHECK:         return %[[DY]]
func.func @nested(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = scf.for %i = %c0 to %c0 step %c2 iter_args(%v = %x) -> tensor<2xf32> {
    %z = scf.for %j = %c1 to %c0 step %c1 iter_args(%u = %v) -> tensor<2xf32> {
      %p = arith.mulf %u, %w : tensor<2xf32>
      %q = arith.mulf %p, %v : tensor<2xf32>
      scf.yield %q : tensor<2xf32>
    }
    %r = arith.mulf %z, %z : tensor<2xf32>
    scf.yield %r : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

func.func @recomputed(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %c0 step %c1 iter_args(%v = %x) -> tensor<2xf32> {
    %r = arith.mulf %v, %v : tensor<2xf32>
    scf.yield %r : tensor<2xf32>
  } {comm.recompute}
  %z = arith.mulf %y, %x : tensor<2xf32>
  return %z : tensor<2xf32>
}
