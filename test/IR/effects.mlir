// The order and place of collectives do not change under the passes of others:
// each is run, then the same is expected of all.
//
// RUN: comm-opt %s --control-flow-sink | FileCheck %s
// RUN: comm-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: comm-opt %s --loop-invariant-subset-hoisting | FileCheck %s
// RUN: comm-opt %s --cse | FileCheck %s
// RUN: comm-opt %s --canonicalize | FileCheck %s
// RUN: comm-opt %s --canonicalize=region-simplify=aggressive | FileCheck %s
// RUN: comm-opt %s --sccp | FileCheck %s
// RUN: comm-opt %s --inline | FileCheck %s
// RUN: comm-opt %s --symbol-dce | FileCheck %s
// RUN: comm-opt %s --duplicate-function-elimination | FileCheck %s
// RUN: comm-opt %s --remove-dead-values | FileCheck %s
// RUN: comm-opt %s --mem2reg | FileCheck %s
// RUN: comm-opt %s --sroa | FileCheck %s
// RUN: comm-opt %s --topological-sort | FileCheck %s
// RUN: comm-opt %s --lift-cf-to-scf | FileCheck %s
// RUN: comm-opt %s --scf-for-loop-canonicalization | FileCheck %s
// RUN: comm-opt %s --scf-for-loop-peeling | FileCheck %s
// RUN: comm-opt %s --scf-parallel-loop-fusion | FileCheck %s
// RUN: comm-opt %s --affine-loop-invariant-code-motion | FileCheck %s
// RUN: comm-opt %s --affine-scalrep | FileCheck %s
// RUN: comm-opt %s --buffer-hoisting | FileCheck %s
// RUN: comm-opt %s --buffer-loop-hoisting | FileCheck %s
// RUN: comm-opt %s --promote-buffers-to-stack | FileCheck %s
// RUN: comm-opt %s --fold-memref-alias-ops | FileCheck %s
// RUN: comm-opt %s --normalize-memrefs | FileCheck %s
// RUN: comm-opt %s --eliminate-empty-tensors | FileCheck %s
// RUN: comm-opt %s --empty-tensor-to-alloc-tensor | FileCheck %s
// RUN: comm-opt %s --fold-tensor-subset-ops | FileCheck %s
// RUN: comm-opt %s --int-range-optimizations | FileCheck %s
// RUN: comm-opt %s --linalg-fuse-elementwise-ops | FileCheck %s
// RUN: comm-opt %s --linalg-fold-unit-extent-dims | FileCheck %s
// RUN: comm-opt %s --linalg-generalize-named-ops | FileCheck %s
// RUN: comm-opt %s --linalg-inline-scalar-operands | FileCheck %s
// RUN: comm-opt %s --convert-elementwise-to-linalg | FileCheck %s
// RUN: comm-opt %s --convert-tensor-to-linalg | FileCheck %s
// RUN: comm-opt %s --resolve-shaped-type-result-dims | FileCheck %s
// RUN: comm-opt %s --generate-runtime-verification | FileCheck %s
// RUN: comm-opt %s --inline --sccp --canonicalize --cse --control-flow-sink --loop-invariant-code-motion --canonicalize --symbol-dce | FileCheck %s

comm.mesh @mesh [dp = 2, tp = 4]

