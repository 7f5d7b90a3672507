// Gradients through control flow, with known values: x = (1, 2, 3), w = 2,
// seeds (1, 10, 100).

// RUN: comm-opt %s -comm-differentiate | %list-collectives | FileCheck %s

comm.mesh @mesh [tp = 3]

#tp = #comm.axes<@mesh["tp"]>

// y = x w³: w is varied outside the loop, its gradient reduced once after it.
// RUN: comm-run %s --function=loop --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@2=24 \
// RUN:   --expect=grad.x@0=8 --expect=grad.x@1=80 --expect=grad.x@2=800 --expect=grad.w=3852
// CHECK-LABEL: func.func private @loop_bwd
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: func.func
func.func @loop(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> tensor<1xf32> {
    %next = arith.mulf %v, %w : tensor<1xf32>
    scf.yield %next : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// The same with bounds that are not known before, counted from 4 in steps of 2.
// RUN: comm-run %s --function=dynamic_loop --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 \
// RUN:   --input=n=9 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@2=24 \
// RUN:   --expect=grad.x@0=8 --expect=grad.x@1=80 --expect=grad.x@2=800 --expect=grad.w=3852
// RUN: comm-run %s --function=dynamic_loop --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 \
// RUN:   --input=n=4 --grad --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@2=3 \
// RUN:   --expect=grad.x@0=1 --expect=grad.x@1=10 --expect=grad.x@2=100 --expect=grad.w=0
// CHECK-LABEL: func.func private @dynamic_loop_bwd
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: func.func
func.func @dynamic_loop(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp},
                        %n: index {comm.replicated = #tp}) -> tensor<1xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %i = %c4 to %n step %c2 iter_args(%v = %x) -> tensor<1xf32> {
    %next = arith.mulf %v, %w : tensor<1xf32>
    scf.yield %next : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// y = x w^n, where n = 10 is the first for which the sum over ranks reaches
// 5000: longer than the tapes are at first.
// RUN: comm-run %s --function=until --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@2=3072 --expect=grad.x@0=1024 \
// RUN:   --expect=grad.x@1=10240 --expect=grad.x@2=102400 --expect=grad.w=1643520
// CHECK-LABEL: func.func private @until_bwd
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: func.func
func.func @until(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %limit = arith.constant 5000.0 : f32
  %y = scf.while (%v = %x) : (tensor<1xf32>) -> tensor<1xf32> {
    %s = comm.all_reduce sum %v over @mesh["tp"] : tensor<1xf32>
    %sum = tensor.extract %s[%c0] : tensor<1xf32>
    %more = arith.cmpf olt, %sum, %limit : f32
    scf.condition(%more) %v : tensor<1xf32>
  } do {
  ^bb0(%v: tensor<1xf32>):
    %next = arith.mulf %v, %w : tensor<1xf32>
    scf.yield %next : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// A branch in a loop: y = x w² + w² + w.
// RUN: comm-run %s --function=branches --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@2=18 --expect=grad.x@0=4 \
// RUN:   --expect=grad.x@1=40 --expect=grad.x@2=400 --expect=grad.w=1839
// CHECK-LABEL: func.func private @branches_bwd
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: func.func
func.func @branches(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> tensor<1xf32> {
    %parity = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %parity, %c0 : index
    %next = scf.if %even -> tensor<1xf32> {
      %product = arith.mulf %v, %w : tensor<1xf32>
      scf.yield %product : tensor<1xf32>
    } else {
      %sum = arith.addf %v, %w : tensor<1xf32>
      scf.yield %sum : tensor<1xf32>
    }
    scf.yield %next : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// Three branches, by the rank: x w, x, x x. No communication inside.
// RUN: comm-run %s --function=cases --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@0=2 --expect=y@1=2 --expect=y@2=9 \
// RUN:   --expect=grad.x@0=2 --expect=grad.x@1=10 --expect=grad.x@2=600 --expect=grad.w=1
// CHECK-LABEL: func.func private @cases_bwd
// CHECK-NEXT: comm.all_reduce
// CHECK-NEXT: func.func
func.func @cases(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %rank = comm.axis_index over @mesh["tp"] : index
  %y = scf.index_switch %rank -> tensor<1xf32>
  case 0 {
    %product = arith.mulf %x, %w : tensor<1xf32>
    scf.yield %product : tensor<1xf32>
  }
  case 1 {
    scf.yield %x : tensor<1xf32>
  }
  default {
    %square = arith.mulf %x, %x : tensor<1xf32>
    scf.yield %square : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// Loops in loops with a collective inside; the inner one is longer each time,
// so it runs again in the backward. s_i = s + sum over ranks of (i+1) w x.
// y = s_3 = x + 6 w (x_0 + x_1 + x_2).
// RUN: comm-run %s --function=triangle --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@0=73 --expect=y@2=75 \
// RUN:   --expect=grad.x@0=1333 --expect=grad.x@1=1342 --expect=grad.x@2=1432 --expect=grad.w=3996
func.func @triangle(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> tensor<1xf32> {
    %n = arith.addi %i, %c1 : index
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%u = %s) -> tensor<1xf32> {
      %product = arith.mulf %x, %w : tensor<1xf32>
      %all = comm.all_reduce sum %product over @mesh["tp"] : tensor<1xf32>
      %next = arith.addf %u, %all : tensor<1xf32>
      scf.yield %next : tensor<1xf32>
    }
    scf.yield %t : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}

// As many runs as the number of the rank: y = x w^rank.
// RUN: comm-run %s --function=own_runs --input=x@0=1 --input=x@1=2 --input=x@2=3 --input=w=2 --grad \
// RUN:   --seed=y@0=1 --seed=y@1=10 --seed=y@2=100 --expect=y@0=1 --expect=y@1=4 --expect=y@2=12 \
// RUN:   --expect=grad.x@0=1 --expect=grad.x@1=20 --expect=grad.x@2=400 --expect=grad.w=1220
func.func @own_runs(%x: tensor<1xf32>, %w: tensor<1xf32> {comm.replicated = #tp}) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = comm.axis_index over @mesh["tp"] : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<1xf32> {
    %next = arith.mulf %v, %w : tensor<1xf32>
    scf.yield %next : tensor<1xf32>
  }
  return %y : tensor<1xf32>
}
