// RUN: comm-opt %s -comm-differentiate="functions=mul,caller" | FileCheck %s

// The halves, and both together. Residuals: what the rules read, each once.
// CHECK-LABEL: func.func private @mul_fwd(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[Z:.*]]: tensor<?xf32>)
// CHECK:         %[[Y:.*]] = arith.mulf %[[X]], %[[Z]]
// CHECK:         %[[E:.*]] = math.exp %[[Y]]
// CHECK:         return %[[E]], %[[Z]], %[[X]], %[[E]]
// CHECK-LABEL: func.func private @mul_bwd(
// CHECK-SAME:    %[[Z:.*]]: tensor<?xf32>, %[[X:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?xf32>, %[[DE:.*]]: tensor<?xf32>)
// CHECK:         %[[DY:.*]] = arith.mulf %[[DE]], %[[E]]
// CHECK:         %[[DX:.*]] = arith.mulf %[[DY]], %[[Z]]
// CHECK:         %[[DZ:.*]] = arith.mulf %[[DY]], %[[X]]
// CHECK:         return %[[DX]], %[[DZ]]
// CHECK-LABEL: func.func @mul_vjp(
// CHECK-COUNT-4: arith.mulf
func.func @mul(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.mulf %x, %z : tensor<?xf32>
  %e = math.exp %y : tensor<?xf32>
  return %e : tensor<?xf32>
}

// The callee is differentiated once; its forward is not run again.
// CHECK-LABEL: func.func private @caller_bwd(
// CHECK:         %[[D:.*]]:2 = call @mul_bwd(
// CHECK:         %[[SUM:.*]] = arith.addf %[[D]]#0, %[[D]]#1
// CHECK:         call @mul_bwd({{.*}}, %[[SUM]])
// CHECK-LABEL: func.func @caller_vjp(
// CHECK-COUNT-2: call @mul_fwd
// CHECK-COUNT-2: call @mul_bwd
// CHECK-NOT:     call
func.func @caller(%x: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %y = call @mul(%x, %z) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %w = call @mul(%y, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %w : tensor<?xf32>
}
