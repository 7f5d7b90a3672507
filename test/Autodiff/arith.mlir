// RUN: comm-opt %s --comm-differentiate | FileCheck %s

// A linear op keeps nothing.
func.func @sub(%x: f32, %y: f32) -> f32 {
  %z = arith.subf %x, %y fastmath<contract,ninf> : f32
  return %z : f32
}
// CHECK-LABEL: func.func private @sub_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32) -> (f32, f32)
// CHECK-NEXT: %[[V0:.*]] = arith.negf %[[ARG0]] fastmath<contract> : f32
// CHECK-NEXT: return %[[ARG0]], %[[V0]] : f32, f32

// A constant is not kept: it stands in the backward again.
func.func @mul_by_constant(%x: f64) -> f64 {
  %c = arith.constant 3.0 : f64
  %z = arith.mulf %x, %c : f64
  return %z : f64
}
// CHECK-LABEL: func.func private @mul_by_constant_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f64) -> f64
// CHECK-NEXT: %[[C0:.*]] = arith.constant 3.000000e+00 : f64
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG0]], %[[C0]] : f64
// CHECK-NEXT: return %[[V1]] : f64

func.func @square(%x: tensor<?xf64>) -> tensor<?xf64> {
  %z = arith.mulf %x, %x : tensor<?xf64>
  return %z : tensor<?xf64>
}
// CHECK-LABEL: func.func private @square_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf64>, %[[ARG1:.*]]: tensor<?xf64>) -> tensor<?xf64>
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[ARG1]], %[[ARG0]] : tensor<?xf64>
// CHECK-NEXT: %[[V1:.*]] = arith.addf %[[V0]], %[[V0]] : tensor<?xf64>
// CHECK-NEXT: return %[[V1]] : tensor<?xf64>

func.func @div(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %z = arith.divf %x, %y : tensor<4xf16>
  return %z : tensor<4xf16>
}
// CHECK-LABEL: func.func private @div_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xf16>, %[[ARG1:.*]]: tensor<4xf16>, %[[ARG2:.*]]: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>)
// CHECK-NEXT: %[[V0:.*]] = arith.divf %[[ARG2]], %[[ARG0]] : tensor<4xf16>
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[V0]], %[[ARG1]] : tensor<4xf16>
// CHECK-NEXT: %[[V2:.*]] = arith.negf %[[V1]] : tensor<4xf16>
// CHECK-NEXT: return %[[V0]], %[[V2]] : tensor<4xf16>, tensor<4xf16>

func.func @rem(%x: f64, %y: f64) -> f64 {
  %z = arith.remf %x, %y : f64
  return %z : f64
}
// CHECK-LABEL: func.func private @rem_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f64, %[[ARG1:.*]]: f64, %[[ARG2:.*]]: f64, %[[ARG3:.*]]: f64) -> (f64, f64)
// CHECK-NEXT: %[[V0:.*]] = arith.subf %[[ARG0]], %[[ARG2]] : f64
// CHECK-NEXT: %[[V1:.*]] = arith.divf %[[V0]], %[[ARG1]] : f64
// CHECK-NEXT: %[[V2:.*]] = math.roundeven %[[V1]] : f64
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[ARG3]], %[[V2]] : f64
// CHECK-NEXT: %[[V4:.*]] = arith.negf %[[V3]] : f64
// CHECK-NEXT: return %[[ARG3]], %[[V4]] : f64, f64

// Ties share evenly.
func.func @maximum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.maximumf %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
// CHECK-LABEL: func.func private @maximum_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xf32>, %[[ARG2:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C1:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.maximumf %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf oeq, %[[ARG0]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[C0]], %[[C1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.cmpf oeq, %[[ARG1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V5]], %[[C0]], %[[C1]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.addf %[[V4]], %[[V6]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.divf %[[ARG2]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V8]], %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V8]], %[[V6]] : tensor<4xf32>
// CHECK-NEXT: return %[[V9]], %[[V10]] : tensor<4xf32>, tensor<4xf32>

func.func @minnum(%x: f32, %y: f32) -> f32 {
  %z = arith.minnumf %x, %y : f32
  return %z : f32
}
// CHECK-LABEL: func.func private @minnum_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32, %[[ARG1:.*]]: f32, %[[ARG2:.*]]: f32) -> (f32, f32)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V2:.*]] = arith.minnumf %[[ARG0]], %[[ARG1]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.cmpf oeq, %[[ARG0]], %[[V2]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V3]], %[[C0]], %[[C1]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.cmpf oeq, %[[ARG1]], %[[V2]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.select %[[V5]], %[[C0]], %[[C1]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.addf %[[V4]], %[[V6]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.divf %[[ARG2]], %[[V7]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.mulf %[[V8]], %[[V4]] : f32
// CHECK-NEXT: %[[V10:.*]] = arith.mulf %[[V8]], %[[V6]] : f32
// CHECK-NEXT: return %[[V9]], %[[V10]] : f32, f32

// The taken branch. One condition for a dynamic tensor.
func.func @select(%c: i1, %x: tensor<?xbf16>, %y: tensor<?xbf16>)
    -> tensor<?xbf16> {
  %z = arith.select %c, %x, %y : tensor<?xbf16>
  return %z : tensor<?xbf16>
}
// CHECK-LABEL: func.func private @select_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: i1, %[[ARG1:.*]]: tensor<?xbf16>) -> (tensor<?xbf16>, tensor<?xbf16>)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = tensor.dim %[[ARG1]], %[[C1]] : tensor<?xbf16>
// CHECK-NEXT: %[[V3:.*]] = tensor.splat %[[C0]][%[[V2]]] : tensor<?xbf16>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[ARG0]], %[[ARG1]], %[[V3]] : tensor<?xbf16>
// CHECK-NEXT: %[[V5:.*]] = arith.select %[[ARG0]], %[[V3]], %[[ARG1]] : tensor<?xbf16>
// CHECK-NEXT: return %[[V4]], %[[V5]] : tensor<?xbf16>, tensor<?xbf16>

func.func @select_per_element(%c: tensor<4xi1>, %x: tensor<4xf32>)
    -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %z = arith.select %c, %x, %zero : tensor<4xi1>, tensor<4xf32>
  return %z : tensor<4xf32>
}
// CHECK-LABEL: func.func private @select_per_element_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xi1>, %[[ARG1:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.select %[[ARG0]], %[[ARG1]], %[[C0]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>

func.func @widen(%x: tensor<4xbf16>) -> tensor<4xf32> {
  %y = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func private @widen_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: %[[V0:.*]] = arith.truncf %[[ARG0]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V0]] : tensor<4xbf16>

func.func @narrow(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}
// CHECK-LABEL: func.func private @narrow_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f16) -> f64
// CHECK-NEXT: %[[V0:.*]] = arith.extf %[[ARG0]] : f16 to f64
// CHECK-NEXT: return %[[V0]] : f64
