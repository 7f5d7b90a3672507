//===- NumberKernels.cu - Arithmetic around NCCL's reductions -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// comm_divide_TYPE, comm_max_keys_TYPE, comm_min_keys_TYPE,
// comm_from_keys_TYPE.
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

namespace {
// What is computed with, and its bits.
template <typename T>
struct Number {
  using Wide = float;
  using Key = int32_t;
};
template <>
struct Number<double> {
  using Wide = double;
  using Key = int64_t;
};

__device__ float widen(__half value) { return __half2float(value); }
__device__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ float widen(float value) { return value; }
__device__ double widen(double value) { return value; }

__device__ void narrow(float value, __half &out) {
  out = __float2half_rn(value);
}
__device__ void narrow(float value, __nv_bfloat16 &out) {
  out = __float2bfloat16_rn(value);
}
__device__ void narrow(float value, float &out) { out = value; }
__device__ void narrow(double value, double &out) { out = value; }

__device__ int32_t toBits(float value) { return __float_as_int(value); }
__device__ int64_t toBits(double value) { return __double_as_longlong(value); }
__device__ float fromBits(int32_t bits) { return __int_as_float(bits); }
__device__ double fromBits(int64_t bits) { return __longlong_as_double(bits); }

template <typename Key>
struct Limits {
  static constexpr Key most =
      static_cast<Key>(~(uint64_t(1) << 63) >> (64 - 8 * sizeof(Key)));
  static constexpr Key least = -most - 1;
};

// Of negative numbers, whose bits grow with their size, all but the sign are
// turned. It is its own inverse, and takes the greatest and the least integer,
// which are the keys of no number, to NaNs.
template <typename Key>
__device__ Key turn(Key bits) {
  return bits < 0 ? bits ^ Limits<Key>::most : bits;
}

template <typename F>
__device__ void forEach(int64_t count, F function) {
  int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    function(i);
}
} // namespace

#define KEYS(Name, Winner, T, Suffix)                                          \
  extern "C" __global__ void comm_##Name##_keys_##Suffix(                      \
      const T *in, Number<T>::Key *keys, int64_t count) {                      \
    forEach(count, [=](int64_t i) {                                            \
      auto value = widen(in[i]);                                               \
      using Key = Number<T>::Key;                                              \
      keys[i] = value != value ? Limits<Key>::Winner : turn(toBits(value));    \
    });                                                                        \
  }

#define KERNELS(T, Suffix)                                                     \
  extern "C" __global__ void comm_divide_##Suffix(const T *in, T *out,         \
                                                  int64_t count, int64_t n) {  \
    forEach(count, [=](int64_t i) {                                            \
      narrow(widen(in[i]) / static_cast<Number<T>::Wide>(n), out[i]);          \
    });                                                                        \
  }                                                                            \
  KEYS(max, most, T, Suffix)                                                   \
  KEYS(min, least, T, Suffix)                                                  \
  extern "C" __global__ void comm_from_keys_##Suffix(                          \
      const Number<T>::Key *keys, T *out, int64_t count) {                     \
    forEach(count,                                                             \
            [=](int64_t i) { narrow(fromBits(turn(keys[i])), out[i]); });      \
  }

KERNELS(__half, f16)
KERNELS(__nv_bfloat16, bf16)
KERNELS(float, f32)
KERNELS(double, f64)
