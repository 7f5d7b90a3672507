// A marked op within a marked one, whose templates are erased inner first.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-run %s --function=f --check-grad --allow-symmetric

// CHECK-LABEL: func.func private @f_bwd
// CHECK:         scf.for
// CHECK:           scf.if
func.func @f(%x: tensor<2xf64>, %p: i1) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<2xf64> {
    %b = scf.if %p -> tensor<2xf64> {
      %s = math.sin %v : tensor<2xf64>
      %e = math.exp %s : tensor<2xf64>
      scf.yield %e : tensor<2xf64>
    } else {
      scf.yield %v : tensor<2xf64>
    } {comm.recompute}
    %m = arith.mulf %b, %v : tensor<2xf64>
    scf.yield %m : tensor<2xf64>
  } {comm.recompute}
  return %y : tensor<2xf64>
}
