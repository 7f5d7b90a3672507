// RUN: comm-opt %s --comm-to-host | FileCheck %s

// A message is sent from memory and received into memory, or as a tensor.

comm.mesh @mesh [tp = 4]
// CHECK-LABEL: llvm.func @message
// CHECK: llvm.call @commSend
// CHECK: llvm.call @commRecv
// CHECK: llvm.call @commSend
// CHECK: llvm.call @commRecv
func.func @message(%x: memref<4xf32>) -> tensor<4xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  comm.recv %m into %x : !comm.message<tensor<4xf32>> -> memref<4xf32>
  %n = comm.send %x from 1 to 2 over @mesh["tp"] : memref<4xf32> -> !comm.message<tensor<4xf32>>
  %r = comm.recv %n : !comm.message<tensor<4xf32>> -> tensor<4xf32>
  return %r : tensor<4xf32>
}
