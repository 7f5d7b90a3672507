// RUN: comm-opt %s --comm-normalize-layout | FileCheck %s

comm.mesh @mesh [tp = 4]

// Along dimension 0 nothing is moved.
// CHECK-LABEL: @outermost(
// CHECK-NEXT: comm.all_gather %arg0 dim 0
// CHECK-NEXT: return
func.func @outermost(%x: tensor<2x3xf32>) -> tensor<8x3xf32> {
  %y = comm.all_gather %x dim 0 over @mesh["tp"] : tensor<2x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// CHECK-LABEL: @all_gather(
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[}}[0, 1], [2]] output_shape [1, 2, 3]
// CHECK: %[[Y:.*]] = comm.all_gather %[[X]] dim 0 over @mesh["tp"] {detail = "dim 1 over @mesh[\22tp\22]"} : tensor<1x2x3xf32> -> tensor<4x2x3xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[Y]] : tensor<4x2x3xf32>) outs(%{{.*}} : tensor<2x4x3xf32>) permutation = [1, 0, 2]
// CHECK: tensor.collapse_shape %[[T]] {{\[}}[0], [1, 2]] : tensor<2x4x3xf32> into tensor<2x12xf32>
func.func @all_gather(%x: tensor<2x3xf32>) -> tensor<2x12xf32> {
  %y = comm.all_gather %x dim 1 over @mesh["tp"] : tensor<2x3xf32> -> tensor<2x12xf32>
  return %y : tensor<2x12xf32>
}

// CHECK-LABEL: @reduce_scatter(
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]] output_shape [2, 4, 3]
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[X]] : tensor<2x4x3xf32>) outs(%{{.*}} : tensor<4x2x3xf32>) permutation = [1, 0, 2]
// CHECK: %[[Y:.*]] = comm.reduce_scatter avg %[[T]] dim 0 {{.*}} : tensor<4x2x3xf32> -> tensor<1x2x3xf32>
// CHECK: tensor.collapse_shape %[[Y]] {{\[}}[0, 1], [2]] : tensor<1x2x3xf32> into tensor<2x3xf32>
func.func @reduce_scatter(%x: tensor<2x12xf32>) -> tensor<2x3xf32> {
  %y = comm.reduce_scatter avg %x dim 1 over @mesh["tp"] : tensor<2x12xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// One transpose: only the concatenation is not outermost.
// CHECK-LABEL: @all_to_all(
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{\[}}[0, 1], [2]] output_shape [4, 2, 3]
// CHECK-NEXT: %[[Y:.*]] = comm.all_to_all %[[X]] split 0 concat 0 {{.*}} : tensor<4x2x3xf32>
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[Y]] : tensor<4x2x3xf32>) outs(%{{.*}} : tensor<2x4x3xf32>) permutation = [1, 0, 2]
// CHECK: tensor.collapse_shape %[[T]] {{\[}}[0], [1, 2]] : tensor<2x4x3xf32> into tensor<2x12xf32>
func.func @all_to_all(%x: tensor<8x3xf32>) -> tensor<2x12xf32> {
  %y = comm.all_to_all %x split 0 concat 1 over @mesh["tp"] : tensor<8x3xf32> -> tensor<2x12xf32>
  return %y : tensor<2x12xf32>
}

// V48: sizes of zero.
// CHECK-LABEL: @empty(
// CHECK: comm.all_to_all {{.*}} : tensor<4x1x0x2xf32>
func.func @empty(%x: tensor<1x0x2xf32>) -> tensor<1x0x8xf32> {
  %y = comm.all_to_all %x split 1 concat 2 over @mesh["tp"] : tensor<1x0x2xf32> -> tensor<1x0x8xf32>
  return %y : tensor<1x0x8xf32>
}

// Dynamic sizes are checked, and a static result only where its size is right.
// CHECK-LABEL: @dynamic(
// CHECK: call @comm.check_divisible(%[[SIZE:.*]]) {{.*}}dim = 1 : i64, of = "comm.scatter"
// CHECK: %[[CHUNK:.*]] = arith.divui %[[SIZE]], %c4
// CHECK: comm.scatter {{.*}} : tensor<4x2x?xf32> -> tensor<1x2x?xf32>
// CHECK: %[[SAME:.*]] = call @comm.check_size(%{{.*}}, %c3
// CHECK: scf.if %[[SAME]] -> (tensor<2x3xf32>)
// CHECK: tensor.cast
func.func @dynamic(%x: tensor<2x?xf32>) -> tensor<2x3xf32> {
  %y = comm.scatter %x dim 1 root 0 over @mesh["tp"] : tensor<2x?xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// A cast hides sizes that are known: what is built from them has them static.
// CHECK-LABEL: @behind_cast(
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2]] output_shape [1, 3, 2] : tensor<3x2xf32> into tensor<1x3x2xf32>
// CHECK: comm.all_gather {{.*}} : tensor<1x3x2xf32> -> tensor<4x3x2xf32>
// CHECK: tensor.cast %{{.*}} : tensor<3x8xf32> to tensor<?x8xf32>
func.func @behind_cast(%x: tensor<3x2xf32>) -> tensor<?x8xf32> {
  %c = tensor.cast %x : tensor<3x2xf32> to tensor<?x2xf32>
  %y = comm.all_gather %c dim 1 over @mesh["tp"] : tensor<?x2xf32> -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: @scattered_behind_cast(
// CHECK: tensor.expand_shape {{.*}} : tensor<3x8xf32> into tensor<3x4x2xf32>
func.func @scattered_behind_cast(%x: tensor<3x8xf32>) -> tensor<?x2xf32> {
  %c = tensor.cast %x : tensor<3x8xf32> to tensor<?x8xf32>
  %y = comm.reduce_scatter sum %c dim 1 over @mesh["tp"] : tensor<?x8xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// CHECK-LABEL: @exchanged_behind_cast(
// CHECK: tensor.expand_shape {{.*}} : tensor<3x8xf32> into tensor<3x4x2xf32>
func.func @exchanged_behind_cast(%x: tensor<3x8xf32>) -> tensor<?x2xf32> {
  %c = tensor.cast %x : tensor<3x8xf32> to tensor<?x8xf32>
  %y = comm.all_to_all %c split 1 concat 0 over @mesh["tp"] : tensor<?x8xf32> -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
