// RUN: comm-opt %s --comm-differentiate | FileCheck %s

// Rules in the result keep the result.
func.func @exp(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @exp_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?xf32>, %[[ARG1:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[ARG1]], %[[ARG0]] : tensor<?xf32>
// CHECK-NEXT: return %[[V0]] : tensor<?xf32>

func.func @tanh(%x: tensor<4xf16>) -> tensor<4xf16> {
  %y = math.tanh %x : tensor<4xf16>
  return %y : tensor<4xf16>
}
// CHECK-LABEL: func.func private @tanh_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xf16>, %[[ARG1:.*]]: tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<1.000000e+00> : tensor<4xf16>
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG0]], %[[ARG0]] : tensor<4xf16>
// CHECK-NEXT: %[[V2:.*]] = arith.subf %[[C0]], %[[V1]] : tensor<4xf16>
// CHECK-NEXT: %[[V3:.*]] = arith.mulf %[[ARG1]], %[[V2]] : tensor<4xf16>
// CHECK-NEXT: return %[[V3]] : tensor<4xf16>

// Flags carry over, but for the promise that values are finite.
func.func @sqrt(%x: f64) -> f64 {
  %y = math.sqrt %x fastmath<fast> : f64
  return %y : f64
}
// CHECK-LABEL: func.func private @sqrt_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f64, %[[ARG1:.*]]: f64) -> f64
// CHECK-NEXT: %[[C0:.*]] = arith.constant 2.000000e+00 : f64
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG0]], %[[C0]] fastmath<reassoc,nsz,arcp,contract,afn> : f64
// CHECK-NEXT: %[[V2:.*]] = arith.divf %[[ARG1]], %[[V1]] fastmath<reassoc,nsz,arcp,contract,afn> : f64
// CHECK-NEXT: return %[[V2]] : f64

func.func @sin(%x: bf16) -> bf16 {
  %y = math.sin %x : bf16
  return %y : bf16
}
// CHECK-LABEL: func.func private @sin_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: bf16, %[[ARG1:.*]]: bf16) -> bf16
// CHECK-NEXT: %[[V0:.*]] = math.cos %[[ARG0]] : bf16
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG1]], %[[V0]] : bf16
// CHECK-NEXT: return %[[V1]] : bf16

// Numbers take the sizes of what they meet.
func.func @log1p(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = math.log1p %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// CHECK-LABEL: func.func private @log1p_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<?x4xf32>, %[[ARG1:.*]]: tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[V2:.*]] = tensor.dim %[[ARG0]], %[[C1]] : tensor<?x4xf32>
// CHECK-NEXT: %[[V3:.*]] = tensor.splat %[[C0]][%[[V2]]] : tensor<?x4xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.addf %[[ARG0]], %[[V3]] : tensor<?x4xf32>
// CHECK-NEXT: %[[V5:.*]] = arith.divf %[[ARG1]], %[[V4]] : tensor<?x4xf32>
// CHECK-NEXT: return %[[V5]] : tensor<?x4xf32>

// The slope of |x| at 0 is 0.
func.func @abs(%x: f32) -> f32 {
  %y = math.absf %x : f32
  return %y : f32
}
// CHECK-LABEL: func.func private @abs_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32, %[[ARG1:.*]]: f32) -> f32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf oeq, %[[ARG0]], %[[C1]] : f32
// CHECK-NEXT: %[[V3:.*]] = math.copysign %[[C0]], %[[ARG0]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %[[C1]], %[[V3]] : f32
// CHECK-NEXT: %[[V5:.*]] = arith.mulf %[[ARG1]], %[[V4]] : f32
// CHECK-NEXT: return %[[V5]] : f32

// 0^y has slope 0 in y, x^0 in x.
func.func @pow(%x: f32, %y: f32) -> f32 {
  %z = math.powf %x, %y : f32
  return %z : f32
}
// CHECK-LABEL: func.func private @pow_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32, %[[ARG1:.*]]: f32, %[[ARG2:.*]]: f32, %[[ARG3:.*]]: f32) -> (f32, f32)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %[[V2:.*]] = arith.cmpf oeq, %[[ARG1]], %[[C0]] : f32
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[C1]], %[[ARG1]] : f32
// CHECK-NEXT: %[[V4:.*]] = arith.subf %[[V3]], %[[C1]] : f32
// CHECK-NEXT: %[[V5:.*]] = math.powf %[[ARG0]], %[[V4]] : f32
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %[[ARG1]], %[[V5]] : f32
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[ARG3]], %[[V6]] : f32
// CHECK-NEXT: %[[V8:.*]] = arith.cmpf oeq, %[[ARG0]], %[[C0]] : f32
// CHECK-NEXT: %[[V9:.*]] = arith.select %[[V8]], %[[C1]], %[[ARG0]] : f32
// CHECK-NEXT: %[[V10:.*]] = math.log %[[V9]] : f32
// CHECK-NEXT: %[[V11:.*]] = arith.select %[[V8]], %[[C0]], %[[ARG2]] : f32
// CHECK-NEXT: %[[V12:.*]] = arith.mulf %[[V11]], %[[V10]] : f32
// CHECK-NEXT: %[[V13:.*]] = arith.mulf %[[ARG3]], %[[V12]] : f32
// CHECK-NEXT: return %[[V7]], %[[V13]] : f32, f32

