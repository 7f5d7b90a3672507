// comm.custom_vjp: functions that carry their own adjoint.

// RUN: comm-opt %s -comm-differentiate=functions=mean,norm,outer | FileCheck %s

comm.mesh @mesh [dp = 3]
#dp = #comm.axes<@mesh["dp"]>

// A rule of one function: the function and the rule are called as they stand.
// CHECK-LABEL: func.func @mean(
// CHECK-LABEL: func.func private @mean_fwd(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[N:.*]]: index) -> (tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}, tensor<4xf32>, index)
// CHECK-NEXT:    %[[Y:.*]] = call @mean(%[[X]], %[[N]])
// CHECK-NEXT:    return %[[Y]], %[[X]], %[[N]]
// CHECK-LABEL: func.func private @mean_bwd(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[N:.*]]: index, %[[S:.*]]: tensor<4xf32> {comm.replicated = #comm.axes<@mesh["dp"]>}) -> tensor<4xf32>
// CHECK-NEXT:    %[[D:.*]] = call @mean_rule(%[[X]], %[[N]], %[[S]])
// CHECK-NEXT:    return %[[D]]
// CHECK-LABEL: func.func @mean_vjp(
// CHECK-NEXT:    call @mean(
// CHECK-NEXT:    call @mean_rule(
// CHECK-NEXT:    return
func.func @mean(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32> {comm.replicated = #dp})
    attributes {comm.custom_vjp = @mean_rule} {
  %y = comm.all_reduce avg %x over @mesh["dp"] : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @mean_rule(%x: tensor<4xf32>, %n: index, %dy: tensor<4xf32> {comm.replicated = #dp}) -> tensor<4xf32> {
  %third = arith.constant dense<0.333333343> : tensor<4xf32>
  %dx = arith.mulf %dy, %third : tensor<4xf32>
  return %dx : tensor<4xf32>
}

// A pair keeps residuals of its own: it is what a call runs.
// CHECK-LABEL: func.func @norm_vjp(
// CHECK-NEXT:    %[[F:.*]]:3 = call @norm_forward(
// CHECK-NEXT:    %[[B:.*]] = call @norm_backward(%[[F]]#1, %[[F]]#2, %{{.*}})
// CHECK-NEXT:    return %[[F]]#0, %[[B]]
func.func @norm(%x: tensor<4xf32>) -> tensor<4xf32> attributes {comm.custom_vjp = [@norm_forward, @norm_backward]} {
  %y = math.sqrt %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @norm_forward(%x: tensor<4xf32>) -> (tensor<4xf32>, i32, tensor<4xf32>) {
  %y = math.sqrt %x : tensor<4xf32>
  %n = arith.constant 2 : i32
  return %y, %n, %y : tensor<4xf32>, i32, tensor<4xf32>
}
func.func private @norm_backward(%n: i32, %y: tensor<4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %h = arith.mulf %dy, %half : tensor<4xf32>
  %dx = arith.divf %h, %y : tensor<4xf32>
  return %dx : tensor<4xf32>
}

// CHECK-LABEL: func.func private @outer_fwd(
// CHECK:         call @norm_forward(
// CHECK:         call @mean_fwd(
// CHECK-LABEL: func.func private @outer_bwd(
// CHECK:         call @mean_bwd(
// CHECK:         call @norm_backward(
func.func @outer(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32> {comm.replicated = #dp}) {
  %y = call @norm(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = call @mean(%y, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
