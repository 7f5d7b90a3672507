//===- Numbers.h - Elements of memory as numbers ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By CUDA's own conversions, which are not those of the runtime under test.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_NUMBERS_H
#define COMM_CUDADOUBLE_ENGINE_NUMBERS_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace mlir::comm::cudadouble {

/// The type that numbers of type T are computed in, and the way there and back.
template <typename T>
struct Number {
  using Wide = T;
  static Wide widen(T value) { return value; }
  static T round(Wide value) { return value; }
};
template <>
struct Number<__half> {
  using Wide = float;
  static float widen(__half value) { return __half2float(value); }
  static __half round(float value) { return __float2half_rn(value); }
};
template <>
struct Number<__nv_bfloat16> {
  using Wide = float;
  static float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __nv_bfloat16 round(float value) { return __float2bfloat16_rn(value); }
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_NUMBERS_H
