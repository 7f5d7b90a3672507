// RUN: comm-opt %s --comm-differentiate | FileCheck %s

func.func @extract_slice(%x: tensor<4x?xf32>, %i: index, %n: index)
    -> tensor<?xf32> {
  %y = tensor.extract_slice %x[2, %i] [1, %n] [1, 2]
    : tensor<4x?xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @extract_slice_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: index, %[[ARG2:.*]]: index, %[[ARG3:.*]]: tensor<?xf32>) -> tensor<4x?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.splat %[[C0]][%[[ARG2]]] : tensor<4x?xf32>
// CHECK-NEXT: %[[V2:.*]] = tensor.insert_slice %[[ARG3]] into %[[V1]][2, %[[ARG0]]] [1, %[[ARG1]]] [1, 2] : tensor<?xf32> into tensor<4x?xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x?xf32>

func.func @insert_slice(%x: tensor<2xf32>, %y: tensor<4x5xf32>)
    -> tensor<4x5xf32> {
  %z = tensor.insert_slice %x into %y[3, 1] [1, 2] [1, 3]
    : tensor<2xf32> into tensor<4x5xf32>
  return %z : tensor<4x5xf32>
}
// CHECK-LABEL: func.func private @insert_slice_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4x5xf32>) -> (tensor<2xf32>, tensor<4x5xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = tensor.extract_slice %[[ARG0]][3, 1] [1, 2] [1, 3] : tensor<4x5xf32> to tensor<2xf32>
// CHECK-NEXT: %[[V2:.*]] = tensor.insert_slice %[[C0]] into %[[ARG0]][3, 1] [1, 2] [1, 3] : tensor<2xf32> into tensor<4x5xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<2xf32>, tensor<4x5xf32>

