// A forward run: names and positions, ranks with equal values together.

// RUN: comm-run %s --input=x@0=1,2 --input=x@1=10,20 --input=x@2=100,200 --input=1=3 | FileCheck %s
// CHECK-NOT:  random
// CHECK:      y: 2xf32
// CHECK-NEXT:   ranks 0..2: [111, 222]
// CHECK-NEXT: result 1: f64
// CHECK-NEXT:   rank 0: 3
// CHECK-NEXT:   rank 1: 4
// CHECK-NEXT:   rank 2: 5
// CHECK-NOT:  {{.}}

// The same from standard input and from bytecode, which has no names.
// RUN: comm-run - --input=%x=1,2 --input=a=3 --expect=y=3,6 < %s
// RUN: comm-opt %s --emit-bytecode -o %t.mlirbc
// RUN: comm-run %t.mlirbc --input=0=1,2 --input=1=3 --expect=0=3,6 --expect=1@2=5 | FileCheck %s --check-prefix=BYTECODE
// RUN: %exits 2 comm-run %t.mlirbc --input=x=1,2 2>&1 | FileCheck %s --check-prefix=NONAME
// BYTECODE:   result 0: 2xf32
// NONAME: comm-run: error: --input=x=1,2: no argument 'x': the arguments of '@main' are 0 (2xf32), 1 (f64)

// What is not given is random, and the same every time.
// RUN: comm-run %s --input=a=3 > %t.first
// RUN: comm-run %s --input=a=3 > %t.second
// RUN: cmp %t.first %t.second
// RUN: FileCheck %s --check-prefix=RANDOM < %t.first
// RUN: comm-run %s --input=a=3 --random-seed=1 > %t.other
// RUN: not cmp %t.first %t.other
// RANDOM: random: x (--random-seed=0)

// Also where a flag gives it to some ranks only, and says so itself.
// RUN: comm-run %s --input=x@1=3 --input=a=rand | FileCheck %s --check-prefix=PARTLY
// PARTLY: random: x (ranks 0, 2), a (--random-seed=0)
// RUN: comm-run %s --input=x=rank --input=a=3 | FileCheck %s --check-prefix=GIVEN --implicit-check-not=random
// GIVEN: 2xf32

comm.mesh @mesh [tp = 3]

func.func @main(%x: tensor<2xf32>, %a: f64) -> (tensor<2xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, f64) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<2xf32>
  %i = comm.axis_index over @mesh["tp"] : index
  %j = arith.index_cast %i : index to i64
  %f = arith.sitofp %j : i64 to f64
  %0 = arith.addf %a, %f : f64
  return %y, %0 : tensor<2xf32>, f64
}
