// Differences pass a comm.stop_gradient and gradients do not: where the two
// differ there is no verdict. What else is compared counts.

// RUN: %exits 1 comm-run %s --function=stopped --check-grad | FileCheck %s
// CHECK:      grad.x {{.*}}e{{.*}} - {{.*}} UNDECIDED
// CHECK-NEXT: grad.w {{.*}} right
// CHECK-NEXT: grad.x: the argument goes through 'comm.stop_gradient', which differences pass and gradients do not: 'difference' cannot decide
// CHECK-NEXT: gradient check failed: 1 undecided

// In a callee, in a loop.
// RUN: %exits 1 comm-run %s --function=calls --check-grad | FileCheck %s --check-prefix=CALLS
// CALLS:      grad.x {{.*}} UNDECIDED
// CALLS:      gradient check failed: 1 undecided

// What is stopped reaches no result, and so nothing differs.
// RUN: comm-run %s --function=unused --check-grad

// A wrong gradient is wrong there too.
// RUN: %exits 1 comm-run %s --function=stopped --check-grad --vjp=@wrong | FileCheck %s --check-prefix=WRONG
// WRONG: grad.x {{.*}} WRONG
// WRONG: gradient check failed: 1 wrong

comm.mesh @mesh [tp = 3]

// y = w x s, s = x with no derivative: x̄ = w s ȳ.
func.func @stopped(%x: f32, %w: f32) -> f32 {
  %s = comm.stop_gradient %x : f32
  %p = arith.mulf %x, %s : f32
  %y = arith.mulf %w, %p : f32
  return %y : f32
}

func.func @wrong(%x: f32, %w: f32, %dy: f32) -> (f32, f32, f32) {
  %p = arith.mulf %x, %x : f32
  %y = arith.mulf %w, %p : f32
  %dp = arith.mulf %w, %dy : f32
  %half = arith.mulf %dp, %x : f32
  %dx = arith.addf %half, %half : f32
  %dw = arith.mulf %p, %dy : f32
  return %y, %dx, %dw : f32, f32, f32
}

func.func private @helper(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> f32 {
    %s = comm.stop_gradient %v : f32
    %p = arith.mulf %x, %s : f32
    scf.yield %p : f32
  }
  return %y : f32
}
func.func @calls(%x: f32) -> f32 {
  %c2 = arith.constant 2 : index
  %y = call @helper(%c2, %x) : (index, f32) -> f32
  return %y : f32
}

func.func @unused(%x: f32) -> f32 {
  %s = comm.stop_gradient %x : f32
  %t = arith.mulf %s, %s : f32
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
