// A loop that never runs is what it starts from, and its backward hands the
// cotangents on: there is no tape of which a row could be read.

// RUN: comm-opt %s -comm-differentiate=functions=nested,calls | FileCheck %s
// RUN: comm-opt %s -comm-differentiate=functions=calls | comm-opt -comm-differentiate=functions=calls_vjp -o /dev/null
// RUN: comm-run %s --function=nested --check-grad
// RUN: comm-run %s --function=recomputed --check-grad

// CHECK-LABEL: func.func private @nested_fwd
// CHECK-NEXT:    return %arg0 : tensor<2xf32>
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

// A callee is not differentiated for a call that never runs.
// CHECK-NOT: @square_fwd
func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.mulf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @calls(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %c0 step %c1 iter_args(%v = %x) -> tensor<2xf32> {
    %s = func.call @square(%v) : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %s : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
