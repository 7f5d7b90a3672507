// RUN: comm-opt %s -comm-differentiate="mode=forward" | FileCheck %s

// A quotient costs one more division: (ẋ - z·ẏ)/y.
// CHECK-LABEL: func.func @quotient_jvp(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[TX:.*]]: f32, %[[TY:.*]]: f32)
// CHECK-NEXT:    %[[Z:.*]] = arith.divf %[[X]], %[[Y]]
// CHECK-NEXT:    %[[A:.*]] = arith.mulf %[[Z]], %[[TY]]
// CHECK-NEXT:    %[[B:.*]] = arith.subf %[[TX]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = arith.divf %[[B]], %[[Y]]
// CHECK-NEXT:    return %[[Z]], %[[C]]
func.func @quotient(%x: f32, %y: f32) -> f32 {
  %z = arith.divf %x, %y : f32
  return %z : f32
}

// A product of matrices: two products, the second adds to the first.
// CHECK-LABEL: func.func @product_jvp(
// CHECK-SAME:    %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3x4xf32>, %[[TA:.*]]: tensor<2x3xf32>, %[[TB:.*]]: tensor<3x4xf32>)
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] :
// CHECK:         %[[L:.*]] = linalg.matmul ins(%[[TA]], %[[B]] :
// CHECK:         %[[R:.*]] = linalg.matmul ins(%[[A]], %[[TB]] : {{.*}}) outs(%[[L]] :
// CHECK-NOT:     linalg.matmul
// CHECK:         return %{{.*}}, %[[R]]
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// A structured op: one more, whose body is the tangent of the body.
// CHECK-LABEL: func.func @body_jvp(
// CHECK-SAME:    %[[X:.*]]: tensor<5xf32>, %[[TX:.*]]: tensor<5xf32>)
// CHECK:         linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%[[TX]], %[[X]] : tensor<5xf32>, tensor<5xf32>)
// CHECK-NEXT:    ^bb0(%[[T:.*]]: f32, %[[P:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[C:.*]] = math.cos %[[P]]
// CHECK-NEXT:      %[[D:.*]] = arith.mulf %[[T]], %[[C]]
// CHECK-NEXT:      linalg.yield %[[D]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @body(%x: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// Within a border of ones the tangent has a border of zeros.
// CHECK-LABEL: func.func @border_jvp(
// CHECK:         tensor.pad
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT:    tensor.yield %[[ZERO]]
// CHECK:         return %{{.*}}, %[[P]]
func.func @border(%x: tensor<2xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// A part of a tensor that has no tangent is put into zeros.
// CHECK-LABEL: func.func @part_jvp(
// CHECK-SAME:    %[[X:.*]]: tensor<1xf32>, %[[TX:.*]]: tensor<1xf32>)
// CHECK:         %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[TX]] into %[[ZEROS]][2] [1] [1]
// CHECK:         return %{{.*}}, %[[P]]
func.func @part(%x: tensor<1xf32>) -> tensor<4xf32> {
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %y = tensor.insert_slice %x into %ones[2] [1] [1] : tensor<1xf32> into tensor<4xf32>
  return %y : tensor<4xf32>
}

// A promise that values are finite is not one for tangents.
// CHECK-LABEL: func.func @flags_jvp(
// CHECK:         arith.extf %{{.*}} fastmath<nnan,contract>
// CHECK:         arith.extf %{{.*}} fastmath<contract>
// CHECK:         return
func.func @flags(%x: f32) -> f64 {
  %y = arith.extf %x fastmath<nnan, contract> : f32 to f64
  return %y : f64
}
