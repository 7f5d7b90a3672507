// RUN: comm-opt --comm-differentiate --split-input-file %s | FileCheck %s

// ā = ȳ·bᵀ and b̄ = aᵀ·ȳ by maps; the accumulator's cotangent is ȳ itself.
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>)
    -> tensor<2x4xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>)
    outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
// CHECK-DAG: #[[$ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$ROWS_T:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$COLUMNS_T:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func private @matmul_bwd
// CHECK-SAME: (%[[B:.*]]: tensor<3x4xf32>, %[[A:.*]]: tensor<2x3xf32>, %[[DY:.*]]: tensor<2x4xf32>)
// CHECK-NOT: transpose
// CHECK: linalg.fill
// CHECK: %[[DA:.*]] = linalg.matmul indexing_maps = [#[[$ROWS]], #[[$COLUMNS_T]], #[[$RESULT]]] ins(%[[DY]], %[[B]]
// CHECK: linalg.fill
// CHECK: %[[DB:.*]] = linalg.matmul indexing_maps = [#[[$ROWS_T]], #[[$COLUMNS]], #[[$RESULT]]] ins(%[[A]], %[[DY]]
// CHECK-NOT: linalg
// CHECK: return %[[DA]], %[[DB]], %[[DY]]

// -----

// Only what the other input's cotangent reads is kept.
func.func @left(%a: tensor<2x3xf32>, %n: tensor<12xi32>) -> tensor<2x4xf32> {
  %b = arith.constant dense<2.0> : tensor<3x4xf32>
  %c = arith.constant dense<0.0> : tensor<2x4xf32>
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>)
    outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @left_bwd
// CHECK-SAME: (%[[DY:[a-z0-9]*]]: tensor<2x4xf32>) -> tensor<2x3xf32>
// CHECK: linalg.matmul
// CHECK-NOT: linalg.matmul
// CHECK: return

// -----

func.func @matvec(%a: tensor<?x?xf32>, %x: tensor<?xf32>, %c: tensor<?xf32>)
    -> tensor<?xf32> {
  %y = linalg.matvec ins(%a, %x : tensor<?x?xf32>, tensor<?xf32>)
    outs(%c : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// The outer product goes through the generic rule.
// CHECK-LABEL: func.func private @matvec_bwd
// CHECK-DAG: linalg.vecmat ins(%[[DY:.*]], %[[A:.*]] : tensor<?xf32>, tensor<?x?xf32>)
// CHECK-DAG: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
// CHECK: return

// -----

func.func @dot(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>)
    -> tensor<f32> {
  %y = linalg.dot ins(%a, %b : tensor<4xf32>, tensor<4xf32>)
    outs(%c : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
// CHECK-LABEL: func.func private @dot_bwd
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel"]} {{.*}} outs(%{{.*}}, %{{.*}} :
// CHECK-NOT: linalg.generic
// CHECK: return

// -----

func.func @batch_matmul(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>,
                        %c: tensor<5x2x4xf32>) -> tensor<5x2x4xf32> {
  %y = linalg.batch_matmul ins(%a, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32>)
    outs(%c : tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}
// CHECK-LABEL: func.func private @batch_matmul_bwd
// CHECK: linalg.batch_matmul indexing_maps = {{.*}} -> tensor<5x2x3xf32>
// CHECK: linalg.batch_matmul indexing_maps = {{.*}} -> tensor<5x3x4xf32>

// -----

// One matrix for the whole batch: its cotangent sums over the batch.
func.func @shared(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>,
                  %c: tensor<5x2x4xf32>) -> tensor<5x2x4xf32> {
  %y = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>,
                                        affine_map<(b, i, j, k) -> (k, j)>,
                                        affine_map<(b, i, j, k) -> (b, i, j)>]
    ins(%a, %b : tensor<5x2x3xf32>, tensor<3x4xf32>)
    outs(%c : tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}
// CHECK-LABEL: func.func private @shared_bwd
// CHECK: linalg.contract {{.*}} -> tensor<5x2x3xf32>
// CHECK: linalg.contract {{.*}} -> tensor<3x4xf32>

// -----

// Summed in the wide type, then rounded.
func.func @mixed(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %c: tensor<2x4xf32>)
    -> tensor<2x4xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf16>, tensor<3x4xf16>)
    outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
// CHECK-LABEL: func.func private @mixed_bwd
// CHECK: %[[DA:.*]] = linalg.matmul {{.*}} -> tensor<2x3xf32>
// CHECK: arith.truncf %[[DA]] : tensor<2x3xf32> to tensor<2x3xf16>
// CHECK: %[[DB:.*]] = linalg.matmul {{.*}} -> tensor<3x4xf32>
// CHECK: arith.truncf %[[DB]] : tensor<3x4xf32> to tensor<3x4xf16>
