// RUN: comm-opt %s --comm-differentiate | FileCheck %s

// The callee's halves are called, its forward does not run again. The cotangent
// of a result that is not used is zero, of the sizes that the forward kept;
// integers have none.
func.func private @callee(%x: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, index, tensor<?xf32>) {
  %y = math.exp %x : tensor<?xf32>
  %z = math.sin %x : tensor<?xf32>
  return %y, %n, %z : tensor<?xf32>, index, tensor<?xf32>
}
// CHECK-LABEL: func.func private @callee_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>, %[[ARG1:.*]]: tensor<?xf32>, %[[ARG2:.*]]: tensor<?xf32>, %[[ARG3:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[V0:.*]] = math.cos %[[ARG1]] : tensor<?xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG3]], %[[V0]] : tensor<?xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.mulf %[[ARG2]], %[[ARG0]] : tensor<?xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addf %[[V1]], %[[V2]] : tensor<?xf32>
// CHECK-NEXT: return %[[V3]] : tensor<?xf32>

func.func @caller(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %y, %m, %z = call @callee(%x, %n)
    : (tensor<?xf32>, index) -> (tensor<?xf32>, index, tensor<?xf32>)
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @caller_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>, %[[ARG1:.*]]: tensor<?xf32>, %[[ARG2:.*]]: index, %[[ARG3:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.splat %[[C0]][%[[ARG2]]] : tensor<?xf32>
// CHECK-NEXT: %[[V2:.*]] = call @callee_bwd(%[[ARG0]], %[[ARG1]], %[[ARG3]], %[[V1]]) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %[[V2]] : tensor<?xf32>

// Two calls share the halves.
func.func @twice(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %a:3 = call @callee(%x, %n)
    : (tensor<?xf32>, index) -> (tensor<?xf32>, index, tensor<?xf32>)
  %b:3 = call @callee(%a#0, %n)
    : (tensor<?xf32>, index) -> (tensor<?xf32>, index, tensor<?xf32>)
  return %b#2 : tensor<?xf32>
}
// CHECK-LABEL: func.func private @twice_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>, %[[ARG1:.*]]: tensor<?xf32>, %[[ARG2:.*]]: tensor<?xf32>, %[[ARG3:.*]]: tensor<?xf32>, %[[SIZE0:.*]]: index, %[[SIZE1:.*]]: index, %[[ARG6:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.splat %[[C0]][%[[SIZE1]]] : tensor<?xf32>
// CHECK-NEXT: %[[V2:.*]] = call @callee_bwd(%[[ARG2]], %[[ARG3]], %[[V1]], %[[ARG6]]) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[V3:.*]] = tensor.splat %[[C0]][%[[SIZE0]]] : tensor<?xf32>
// CHECK-NEXT: %[[V4:.*]] = call @callee_bwd(%[[ARG0]], %[[ARG1]], %[[V2]], %[[V3]]) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %[[V4]] : tensor<?xf32>
