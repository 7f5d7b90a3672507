// Gradients: seeds, names, what is random, unknown sizes, and what cannot be done.

// RUN: comm-run %s --function=f --input=x@0=1 --input=x@1=2 --input=w=3 --input=n=1 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --expect=grad.x@0=3 --expect=grad.x@1=30 --expect=grad.1=21 \
// RUN:   | FileCheck %s
// CHECK:      y: 1xf32
// CHECK-NEXT:   rank 0: [3]
// CHECK-NEXT:   rank 1: [6]
// CHECK-NEXT: n: i32
// CHECK-NEXT:   ranks 0, 1: 1
// CHECK-NEXT: grad.x: 1xf32
// CHECK-NEXT:   rank 0: [3]
// CHECK-NEXT:   rank 1: [30]
// CHECK-NEXT: grad.w: 1xf32
// CHECK-NEXT:   ranks 0, 1: [21]
// CHECK-NEXT: result 'grad.x': as expected

// Only some; the others are not computed.
// RUN: comm-run %s --function=f --input=x=1 --input=w=3 --grad --wrt=w | FileCheck %s --check-prefix=WRT
// WRT-NOT: grad.x
// WRT: grad.w: 1xf32

// RUN: %exits 2 comm-run %s --function=f --grad --wrt=n 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: --wrt=n: argument 'n' is i32, which has no gradient
// RUN: %exits 2 comm-run %s --function=f --grad --wrt=q 2>&1 | FileCheck %s --check-prefix=NOARG
// NOARG: --wrt=q: no argument 'q'
// RUN: %exits 2 comm-run %s --function=f --grad --seed=n=1 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: --seed=n=1: result 'n' takes no --seed
// RUN: %exits 2 comm-run %s --function=replicated --grad --seed=y@0=1 --seed=y@1=10 2>&1 | FileCheck %s --check-prefix=ONESEED
// ONESEED: seed of result 'y' is replicated over ["tp"], as the result is: ranks 0 and 1 must get one value, and get 1 and 10
// RUN: comm-run %s --function=replicated --input=x=1 --grad --seed=y@1=10 --expect=grad.x=10
// RUN: %exits 2 comm-run %s --function=integers --grad 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: comm-run: error: nothing to differentiate: '@integers' has no argument of floats
// RUN: %exits 2 comm-run %s --function=f --seed=y=1 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: comm-run: error: --seed needs --grad or --check-grad
// RUN: %exits 2 comm-run %s --function=f --wrt=x 2>&1 | FileCheck %s --check-prefix=NEEDS2
// NEEDS2: comm-run: error: --wrt needs --grad or --check-grad

// A seed has the sizes that the result turns out to have.
// RUN: comm-run %s --function=dynamic --input=x=1,2,3 --grad --expect=grad.x=2,4,6

// An op without an adjoint is named, with its line.
// RUN: %exits 3 comm-run %s --function=no_adjoint --grad 2>&1 | FileCheck %s --check-prefix=NOADJOINT
// NOADJOINT: grad.mlir:[[#%u,]]:{{[0-9]+}}: error: 'vector.extract' has no adjoint
// NOADJOINT-NEXT: %y = vector.extract %v[0] : f32 from vector<4xf32>
// NOADJOINT-NEXT: ^

comm.mesh @mesh [tp = 2]

func.func @f(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, %n: i32)
    -> (tensor<1xf32>, i32) {
  %y = arith.mulf %x, %w : tensor<1xf32>
  return %y, %n : tensor<1xf32>, i32
}

func.func @replicated(%x: tensor<1xf32>) -> (tensor<1xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @integers(%n: i32) -> i32 {
  return %n : i32
}

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.mulf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @no_adjoint(%x: f32) -> f32 {
  %v = vector.broadcast %x : f32 to vector<4xf32>
  %y = vector.extract %v[0] : f32 from vector<4xf32>
  return %y : f32
}
