// Sizes of slices that are computed: nothing is known of such a number.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-run %s --function=f --input=x=5xf64=rand --input=n=3 --input=k=8 --check-grad --allow-symmetric

// CHECK-LABEL: func.func private @f_bwd
// CHECK:         tensor.insert_slice
func.func @f(%x: tensor<?xf64>, %n: index, %k: i64) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<?xf64> {
    %s = math.sin %v : tensor<?xf64>
    %m = arith.index_cast %k : i64 to index
    %r = arith.remui %m, %n : index
    %e = tensor.extract_slice %s[0] [%r] [1] : tensor<?xf64> to tensor<?xf64>
    %w = tensor.insert_slice %e into %s[%i] [%r] [1] : tensor<?xf64> into tensor<?xf64>
    scf.yield %w : tensor<?xf64>
  }
  return %y : tensor<?xf64>
}
