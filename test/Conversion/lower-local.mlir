// RUN: comm-opt %s --comm-lower-local | FileCheck %s

comm.mesh @mesh [one = 1, tp = 4]

// CHECK-LABEL: @vary(
// CHECK-NEXT: return %arg0
func.func @vary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = comm.vary %x over @mesh["tp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @all_slice(
// CHECK: %[[I:.*]] = comm.axis_index over @mesh["tp"]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[I]], %c2
// CHECK: tensor.extract_slice %arg0[0, %[[OFFSET]]] [3, 2] [1, 1] : tensor<3x8xf32> to tensor<3x2xf32>
func.func @all_slice(%x: tensor<3x8xf32>) -> tensor<3x2xf32> {
  %y = comm.all_slice %x dim 1 over @mesh["tp"] : tensor<3x8xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Upstream refuses a slice of what has no elements.
// CHECK-LABEL: @all_slice_empty(
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x0xf32>
// CHECK-NEXT: return %[[EMPTY]]
func.func @all_slice_empty(%x: tensor<4x0xf32>) -> tensor<1x0xf32> {
  %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<4x0xf32> -> tensor<1x0xf32>
  return %y : tensor<1x0xf32>
}

// CHECK-LABEL: @all_slice_dynamic(
// CHECK: %[[SIZE:.*]] = tensor.dim %arg0
// CHECK: call @comm.check_divisible(%[[SIZE]])
// CHECK-SAME: detail = "dim 0 over @mesh[\22tp\22]", dim = 0 : i64, of = "comm.all_slice"
// CHECK: arith.divui %[[SIZE]]
// CHECK: %[[SAME:.*]] = call @comm.check_size
// CHECK: scf.if %[[SAME]]
func.func @all_slice_dynamic(%x: tensor<?xf32>) -> tensor<2xf32> {
  %y = comm.all_slice %x dim 0 over @mesh["tp"] : tensor<?xf32> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @root_mask(
// CHECK: %[[I:.*]] = comm.axis_index over @mesh["tp"]
// CHECK: %[[IS_ROOT:.*]] = arith.cmpi eq, %[[I]], %c2
// CHECK: arith.select %[[IS_ROOT]], %{{.*}}, %cst
func.func @root_mask(%x: tensor<f32>) -> tensor<f32> {
  %y = comm.root_mask %x root 2 over @mesh["tp"] : tensor<f32>
  return %y : tensor<f32>
}

// V34: in a group of one rank every op is the identity or local.
// CHECK-LABEL: @one_rank(
// CHECK-NOT: comm.{{[a-z]}}
// Nobody sends: zeros.
// CHECK: %[[ZEROS:.*]] = linalg.fill
// CHECK-NOT: comm.{{[a-z]}}
// CHECK: return %arg0, %[[ZEROS]], %c0
func.func @one_rank(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, index) {
  %0 = comm.all_reduce avg %x over @mesh["one"] : tensor<4xf32>
  %1 = comm.all_gather %0 dim 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  %2 = comm.reduce_scatter sum %1 dim 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  %3 = comm.all_to_all %2 split 0 concat 0 over @mesh["one"] : tensor<4xf32>
  %4 = comm.broadcast %3 root 0 over @mesh["one"] : tensor<4xf32>
  %5 = comm.reduce sum %4 root 0 over @mesh["one"] : tensor<4xf32>
  %6 = comm.gather %5 dim 0 root 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  %7 = comm.scatter %6 dim 0 root 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  %8 = comm.permute %7 [(0, 0)] over @mesh["one"] : tensor<4xf32>
  %9 = comm.vary %8 over @mesh["one"] : tensor<4xf32>
  %10 = comm.all_slice %9 dim 0 over @mesh["one"] : tensor<4xf32> -> tensor<4xf32>
  %11 = comm.root_mask %10 root 0 over @mesh["one"] : tensor<4xf32>
  %12 = comm.permute %7 [] over @mesh["one"] : tensor<4xf32>
  comm.barrier over @mesh["one"]
  %i = comm.axis_index over @mesh["one"] : index
  return %11, %12, %i : tensor<4xf32>, tensor<4xf32>, index
}
