// RUN: comm-opt %s -comm-differentiate="functions=marks,extremum,product mode=forward" | FileCheck %s

// The tangent of each value stands behind it; tangents of float arguments and
// results only, in order. Marks carry over.
comm.mesh @mesh [tp = 3]
// CHECK-LABEL: func.func @marks_jvp(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[N:[^:]*]]: tensor<4xi32>, %[[W:[^:]*]]: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>},
// CHECK-SAME:    %[[TX:[^:]*]]: tensor<4xf32>, %[[TW:[^:]*]]: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
// CHECK-SAME:    -> (tensor<4xi32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
// CHECK-DAG:     %[[V:.*]] = comm.vary %[[W]]
// CHECK-DAG:     %[[TV:.*]] = comm.vary %[[TW]]
// CHECK:         %[[P:.*]] = arith.mulf %[[X]], %[[V]]
// CHECK:         %[[LEFT:.*]] = arith.mulf %[[TX]], %[[V]]
// CHECK:         %[[RIGHT:.*]] = arith.mulf %[[TV]], %[[X]]
// CHECK:         %[[TP:.*]] = arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK:         %[[S:.*]] = comm.all_reduce sum %[[P]]
// CHECK:         %[[TS:.*]] = comm.all_reduce sum %[[TP]]
// CHECK:         return %[[N]], %[[S]], %[[TS]]
func.func @marks(%x: tensor<4xf32>, %n: tensor<4xi32>, %w: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>})
    -> (tensor<4xi32>, tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %p = arith.mulf %x, %w : tensor<4xf32>
  %s = comm.all_reduce sum %p over @mesh["tp"] : tensor<4xf32>
  return %n, %s : tensor<4xi32>, tensor<4xf32>
}

// Extrema: one all_reduce counts the ties, one sums the tangents.
// CHECK-LABEL: func.func @extremum_jvp(
// CHECK:         comm.all_reduce max
// CHECK-COUNT-2: comm.all_reduce sum
// CHECK-NOT:     comm.all
// CHECK:         return
func.func @extremum(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce max %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// The chunks of the others by one all_gather, the tangents by one all_reduce.
// CHECK-LABEL: func.func @product_jvp(
// CHECK:         comm.all_reduce prod
// CHECK:         comm.all_gather
// CHECK:         comm.all_reduce sum
// CHECK-NOT:     comm.all
// CHECK:         return
func.func @product(%x: tensor<4xf32>) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["tp"]>}) {
  %y = comm.all_reduce prod %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// Only what is active: the weight is held fixed, the integer and what no result
// reads have no tangent. A subset makes a private function.
// CHECK-LABEL: func.func private @scaled_jvp_wrt_0(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2xf32>, %[[W:[^:]*]]: tensor<2xf32>, %[[TX:[^:]*]]: tensor<2xf32>)
// CHECK-NEXT:    %[[Y:.*]] = arith.mulf %[[X]], %[[W]]
// CHECK-NEXT:    %[[TY:.*]] = arith.mulf %[[TX]], %[[W]]
// CHECK-NEXT:    return %[[Y]], %[[TY]]
// CHECK-LABEL: func.func @asks(
// CHECK:         call @scaled_jvp_wrt_0(
func.func private @scaled(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.mulf %x, %w : tensor<2xf32>
  %unused = math.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @asks(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %y, %ty = comm.jvp @scaled(%x, %w) tangents(%x) wrt [0]
    : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %ty : tensor<2xf32>
}
