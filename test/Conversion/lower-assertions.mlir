// RUN: comm-opt %s --comm-lower-assertions --reconcile-unrealized-casts | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @[[NAME:.*]]("linalg.matmul\00")
// CHECK-DAG: llvm.mlir.global internal constant @[[TEXT:.*]]("dimension #0 is incompatible\00")

// The rest runs only where the assertion holds. A null buffer for the result.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[HOLDS:.*]]: i1, %[[X:.*]]: memref<2xf32>
// CHECK:         cf.cond_br %[[HOLDS]], ^[[REST:.*]], ^[[FAILED:.*]]
// CHECK:       ^[[FAILED]]:
// CHECK:         llvm.call @commFail(%[[CONTEXT]], %{{.*}})
// CHECK:         cf.br ^[[EXIT:.*]]
// CHECK:       ^[[REST]]:
// CHECK:         return %{{.*}}, %[[X]]
// CHECK:       ^[[EXIT]]:
// CHECK:         %[[STATUS:.*]] = llvm.call @commStatus(%[[CONTEXT]])
// CHECK:         %[[NULL:.*]] = llvm.mlir.zero : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK:         %[[NOTHING:.*]] = builtin.unrealized_conversion_cast %[[NULL]]
// CHECK:         return %[[STATUS]], %[[NOTHING]]
func.func @callee(%context: !llvm.ptr, %holds: i1, %x: memref<2xf32>) -> (i32, memref<2xf32>) {
  cf.assert %holds, "linalg.matmul: dimension #0 is incompatible"
  %status = llvm.mlir.constant(0 : i32) : i32
  return %status, %x : i32, memref<2xf32>
}

// What a callee that failed gives is not looked at. Without results, the status
// is in a struct.
// CHECK-LABEL: func.func @caller(
// CHECK:         %[[CALL:.*]]:2 = call @callee
// CHECK:         %[[OK:.*]] = arith.cmpi eq, %[[CALL]]#0, %{{.*}}
// CHECK:         cf.cond_br %[[OK]], ^[[REST:.*]], ^[[EXIT:.*]]
// CHECK:       ^[[REST]]:
// CHECK:         memref.load
// CHECK:       ^[[EXIT]]:
// CHECK:         %[[STATUS:.*]] = llvm.call @commStatus
// CHECK:         %[[RESULT:.*]] = llvm.insertvalue %[[STATUS]], %{{.*}}[0] : !llvm.struct<(i32)>
// CHECK:         return %[[RESULT]]
func.func @caller(%context: !llvm.ptr, %holds: i1, %x: memref<2xf32>, %i: index) -> !llvm.struct<(i32)> {
  %status, %y = call @callee(%context, %holds, %x) : (!llvm.ptr, i1, memref<2xf32>) -> (i32, memref<2xf32>)
  %v = memref.load %y[%i] : memref<2xf32>
  memref.store %v, %x[%i] : memref<2xf32>
  %result = llvm.mlir.undef : !llvm.struct<(i32)>
  return %result : !llvm.struct<(i32)>
}
