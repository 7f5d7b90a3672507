// RUN: comm-opt %s --comm-lower-control-flow | FileCheck %s --implicit-check-not=scf.

// Loops after and in one another; a parallel loop, which becomes loops first.
// CHECK-LABEL: func.func @loops(
// CHECK-COUNT-4: cf.cond_br
// CHECK: return
func.func @loops(%m: memref<4x4xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      memref.store %one, %m[%i, %i] : memref<4x4xf32>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %one, %m[%i, %j] : memref<4x4xf32>
    scf.reduce
  }
  return
}
