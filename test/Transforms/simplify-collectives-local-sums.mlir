// RUN: comm-opt %s -comm-simplify-collectives -split-input-file | FileCheck %s

comm.mesh @mesh [tp = 3]

// The sum of a sum over ranks: 4 numbers travel, not 64.
// CHECK-LABEL: @sum(
// CHECK:         %[[SUM:.*]] = linalg.reduce ins(%{{.*}} : tensor<16x4xf32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [0]
// CHECK:         %[[Y:.*]] = comm.all_reduce sum %[[SUM]] over @mesh["tp"] : tensor<4xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @sum(%x: tensor<16x4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<16x4xf32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<16x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
  return %s : tensor<4xf32>
}

// CHECK-LABEL: @dynamic(
// CHECK:         linalg.reduce ins(%{{.*}} : tensor<?x?xf32>)
// CHECK:         comm.all_reduce avg %{{.*}} : tensor<?xf32>
func.func @dynamic(%x: tensor<?x?xf32>, %z: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y = comm.all_reduce avg %x over @mesh["tp"] : tensor<?x?xf32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [0]
  return %s : tensor<?xf32>
}

// CHECK-LABEL: @part(
// CHECK:         tensor.extract_slice
// CHECK-NEXT:    comm.all_reduce sum %{{.*}} : tensor<2xf32>
func.func @part(%x: tensor<16xf32>) -> tensor<2xf32> {
  %y = comm.all_reduce sum %x over @mesh["tp"] : tensor<16xf32>
  %s = tensor.extract_slice %y[4] [2] [1] : tensor<16xf32> to tensor<2xf32>
  return %s : tensor<2xf32>
}

// Not where the sum over ranks is read elsewhere, begins with something, is no
// sum, or the local op is no sum.
// CHECK-LABEL: @blocked(
// CHECK-COUNT-4: comm.all_reduce {{.*}} : tensor<16x4xf32>
// CHECK-NOT:   comm.all_reduce {{.*}} : tensor<4xf32>
func.func @blocked(%x: tensor<16x4xf32>, %w: tensor<16x4xf32>, %v: tensor<16x4xf32>, %u: tensor<16x4xf32>, %init: tensor<4xf32>)
    -> (tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %y0 = comm.all_reduce sum %x over @mesh["tp"] : tensor<16x4xf32>
  %s0 = linalg.reduce { arith.addf } ins(%y0 : tensor<16x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
  %y1 = comm.all_reduce sum %w over @mesh["tp"] : tensor<16x4xf32>
  %s1 = linalg.reduce { arith.addf } ins(%y1 : tensor<16x4xf32>) outs(%init : tensor<4xf32>) dimensions = [0]
  %y2 = comm.all_reduce max %v over @mesh["tp"] : tensor<16x4xf32>
  %s2 = linalg.reduce { arith.addf } ins(%y2 : tensor<16x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
  %y3 = comm.all_reduce sum %u over @mesh["tp"] : tensor<16x4xf32>
  %s3 = linalg.reduce { arith.maximumf } ins(%y3 : tensor<16x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
  return %y0, %s0, %s1, %s2, %s3 : tensor<16x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
