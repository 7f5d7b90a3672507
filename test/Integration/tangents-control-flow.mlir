// Forward mode through control flow on three ranks: what is active takes its
// tangent along.

comm.mesh @mesh [tp = 3]

// RUN: comm-opt %s -comm-differentiate | FileCheck %s

// A loop with a collective in it; the sum starts at a constant, so that its
// tangent starts at zero. p ← p·x, s ← s + p·all_reduce(p), three times.
// RUN: comm-run %s --function=loop_t --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=0@0=32 --expect=0@1=376 --expect=0@2=16 \
// RUN:   --expect=1@0=297 --expect=1@1=8496 --expect=1@2=-6657
// CHECK-LABEL: func.func private @loop_jvp
// CHECK: scf.for {{.*}} -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
// CHECK-COUNT-2: comm.all_reduce
// CHECK-NOT: comm.all_reduce
// CHECK-LABEL: func.func @loop_t
func.func private @loop(%x: tensor<1xf64>) -> tensor<1xf64> {
  %lo = arith.constant 0 : index
  %hi = arith.constant 3 : index
  %one = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1xf64>
  %r:2 = scf.for %i = %lo to %hi step %one iter_args(%p = %x, %s = %zero) -> (tensor<1xf64>, tensor<1xf64>) {
    %q = arith.mulf %p, %x : tensor<1xf64>
    %a = comm.all_reduce sum %q over @mesh["tp"] : tensor<1xf64>
    %qa = arith.mulf %q, %a : tensor<1xf64>
    %n = arith.addf %s, %qa : tensor<1xf64>
    scf.yield %q, %n : tensor<1xf64>, tensor<1xf64>
  }
  return %r#1 : tensor<1xf64>
}
func.func @loop_t(%x: tensor<1xf64>, %t: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %y, %ty = comm.jvp @loop(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// A dynamic trip count, the same on all ranks: halve until the sum of all is
// below 1. x = (1, 2, 3): three times; ẏ = ẋ/8 in each.
// RUN: comm-run %s --function=while_t --input=x@0=1 --input=x@1=2 --input=x@2=3 \
// RUN:   --input=t@0=8 --input=t@1=80 --input=t@2=800 \
// RUN:   --expect=0@0=0.125 --expect=0@1=0.25 --expect=0@2=0.375 \
// RUN:   --expect=1@0=1 --expect=1@1=10 --expect=1@2=100
// CHECK-LABEL: func.func private @halve_jvp
// CHECK: scf.while {{.*}} : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
func.func private @halve(%x: tensor<1xf64>) -> tensor<1xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f64
  %half = arith.constant dense<0.5> : tensor<1xf64>
  %r = scf.while (%a = %x) : (tensor<1xf64>) -> tensor<1xf64> {
    %sum = comm.all_reduce sum %a over @mesh["tp"] : tensor<1xf64>
    %element = tensor.extract %sum[%zero] : tensor<1xf64>
    %goes = arith.cmpf oge, %element, %one : f64
    scf.condition(%goes) %a : tensor<1xf64>
  } do {
  ^bb0(%b: tensor<1xf64>):
    %c = arith.mulf %b, %half : tensor<1xf64>
    scf.yield %c : tensor<1xf64>
  }
  return %r : tensor<1xf64>
}
func.func @while_t(%x: tensor<1xf64>, %t: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %y, %ty = comm.jvp @halve(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// V51 forward: the condition differs between ranks, y = w·w on rank 1, else w.
// RUN: comm-run %s --function=branch_t --input=w=2 --input=t=7 \
// RUN:   --expect=0@0=2 --expect=0@1=4 --expect=0@2=2 --expect=1@0=7 --expect=1@1=28 --expect=1@2=7
// CHECK-LABEL: func.func private @branch_jvp
// CHECK-NOT: comm.all
// CHECK: scf.if {{.*}} -> (tensor<1xf64>, tensor<1xf64>)
// CHECK-NOT: comm.all
// CHECK-LABEL: func.func @branch_t
func.func private @branch(%w: tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<1xf64> {
  %i = comm.axis_index over @mesh["tp"] : index
  %one = arith.constant 1 : index
  %is = arith.cmpi eq, %i, %one : index
  %y = scf.if %is -> tensor<1xf64> {
    %s = arith.mulf %w, %w : tensor<1xf64>
    scf.yield %s : tensor<1xf64>
  } else {
    scf.yield %w : tensor<1xf64>
  }
  return %y : tensor<1xf64>
}
func.func @branch_t(%w: tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>},
                    %t: tensor<1xf64> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> (tensor<1xf64>, tensor<1xf64>) {
  %y, %ty = comm.jvp @branch(%w) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// One case with a collective and a call, one that is constant: the tangent there
// is zero.
// RUN: comm-run %s --function=switch_t --input=n=0 --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=0=4 --expect=1=444
// RUN: comm-run %s --function=switch_t --input=n=5 --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 --expect=0=3 --expect=1=0
func.func private @square(%x: tensor<1xf64>) -> tensor<1xf64> {
  %y = arith.mulf %x, %x : tensor<1xf64>
  return %y : tensor<1xf64>
}
func.func private @switch(%x: tensor<1xf64>, %n: index {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<1xf64> {
  %y = scf.index_switch %n -> tensor<1xf64>
  case 0 {
    %a = comm.all_reduce sum %x over @mesh["tp"] : tensor<1xf64>
    %v = comm.vary %a over @mesh["tp"] : tensor<1xf64>
    %s = func.call @square(%v) : (tensor<1xf64>) -> tensor<1xf64>
    scf.yield %s : tensor<1xf64>
  }
  default {
    %c = arith.constant dense<3.0> : tensor<1xf64>
    scf.yield %c : tensor<1xf64>
  }
  return %y : tensor<1xf64>
}
func.func @switch_t(%x: tensor<1xf64>, %n: index {comm.replicated = #comm.axes<@mesh["tp"]>}, %t: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>) {
  %y, %ty = comm.jvp @switch(%x, %n) tangents(%t) : (tensor<1xf64>, index, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %y, %ty : tensor<1xf64>, tensor<1xf64>
}

// A Hessian-vector product through the loop, forward over reverse and reverse
// over forward.
// RUN: comm-run %s --function=loop_hvp --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=0@0=1850 --expect=0@1=23464 --expect=0@2=39778
// RUN: comm-run %s --function=loop_t --grad --seed=0=0 --seed=1=1 --input=x@0=1 --input=x@1=2 --input=x@2=-1 \
// RUN:   --input=t@0=1 --input=t@1=10 --input=t@2=100 \
// RUN:   --expect=grad.x@0=1850 --expect=grad.x@1=23464 --expect=grad.x@2=39778
func.func private @loop_grad(%x: tensor<1xf64>) -> tensor<1xf64> {
  %one = arith.constant dense<1.0> : tensor<1xf64>
  %y, %dx = comm.vjp @loop(%x) cotangents(%one) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %dx : tensor<1xf64>
}
func.func @loop_hvp(%x: tensor<1xf64>, %t: tensor<1xf64>) -> tensor<1xf64> {
  %g, %h = comm.jvp @loop_grad(%x) tangents(%t) : (tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %h : tensor<1xf64>
}
