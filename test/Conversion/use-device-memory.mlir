// RUN: comm-opt %s -convert-comm-to-runtime -comm-use-device-memory | FileCheck %s

memref.global "private" constant @numbers : memref<3xf32> = dense<[1.0, 2.0, 3.0]>

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[X:.*]]: memref<2x3xf32>, %[[N:.*]]: memref<4xi1>
func.func @f(%x: memref<2x3xf32>, %n: memref<4xi1>, %v: f32, %s: memref<2x2xf32, strided<[5, 1]>>) -> i1 {
  // CHECK: %[[HOST:.*]] = llvm.alloca %{{.*}} x i8
  %c1 = arith.constant 1 : index
  // The one thing that waits for the device.
  // CHECK: %[[ELEMENT:.*]] = memref.subview %[[N]][%{{.*}}] [1] [1]
  // CHECK: llvm.call @commRead(%[[CONTEXT]], %{{.*}}, %[[HOST]],
  // CHECK: %[[BYTE:.*]] = llvm.load %[[HOST]] : !llvm.ptr -> i8
  // CHECK: %[[FLAG:.*]] = arith.trunci %[[BYTE]] : i8 to i1
  %flag = memref.load %n[%c1] : memref<4xi1>
  // CHECK: memref.subview %[[X]]
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : memref<f32,
  memref.store %v, %x[%c1, %c1] : memref<2x3xf32>
  // CHECK: llvm.call @commConstant(%[[CONTEXT]],
  %g = memref.get_global @numbers : memref<3xf32>
  %row = memref.alloc() : memref<3xf32>
  // CHECK: llvm.call @commCopy(%[[CONTEXT]],
  memref.copy %g, %row : memref<3xf32> to memref<3xf32>
  // CHECK: linalg.generic
  // CHECK-SAME: outs(%{{.*}} : memref<2x2xf32, strided<[5, 1]>>)
  %square = memref.alloc() : memref<2x2xf32>
  memref.copy %square, %s : memref<2x2xf32> to memref<2x2xf32, strided<[5, 1]>>
  memref.dealloc %square : memref<2x2xf32>
  memref.dealloc %row : memref<3xf32>
  return %flag : i1
}

// A load in the body of an op is the device's.
// CHECK-LABEL: func.func @body(
// CHECK: linalg.generic
// CHECK: memref.load
// CHECK-NOT: commRead
func.func @body(%table: memref<4xf32>, %i: memref<8xindex>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%i : memref<8xindex>) outs(%y : memref<8xf32>) {
  ^bb0(%a: index, %b: f32):
    %s = memref.load %table[%a] : memref<4xf32>
    linalg.yield %s : f32
  }
  return
}