func.func @powi(%x: tensor<4xf32>, %n: tensor<4xi32>) -> tensor<4xf32> {
  %y = math.fpowi %x, %n : tensor<4xf32>, tensor<4xi32>
  return %y : tensor<4xf32>
}
// CHECK-LABEL: func.func private @powi_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xi32>, %[[ARG2:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant dense<0> : tensor<4xi32>
// CHECK-NEXT: %[[C1:.*]] = arith.constant dense<1> : tensor<4xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.cmpi eq, %[[ARG1]], %[[C0]] : tensor<4xi32>
// CHECK-NEXT: %[[V3:.*]] = arith.select %[[V2]], %[[C1]], %[[ARG1]] : tensor<4xi1>, tensor<4xi32>
// CHECK-NEXT: %[[V4:.*]] = arith.subi %[[V3]], %[[C1]] : tensor<4xi32>
// CHECK-NEXT: %[[V5:.*]] = arith.sitofp %[[ARG1]] : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = math.fpowi %[[ARG0]], %[[V4]] : tensor<4xf32>, tensor<4xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.mulf %[[V5]], %[[V6]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.mulf %[[ARG2]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: return %[[V8]] : tensor<4xf32>

func.func @fma(%a: f32, %b: f32, %c: f32) -> f32 {
  %y = math.fma %a, %b, %c : f32
  return %y : f32
}
// CHECK-LABEL: func.func private @fma_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32, %[[ARG1:.*]]: f32, %[[ARG2:.*]]: f32) -> (f32, f32, f32)
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[ARG2]], %[[ARG0]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG2]], %[[ARG1]] : f32
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[ARG2]] : f32, f32, f32

func.func @sincos(%x: f32) -> (f32, f32) {
  %s, %c = math.sincos %x : f32
  return %s, %c : f32, f32
}
// CHECK-LABEL: func.func private @sincos_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: f32, %[[ARG1:.*]]: f32, %[[ARG2:.*]]: f32, %[[ARG3:.*]]: f32) -> f32
// CHECK-NEXT: %[[V0:.*]] = arith.mulf %[[ARG3]], %[[ARG0]] : f32
// CHECK-NEXT: %[[V1:.*]] = arith.mulf %[[ARG2]], %[[ARG1]] : f32
// CHECK-NEXT: %[[V2:.*]] = arith.subf %[[V1]], %[[V0]] : f32
// CHECK-NEXT: return %[[V2]] : f32

// A step contributes nothing: the cotangent is zero, and no error.
func.func @floor(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.floor %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
// CHECK-LABEL: func.func private @floor_bwd
// CHECK-SAME:   (%[[ARG0:.*]]: index, %[[ARG1:.*]]: tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V1:.*]] = tensor.splat %[[C0]][%[[ARG0]]] : tensor<?xf32>
// CHECK-NEXT: return %[[V1]] : tensor<?xf32>
