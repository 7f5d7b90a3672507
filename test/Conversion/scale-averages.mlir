// RUN: comm-opt %s -comm-scale-averages | FileCheck %s

comm.mesh @mesh [dp = 2, tp = 3]

// CHECK-LABEL: func.func @averages(
// CHECK-SAME: %[[X:.*]]: tensor<6xf16>
func.func @averages(%x: tensor<6xf16>) -> (tensor<6xf16>, tensor<2xf16>, tensor<6xf16>, tensor<6xf16>) {
  // CHECK: %[[SIX:.*]] = arith.constant dense<6.000000e+00> : tensor<6xf16>
  // CHECK: %[[PART:.*]] = arith.divf %[[X]], %[[SIX]] : tensor<6xf16>
  // CHECK: comm.all_reduce sum %[[PART]] over @mesh["dp", "tp"]
  %a = comm.all_reduce avg %x over @mesh["dp", "tp"] : tensor<6xf16>
  // CHECK: dense<3.000000e+00>
  // CHECK: comm.reduce_scatter sum
  %b = comm.reduce_scatter avg %x dim 0 over @mesh["tp"] : tensor<6xf16> -> tensor<2xf16>
  // CHECK: dense<2.000000e+00>
  // CHECK: comm.reduce sum
  %c = comm.reduce avg %x root 1 over @mesh["dp"] : tensor<6xf16>
  // CHECK: comm.all_reduce max %[[X]]
  %d = comm.all_reduce max %x over @mesh["dp"] : tensor<6xf16>
  return %a, %b, %c, %d : tensor<6xf16>, tensor<2xf16>, tensor<6xf16>, tensor<6xf16>
}
