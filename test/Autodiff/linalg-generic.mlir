// RUN: comm-opt --comm-differentiate --split-input-file %s | FileCheck %s

func.func @copy(%a: tensor<3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %y = linalg.copy ins(%a : tensor<3xf32>) outs(%c : tensor<3xf32>)
    -> tensor<3xf32>
  return %y : tensor<3xf32>
}
// CHECK-LABEL: func.func private @copy_bwd
// CHECK-SAME: (%[[DY:.*]]: tensor<3xf32>)
// CHECK-NOT: linalg
// CHECK: return %[[DY]], %{{.*}}

// -----

func.func @transpose(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %e = tensor.empty() : tensor<4x2x3xf32>
  %y = linalg.transpose ins(%a : tensor<2x3x4xf32>)
    outs(%e : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  return %y : tensor<4x2x3xf32>
}
// CHECK-LABEL: func.func private @transpose_bwd
// CHECK-SAME: (%[[DY:.*]]: tensor<4x2x3xf32>)
// CHECK: linalg.transpose ins(%[[DY]] {{.*}} permutation = [1, 2, 0]
// CHECK-NOT: linalg
// CHECK: return

// -----

func.func @broadcast(%a: tensor<2x4xf32>) -> tensor<2x3x4xf32> {
  %e = tensor.empty() : tensor<2x3x4xf32>
  %y = linalg.broadcast ins(%a : tensor<2x4xf32>)
    outs(%e : tensor<2x3x4xf32>) dimensions = [1]
  return %y : tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func private @broadcast_bwd
// CHECK-SAME: (%[[DY:.*]]: tensor<2x3x4xf32>)
// CHECK: linalg.reduce { arith.addf } ins(%[[DY]] {{.*}} dimensions = [1]
// CHECK-NOT: linalg
// CHECK: return

// -----

// The sizes alone are kept.
func.func @reduce(%a: tensor<?x3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %y = linalg.reduce {arith.addf} ins(%a : tensor<?x3xf32>)
    outs(%c : tensor<3xf32>) dimensions = [0]
  return %y : tensor<3xf32>
}
// CHECK-LABEL: func.func private @reduce_bwd
// CHECK-SAME: (%[[N:.*]]: index, %[[DY:.*]]: tensor<3xf32>)
// CHECK: %[[E:.*]] = tensor.empty(%[[N]])
// CHECK: %[[DA:.*]] = linalg.broadcast ins(%[[DY]] {{.*}} outs(%[[E]] {{.*}} dimensions = [0]
// CHECK-NOT: linalg
// CHECK: return %[[DA]], %[[DY]]

// -----

func.func @fill(%s: f32, %c: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = linalg.fill ins(%s : f32) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @fill_bwd
// CHECK-SAME: (%[[DY:.*]]: tensor<2x3xf32>)
// CHECK: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[DY]] {{.*}} dimensions = [0, 1]
// CHECK: %[[DS:.*]] = tensor.extract %[[SUM]][]
// CHECK: return %[[DS]]

// -----

// A linear body keeps nothing; one generic computes both cotangents.
func.func @linear(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
    ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %three : f32
    %1 = arith.subf %0, %q : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func private @linear_bwd
// CHECK-SAME: (%[[DY:[a-z0-9]*]]: tensor<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[DY]] : tensor<4xf32>) outs(%{{.*}}, %{{.*}} :
// CHECK-NOT: linalg.generic
// CHECK: return

// -----

// The bias of a layer: its cotangent sums that of the other operand, whose
// terms are the same.
func.func @bias(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<2x3xf32>, tensor<3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.addf %p, %q : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
// CHECK-LABEL: func.func private @bias_bwd
// CHECK: %[[DA:.*]] = linalg.generic
// CHECK: %[[DB:.*]] = linalg.reduce { arith.addf } ins(%[[DA]] {{.*}} dimensions = [0]
// CHECK: return %[[DA]], %[[DB]]

// -----

// Even split between ties, the init among them.
func.func @maximum(%a: tensor<2x3xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.reduce {arith.maximumf} ins(%a : tensor<2x3xf32>)
    outs(%c : tensor<2xf32>) dimensions = [1]
  return %y : tensor<2xf32>
}
// CHECK-LABEL: func.func private @maximum_bwd
// CHECK: %[[ONE:.*]] = arith.select {{.*}} : tensor<2xi1>, tensor<2xf32>
// CHECK: %[[TIES:.*]] = linalg.generic {{.*}} outs(%[[ONE]] : tensor<2xf32>)
// CHECK: %[[SHARE:.*]] = arith.divf %{{.*}}, %[[TIES]]
// CHECK-DAG: arith.mulf %[[SHARE]], %[[ONE]]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[SHARE]],
// CHECK: return

// -----

// A loop that only the window spans gets its extent from a tensor that is not
// read.
func.func @pooling(%a: tensor<1x4x4x2xf32>, %c: tensor<1x2x3x2xf32>)
    -> tensor<1x2x3x2xf32> {
  %w = tensor.empty() : tensor<3x2xf32>
  %y = linalg.pooling_nhwc_sum
    ins(%a, %w : tensor<1x4x4x2xf32>, tensor<3x2xf32>)
    outs(%c : tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  return %y : tensor<1x2x3x2xf32>
}
// CHECK: #[[$WINDOW:.*]] = affine_map<({{.*}}) -> (d0, d1 + d4, d2 + d5, d3)>
// CHECK-LABEL: func.func private @pooling_bwd
// CHECK-SAME: (%[[DY:[a-z0-9]*]]: tensor<1x2x3x2xf32>)
// CHECK-DAG: %[[H:.*]] = tensor.empty() : tensor<3xf32>
// CHECK-DAG: %[[W:.*]] = tensor.empty() : tensor<2xf32>
// CHECK: linalg.generic {{.*}} #[[$WINDOW]]]
// CHECK-SAME: ins(%[[DY]], %[[H]], %[[W]] :