// A collective whose result only one branch uses stays before the branch.
// CHECK-LABEL: @before_branch
// CHECK: comm.vary
// CHECK: comm.all_reduce sum
// CHECK: comm.all_gather
// CHECK: comm.all_slice
// CHECK: comm.root_mask
// CHECK: scf.if
// CHECK-NOT: = comm.
// CHECK: return
func.func @before_branch(%c: i1, %x: tensor<4xf32>, %w: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<16xf32> {
  %v = comm.vary %w over @mesh["tp"] : tensor<16xf32>
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  %1 = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %2 = comm.all_slice %w dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %3 = comm.root_mask %w root 1 over @mesh["tp"] : tensor<16xf32>
  %4 = scf.if %c -> tensor<16xf32> {
    %5 = arith.addf %1, %3 : tensor<16xf32>
    %6 = arith.mulf %5, %v : tensor<16xf32>
    %7 = tensor.insert_slice %0 into %6[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
    %8 = tensor.insert_slice %2 into %7[4] [4] [1] : tensor<4xf32> into tensor<16xf32>
    scf.yield %8 : tensor<16xf32>
  } else {
    scf.yield %w : tensor<16xf32>
  }
  return %4 : tensor<16xf32>
}

// A collective of a loop stays in the loop, though its operand is from outside.
// CHECK-LABEL: @in_loop
// CHECK-NOT: = comm.
// CHECK: scf.for
// CHECK: comm.vary
// CHECK: comm.all_reduce sum
// CHECK: comm.permute
// CHECK: comm.all_slice
// CHECK: scf.yield
func.func @in_loop(%n: index, %x: tensor<16xf32>, %w: tensor<16xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16xf32> {
    %v = comm.vary %w over @mesh["tp"] : tensor<16xf32>
    %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
    %1 = comm.permute %x [(0, 1), (1, 2)] over @mesh["tp"] : tensor<16xf32>
    %2 = comm.all_slice %w dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
    %3 = arith.addf %0, %1 : tensor<16xf32>
    %4 = arith.mulf %3, %v : tensor<16xf32>
    %5 = tensor.insert_slice %2 into %4[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
    %6 = arith.addf %a, %5 : tensor<16xf32>
    scf.yield %6 : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

func.func private @helper(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = comm.all_reduce min %x over @mesh["tp"] : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The order of a program, with a call in it.
// CHECK-LABEL: @in_order
// CHECK: comm.all_reduce sum
// CHECK: {{comm.all_reduce min|call @helper}}
// CHECK: comm.send
// CHECK: comm.broadcast
// CHECK: comm.recv
// CHECK: comm.barrier
// CHECK: comm.all_to_all
// CHECK: comm.reduce_scatter
// CHECK: comm.gather
// CHECK: comm.scatter
// CHECK: comm.reduce sum
// CHECK: return
func.func @in_order(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %h = func.call @helper(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<16xf32> -> !comm.message<tensor<16xf32>>
  %1 = comm.broadcast %h root 1 over @mesh["dp"] : tensor<16xf32>
  %2 = comm.recv %m : !comm.message<tensor<16xf32>> -> tensor<16xf32>
  comm.barrier over @mesh["tp"]
  %3 = comm.all_to_all %2 split 0 concat 0 over @mesh["tp"] : tensor<16xf32>
  %4 = comm.reduce_scatter sum %3 dim 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %5 = comm.gather %4 dim 0 root 0 over @mesh["tp"] : tensor<4xf32> -> tensor<16xf32>
  %6 = comm.scatter %1 dim 0 root 0 over @mesh["tp"] : tensor<16xf32> -> tensor<4xf32>
  %7 = comm.reduce sum %x root 1 over @mesh["tp"] : tensor<16xf32>
  %8 = tensor.insert_slice %6 into %7[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %0, %1, %3, %5, %8 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// In memory as well: what is written stays between what reads it.
// CHECK-LABEL: @in_memory
// CHECK: comm.all_reduce sum
// CHECK: scf.for
// CHECK: comm.all_gather
// CHECK: comm.all_reduce max
// CHECK: }
// CHECK: comm.all_reduce sum
// CHECK: return
func.func @in_memory(%n: index, %x: memref<4xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  comm.all_reduce sum %x over @mesh["tp"] : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    comm.all_gather %x into %y dim 0 over @mesh["tp"] : memref<4xf32> -> memref<16xf32>
    comm.all_reduce max %y over @mesh["tp"] : memref<16xf32>
  }
  comm.all_reduce sum %x over @mesh["tp"] : memref<4xf32>
  return
}
