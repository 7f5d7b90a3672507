// RUN: comm-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

comm.mesh @mesh [tp = 4]

// An argument that may be written and that nothing reads later: in place.
// CHECK-LABEL: @in_place(
// CHECK-NOT: memref.alloc
// CHECK: comm.all_reduce sum %arg0 into %arg0
// CHECK: return %arg0
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Otherwise into a buffer of its own, without a copy.
// CHECK-LABEL: @out_of_place(
// CHECK: %[[Y:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK-NOT: memref.copy
// CHECK: comm.all_reduce sum %arg0 into %[[Y]]
// CHECK-NOT: out_of_place
// CHECK: return %[[Y]]
func.func @out_of_place(%x: tensor<4xf32> {bufferization.writable = false}) -> tensor<4xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @resized(
// CHECK: %[[SIZE:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[Y:.*]] = memref.alloc(%[[SIZE]], %{{.*}}) {{.*}}: memref<?x?xf32>
// CHECK: comm.all_gather %arg0 into %[[Y]] dim 0
func.func @resized(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<?x?xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Strided memory is packed.
// CHECK-LABEL: @packed(
// CHECK: %[[COLUMN:.*]] = memref.subview %arg0[0, 1] [2, 1] [1, 1]
// CHECK: %[[PACKED:.*]] = memref.alloc() {{.*}}: memref<2xf32>
// CHECK: memref.copy %[[COLUMN]], %[[PACKED]]
// CHECK: comm.all_gather %[[PACKED]] into
func.func @packed(%x: tensor<2x3xf32>) -> tensor<8xf32> {
  %0 = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %y = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<2xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// Rows are contiguous.
// CHECK-LABEL: @row(
// CHECK-NOT: memref.copy
// CHECK: return
func.func @row(%x: tensor<4x3xf32>, %i: index) -> tensor<12xf32> {
  %0 = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
  %y = comm.all_gather %0 dim 0 over @mesh["tp"] : tensor<3xf32> -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// CHECK-LABEL: @message(
// CHECK: %[[M:.*]] = comm.send %arg0 from 0 to 1 over @mesh["tp"] : memref<?xf32>
// CHECK: %[[Y:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?xf32>
// CHECK: comm.recv %[[M]] into %[[Y]]
func.func @message(%x: tensor<?xf32>) -> tensor<?xf32> {
  %m = comm.send %x from 0 to 1 over @mesh["tp"] : tensor<?xf32> -> !comm.message<tensor<?xf32>>
  %y = comm.recv %m : !comm.message<tensor<?xf32>> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
