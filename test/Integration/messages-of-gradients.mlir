// Changes of state among messages: the backward, and the backward of that, keep an
// order in which no message is blocked.

// RUN: comm-run %s --function=overlap --check-grad | FileCheck %s
// RUN: comm-opt %s -comm-differentiate=functions=overlap | comm-run - --function=overlap_vjp --check-grad | FileCheck %s
// RUN: comm-run %s --function=between --check-grad | FileCheck %s
// RUN: comm-opt %s -comm-differentiate=functions=between | comm-run - --function=between_vjp --check-grad | FileCheck %s
// CHECK: gradient check passed

comm.mesh @mesh [a = 2, b = 3]

// Its @f_vjp was once refused: a vary fell between the ends of a message.
func.func @overlap(%x: tensor<2xf64>, %w: tensor<2xf64> {comm.replicated = #comm.axes<@mesh["a"]>}, %z: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %m0 = comm.send %w from 0 to 1 over @mesh["b"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %m1 = comm.send %z from 0 to 1 over @mesh["b"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %r0 = comm.recv %m0 : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %r1 = comm.recv %m1 : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %s = comm.all_reduce sum %r0 over @mesh["a", "b"] : tensor<2xf64>
  %t = arith.mulf %s, %s : tensor<2xf64>
  %y = arith.mulf %x, %t : tensor<2xf64>
  return %y, %r1 : tensor<2xf64>, tensor<2xf64>
}

// What is computed of a replicated value while a message is in flight.
func.func @between(%x: tensor<2xf64>, %w: tensor<2xf64> {comm.replicated = #comm.axes<@mesh["a", "b"]>}) -> tensor<2xf64> {
  %m = comm.send %x from 2 to 1 over @mesh["b"] : tensor<2xf64> -> !comm.message<tensor<2xf64>>
  %e = math.sin %w : tensor<2xf64>
  %p = arith.mulf %e, %x : tensor<2xf64>
  %r = comm.recv %m : !comm.message<tensor<2xf64>> -> tensor<2xf64>
  %y = arith.addf %p, %r : tensor<2xf64>
  return %y : tensor<2xf64>
}
