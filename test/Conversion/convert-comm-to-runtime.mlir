// RUN: comm-opt %s --convert-comm-to-runtime | FileCheck %s

comm.mesh @mesh [dp = 2, tp = 4]

// Sites name the op, the file and the line.
// CHECK-DAG: llvm.mlir.global external constant @comm_abi_version(5 : i32)
// CHECK-DAG: "comm.all_reduce\00"
// CHECK-DAG: convert-comm-to-runtime.mlir\00"
// CHECK-DAG: "dim 0 over @mesh[\22dp\22, \22tp\22]\00"
// CHECK-DAG: llvm.mlir.constant([[# @LINE + 12]] : i32) : i32
// CHECK-DAG: llvm.func @commAllReduce(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i32, i32, !llvm.ptr) -> i32
// CHECK-NOT: comm.mesh

// CHECK-LABEL: func.func @all_reduce(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[X:.*]]: memref<3x?xf64>, %[[Y:.*]]: memref<3x?xf64>) -> !llvm.struct<(i32)>
// CHECK-SAME: llvm.emit_c_interface
// CHECK: %[[GROUP:.*]] = llvm.call @commCommunicator(%[[CONTEXT]],
// CHECK: %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: %[[F64:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: %[[MAX:.*]] = llvm.mlir.constant(3 : i32)
func.func @all_reduce(%x: memref<3x?xf64>, %y: memref<3x?xf64>) {
  comm.all_reduce max %x into %y over @mesh["tp"] : memref<3x?xf64>
  // CHECK: llvm.call @commAllReduce(%[[CONTEXT]], %[[GROUP]], %{{.*}}, %{{.*}}, %[[COUNT]], %[[F64]], %[[MAX]], %{{.*}})
  // CHECK: %[[STATUS:.*]] = llvm.call @commStatus(%[[CONTEXT]])
  // CHECK: %[[RESULT:.*]] = llvm.insertvalue %[[STATUS]], %{{.*}}[0]
  // CHECK: return %[[RESULT]]
  return
}

// In place where no destination is given; one communicator for two ops.
// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT: llvm.emit_c_interface
// CHECK: llvm.call @commCommunicator
// CHECK-NOT: llvm.call @commCommunicator
// CHECK: llvm.call @commBroadcast(%{{.*}}, %{{.*}}, %[[P:.*]], %[[P2:.*]], %{{.*}})
// CHECK: llvm.call @commBarrier
func.func private @in_place(%x: memref<3xf32>) {
  comm.broadcast %x root 2 over @mesh["tp"] : memref<3xf32>
  comm.barrier over @mesh["tp"]
  return
}

// A call passes the context; the status of the callee is kept by the runtime.
// CHECK-LABEL: func.func @call(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[X:.*]]: memref<3xf32>) -> (i32, memref<3xf32>)
// CHECK: call @in_place(%[[CONTEXT]], %[[X]]) : (!llvm.ptr, memref<3xf32>) -> !llvm.struct<(i32)>
// CHECK: return %{{.*}}, %[[X]] : i32, memref<3xf32>
func.func @call(%x: memref<3xf32>) -> memref<3xf32> {
  call @in_place(%x) : (memref<3xf32>) -> ()
  return %x : memref<3xf32>
}

// Counts are of one chunk.
// CHECK-LABEL: func.func @chunks(
func.func @chunks(%small: memref<2x3xi8>, %large: memref<8x3xi8>) {
  // CHECK: %[[SIX:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK: llvm.call @commAllGather(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SIX]],
  comm.all_gather %small into %large dim 0 over @mesh["tp"] : memref<2x3xi8> -> memref<8x3xi8>
  // CHECK: %[[SIX:.*]] = llvm.mlir.constant(6 : i64)
  // CHECK: llvm.call @commReduceScatter(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SIX]],
  comm.reduce_scatter sum %large into %small dim 0 over @mesh["tp"] : memref<8x3xi8> -> memref<2x3xi8>
  // CHECK: %[[ALL:.*]] = llvm.mlir.constant(24 : i64)
  // CHECK: %[[RANKS:.*]] = llvm.mlir.constant(4 : i64)
  // CHECK: %[[SIX:.*]] = arith.divui %[[ALL]], %[[RANKS]]
  // CHECK: llvm.call @commAllToAll(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[SIX]],
  comm.all_to_all %large into %large split 0 concat 0 over @mesh["tp"] : memref<8x3xi8>
  // CHECK: llvm.call @commGather
  comm.gather %small into %large dim 0 root 1 over @mesh["tp"] : memref<2x3xi8> -> memref<8x3xi8>
  // CHECK: llvm.call @commScatter
  comm.scatter %large into %small dim 0 root 1 over @mesh["tp"] : memref<8x3xi8> -> memref<2x3xi8>
  return
}

// CHECK-LABEL: func.func @axes(
func.func @axes(%x: memref<1xf32>, %y: memref<8xf32>) -> index {
  comm.all_gather %x into %y dim 0 over @mesh["dp", "tp"] : memref<1xf32> -> memref<8xf32>
  // CHECK: llvm.call @commPermute
  comm.permute %x [(0, 1)] over @mesh["dp"] : memref<1xf32>
  // CHECK: %[[I:.*]] = llvm.call @commAxisIndex
  // CHECK: arith.index_cast %[[I]] : i64 to index
  %i = comm.axis_index over @mesh["tp"] : index
  // CHECK: llvm.call @commSend
  // CHECK: llvm.call @commRecv
  %m = comm.send %x from 0 to 1 over @mesh["dp"] : memref<1xf32> -> !comm.message<tensor<1xf32>>
  comm.recv %m into %x : !comm.message<tensor<1xf32>> -> memref<1xf32>
  // CHECK: llvm.call @commReduce
  comm.reduce avg %x root 0 over @mesh["dp"] : memref<1xf32>
  return %i : index
}

