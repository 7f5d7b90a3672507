// No residual is returned twice: neither two equal ops of the program nor a
// size that it takes itself.
// RUN: comm-opt %s -comm-differentiate | FileCheck %s

// CHECK-LABEL: func.func private @f_fwd(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>)
// CHECK-DAG:     %[[A:.*]] = math.tanh %[[X]]
// CHECK-DAG:     %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK:         %[[C:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK:         %[[E:.*]] = arith.mulf %[[C]], %[[Y]]
// CHECK:         %[[S:.*]] = tensor.extract_slice
// CHECK:         %[[SIZE_E:.*]] = tensor.dim %[[E]]
// CHECK:         return %[[S]], %[[SIZE]], %[[A]], %[[Y]], %[[C]], %[[SIZE]], %[[SIZE_E]] :
// CHECK-LABEL: func.func private @f_bwd(
// CHECK-SAME:    %{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<?x4xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: tensor<?x4xf32>)
func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>)
    -> (tensor<?x4xf32>, index) {
  %a = math.tanh %x : tensor<?x4xf32>
  %b = math.tanh %x : tensor<?x4xf32>
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x4xf32>
  %c = arith.mulf %a, %b : tensor<?x4xf32>
  %e = arith.mulf %c, %y : tensor<?x4xf32>
  %s = tensor.extract_slice %e[0, 0] [%size, 4] [1, 1]
      : tensor<?x4xf32> to tensor<?x4xf32>
  return %s, %size : tensor<?x4xf32>, index
}
