// A replicated bias under a batch that differs on every rank: its gradient is
// summed over the rows first, and the all_reduce moves 4 numbers.

// RUN: comm-opt %s -comm-differentiate | FileCheck %s
// RUN: comm-run %s --check-grad

comm.mesh @mesh [dp = 4]

// CHECK-LABEL: @bias_bwd
// CHECK:         comm.all_reduce sum %{{.*}} over @mesh["dp"] : tensor<4xf32>
// CHECK-NOT:     comm.all_reduce
// CHECK-LABEL: @bias_vjp
func.func @bias(%x: tensor<16x4xf32>, %b: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) -> tensor<16x4xf32> {
  %e = tensor.empty() : tensor<16x4xf32>
  %rows = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<16x4xf32>) dimensions = [0]
  %y = arith.mulf %x, %rows : tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}