func.func @pad(%x: tensor<2x?xf32>, %low: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.pad %x low[%low, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x?xf32> to tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @pad_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: index, %[[ARG2:.*]]: tensor<?x?xf32>) -> tensor<2x?xf32>
// CHECK-NEXT: %[[V0:.*]] = tensor.extract_slice %[[ARG2]][%[[ARG0]], 1] [2, %[[ARG1]]] [1, 1] : tensor<?x?xf32> to tensor<2x?xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x?xf32>

// The sizes of what stands before are kept, and nothing else.
func.func @concat(%x: tensor<?xf32>, %y: tensor<3xf32>, %z: tensor<?xf32>)
    -> tensor<?xf32> {
  %r = tensor.concat dim(0) %x, %y, %z
    : (tensor<?xf32>, tensor<3xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: func.func private @concat_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: index, %[[ARG2:.*]]: tensor<?xf32>) -> (tensor<?xf32>, tensor<3xf32>, tensor<?xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[V1:.*]] = tensor.extract_slice %[[ARG2]][0] [%[[ARG0]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: %[[V2:.*]] = tensor.extract_slice %[[ARG2]][%[[ARG0]]] [3] [1] : tensor<?xf32> to tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.addi %[[ARG0]], %[[C0]] : index
// CHECK-NEXT: %[[V4:.*]] = tensor.extract_slice %[[ARG2]][%[[V3]]] [%[[ARG1]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]], %[[V4]] : tensor<?xf32>, tensor<3xf32>, tensor<?xf32>

// What has no elements has no part: a slice of none would be refused.
func.func @concat_empty(%x: tensor<3x2xf32>, %y: tensor<0x2xf32>)
    -> tensor<3x2xf32> {
  %r = tensor.concat dim(0) %x, %y
    : (tensor<3x2xf32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
// CHECK-LABEL: func.func private @concat_empty_bwd
// CHECK: return %{{.*}} : tensor<3x2xf32>, tensor<0x2xf32>

func.func @pad_empty(%x: tensor<0x2xf32>) -> tensor<1x2xf32> {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<0x2xf32> to tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
// CHECK-LABEL: func.func private @pad_empty_bwd
// CHECK-NOT: extract_slice
// CHECK: return %{{.*}} : tensor<0x2xf32>

func.func @expand_shape(%x: tensor<?xf32>, %n: index) -> tensor<?x3xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%n, 3]
    : tensor<?xf32> into tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
// CHECK-LABEL: func.func private @expand_shape_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?x3xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = tensor.collapse_shape %[[ARG0]] {{\[\[}}0, 1{{\]\]}} : tensor<?x3xf32> into tensor<?xf32>
// CHECK-NEXT: return %[[C0]] : tensor<?xf32>

func.func @collapse_shape(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @collapse_shape_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: tensor<?xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: %[[V0:.*]] = tensor.expand_shape %[[ARG1]] {{\[\[}}0, 1{{\]\]}} output_shape [%[[ARG0]], 3] : tensor<?xf32> into tensor<?x3xf32>
// CHECK-NEXT: return %[[V0]] : tensor<?x3xf32>

func.func @reshape(%x: tensor<2x3xf32>, %shape: tensor<1xindex>)
    -> tensor<?xf32> {
  %y = tensor.reshape %x(%shape)
    : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @reshape_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<[2, 3]> : tensor<2xindex>
// CHECK-NEXT: %[[V1:.*]] = tensor.reshape %[[ARG0]](%[[C0]]) : (tensor<?xf32>, tensor<2xindex>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3xf32>

func.func @cast(%x: tensor<4xf32>) -> tensor<?xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @cast_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[C0:.*]] = tensor.cast %[[ARG0]] : tensor<?xf32> to tensor<4xf32>
// CHECK-NEXT: return %[[C0]] : tensor<4xf32>

func.func @splat(%x: f32, %n: index) -> tensor<?xf32> {
  %y = tensor.splat %x[%n] : tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @splat_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>) -> f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = linalg.reduce ins(%[[ARG0]] : tensor<?xf32>) outs(%[[C0]] : tensor<f32>) dimensions = [0]
// CHECK-NEXT: (%[[V2:.*]]: f32, %[[V3:.*]]: f32) {
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[V2]], %[[V3]] : f32
// CHECK-NEXT: linalg.yield %[[V4]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[V5:.*]] = tensor.extract %[[V1]][] : tensor<f32>
// CHECK-NEXT: return %[[V5]] : f32

// Narrow types are summed in f32: 4096 ones add up to 2048 in f16.
func.func @splat_f16(%x: f16) -> tensor<4096xf16> {
  %y = tensor.splat %x : tensor<4096xf16>
  return %y : tensor<4096xf16>
}
// CHECK-LABEL: func.func private @splat_f16_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4096xf16>) -> f16
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = arith.extf %[[ARG0]] : tensor<4096xf16> to tensor<4096xf32>
// CHECK-NEXT: %[[V2:.*]] = linalg.reduce ins(%[[V1]] : tensor<4096xf32>) outs(%[[C0]] : tensor<f32>) dimensions = [0]
// CHECK-NEXT: (%[[V3:.*]]: f32, %[[V4:.*]]: f32) {
// CHECK-NEXT: %[[V5:.*]] = arith.addf %[[V3]], %[[V4]] : f32
// CHECK-NEXT: linalg.yield %[[V5]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[V6:.*]] = tensor.extract %[[V2]][] : tensor<f32>
// CHECK-NEXT: %[[V7:.*]] = arith.truncf %[[V6]] : f32 to f16
// CHECK-NEXT: return %[[V7]] : f16

func.func @extract(%x: tensor<?xf32>, %i: index) -> f32 {
  %y = tensor.extract %x[%i] : tensor<?xf32>
  return %y : f32
}
// CHECK-LABEL: func.func private @extract_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: index, %[[ARG2:.*]]: f32) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.splat %[[C0]][%[[ARG1]]] : tensor<?xf32>
// CHECK-NEXT: %[[V2:.*]] = tensor.insert %[[ARG2]] into %[[V1]][%[[ARG0]]] : tensor<?xf32>
// CHECK-NEXT: return %[[V2]] : tensor<?xf32>

func.func @insert(%s: f32, %x: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %y = tensor.insert %s into %x[%i] : tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func private @insert_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: tensor<4xf32>) -> (f32, tensor<4xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.extract %[[ARG1]][%[[ARG0]]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tensor.insert %[[C0]] into %[[ARG1]][%[[ARG0]]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]] : f32, tensor<4xf32>

func.func @from_elements(%a: f32, %b: f32) -> tensor<2x1xf32> {
  %y = tensor.from_elements %a, %b : tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func private @from_elements_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<2x1xf32>) -> (f32, f32)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = tensor.extract %[[ARG0]][%[[C1]], %[[C1]]] : tensor<2x1xf32>
// CHECK-NEXT: %[[V3:.*]] = tensor.extract %[[ARG0]][%[[C0]], %[[C1]]] : tensor<2x1xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : f32, f32

// The padding value gets the sum over the border: in the forward it is an
// operand, of a splat.
func.func @pad_value(%x: tensor<2x?xf64>, %v: f64) -> tensor<4x?xf64> {
  %y = tensor.pad %x low[1, 0] high[1, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f64
  } : tensor<2x?xf64> to tensor<4x?xf64>
  return %y : tensor<4x?xf64>
}
// CHECK-LABEL: func.func private @pad_value_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG2:.*]]: tensor<4x?xf64>) -> (tensor<2x?xf64>, f64)
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0.000000e+00> : tensor<f64>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-NEXT: %[[V2:.*]] = tensor.extract_slice %[[ARG2]][1, 0] [2, %[[ARG0]]] [1, 1] : tensor<4x?xf64> to tensor<2x?xf64>
// CHECK-NEXT: %[[V3:.*]] = tensor.splat %[[C1]][%[[ARG0]]] : tensor<2x?xf64>
// CHECK-NEXT: %[[V4:.*]] = tensor.insert_slice %[[V3]] into %[[ARG2]][1, 0] [2, %[[ARG0]]] [1, 1] : tensor<2x?xf64> into tensor<4x?xf64>
// CHECK-NEXT: %[[V5:.*]] = linalg.reduce ins(%[[V4]] : tensor<4x?xf64>) outs(%[[C0]] : tensor<f64>) dimensions = [0, 1]
// CHECK-NEXT: (%[[V6:.*]]: f64, %[[V7:.*]]: f64) {
// CHECK-NEXT: %[[V8:.*]] = arith.addf %[[V6]], %[[V7]] : f64
// CHECK-NEXT: linalg.yield %[[V8]] : f64
// CHECK-NEXT: }
// CHECK-NEXT: %[[V9:.*]] = tensor.extract %[[V5]][] : tensor<f64>
// CHECK-NEXT: return %[[V2]], %[[V9]] : tensor<2x?xf64>, f64
