// RUN: comm-opt %s -comm-differentiate=functions=f | FileCheck %s
// RUN: comm-run %s --function=f --check-grad --allow-symmetric

// Of the call's results the backward keeps the first; the others change their
// size from run to run, so that the call is made again for them.
// CHECK-LABEL: func.func private @f_bwd(
// CHECK: call @helper_fwd
// CHECK: call @helper_bwd
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y:2 = scf.while (%a = %x, %i = %c0) : (tensor<2xf64>, index) -> (tensor<2xf64>, index) {
    %h = func.call @helper(%a, %i) : (tensor<2xf64>, index) -> tensor<2xf64>
    %s = arith.mulf %h, %h : tensor<2xf64>
    %again = arith.cmpi ult, %i, %c2 : index
    scf.condition(%again) %s, %i : tensor<2xf64>, index
  } do {
  ^bb0(%a: tensor<2xf64>, %i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %a, %next : tensor<2xf64>, index
  }
  return %y#0 : tensor<2xf64>
}

func.func private @helper(%x: tensor<2xf64>, %n: index) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y:2 = scf.while (%a = %x, %i = %c0) : (tensor<2xf64>, index) -> (tensor<2xf64>, index) {
    %s = math.sin %a : tensor<2xf64>
    %again = arith.cmpi ult, %i, %n : index
    scf.condition(%again) %s, %i : tensor<2xf64>, index
  } do {
  ^bb0(%a: tensor<2xf64>, %i: index):
    %next = arith.addi %i, %c1 : index
    scf.yield %a, %next : tensor<2xf64>, index
  }
  return %y#0 : tensor<2xf64>
}
