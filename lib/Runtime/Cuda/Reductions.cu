//===- Reductions.cu - Reductions in device memory ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels comm_reduce_OP_TYPE: what Reduction.cpp does on the host, bit by
// bit. An i1 is reduced as an i8.
//
//===----------------------------------------------------------------------===//

#include "DeviceReductionBuffers.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

using mlir::comm::runtime::DeviceReductionBuffers;

namespace {
// How elements are held in memory and in the accumulator.
template <typename T>
struct Element {
  using Accumulator = T;
  static __device__ T load(T value) { return value; }
  static __device__ T store(T value) { return value; }
};
template <>
struct Element<__half> {
  using Accumulator = float;
  static __device__ float load(__half value) { return __half2float(value); }
  static __device__ __half store(float value) { return __float2half_rn(value); }
};
template <>
struct Element<__nv_bfloat16> {
  using Accumulator = float;
  static __device__ float load(__nv_bfloat16 value) {
    return __bfloat162float(value);
  }
  static __device__ __nv_bfloat16 store(float value) {
    return __float2bfloat16_rn(value);
  }
};

// Integers wrap: what is signed overflow elsewhere is not here.
template <typename T>
struct Wrapping {
  using Type = uint32_t;
};
template <>
struct Wrapping<int64_t> {
  using Type = uint64_t;
};
template <>
struct Wrapping<float> {
  using Type = float;
};
template <>
struct Wrapping<double> {
  using Type = double;
};

struct Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
  template <typename T>
  static __device__ T finish(T value, int64_t) {
    return value;
  }
};
struct Avg : Sum {
  template <typename T>
  static __device__ T finish(T value, int64_t n) {
    return value / static_cast<T>(n);
  }
};
struct Prod : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};

// IEEE 754-2019 maximum and minimum: a NaN wins, and -0 is less than +0. Equal
// numbers differ in the sign of a zero only.
__device__ float combineBits(float a, float b, bool both) {
  uint32_t x = __float_as_uint(a), y = __float_as_uint(b);
  return __uint_as_float(both ? x & y : x | y);
}
__device__ double combineBits(double a, double b, bool both) {
  uint64_t x = __double_as_longlong(a), y = __double_as_longlong(b);
  return __longlong_as_double(both ? x & y : x | y);
}
template <typename T>
__device__ T combineBits(T a, T, bool) {
  return a;
}
struct Max : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    if (a != a)
      return a;
    return a == b ? combineBits(a, b, true) : a > b ? a : b;
  }
};
struct Min : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    if (a != a)
      return a;
    return a == b ? combineBits(a, b, false) : a < b ? a : b;
  }
};
struct And : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    return a & b;
  }
};
struct Or : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    return a | b;
  }
};
struct Xor : Sum {
  template <typename T>
  static __device__ T combine(T a, T b) {
    return a ^ b;
  }
};

// Elements that are read and written at once.
template <typename T, int Width>
struct alignas(sizeof(T) * Width) Pack {
  T elements[Width];
};

// All inputs are read before an output is written, which may be one of them.
template <typename T, typename Op, int Width>
__device__ void reducePack(const DeviceReductionBuffers &buffers,
                           int64_t index) {
  using E = Element<T>;
  using P = Pack<T, Width>;
  typename E::Accumulator sums[Width];
  P pack = static_cast<const P *>(buffers.inputs[0])[index];
  for (int i = 0; i < Width; ++i)
    sums[i] = E::load(pack.elements[i]);
  // Several reads at once hide one another's time.
#pragma unroll(Width == 1 ? 1 : 4)
  for (int j = 1; j < buffers.numInputs; ++j) {
    pack = static_cast<const P *>(buffers.inputs[j])[index];
    for (int i = 0; i < Width; ++i)
      sums[i] = Op::combine(sums[i], E::load(pack.elements[i]));
  }
  for (int i = 0; i < Width; ++i)
    pack.elements[i] = E::store(Op::finish(sums[i], buffers.numInputs));
#pragma unroll 1
  for (int k = 0; k < buffers.numOuts; ++k)
    static_cast<P *>(buffers.outs[k])[index] = pack;
}

template <typename T, typename Op>
__device__ void reduceAll(const DeviceReductionBuffers &buffers) {
  constexpr int width = mlir::comm::runtime::deviceReductionPackBytes /
                        static_cast<int>(sizeof(T));
  int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  int64_t numThreads = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = thread; i < buffers.numPacks; i += numThreads)
    reducePack<T, Op, width>(buffers, i);
  for (int64_t i = buffers.numPacks * width + thread; i < buffers.count;
       i += numThreads)
    reducePack<T, Op, 1>(buffers, i);
}
} // namespace

#define KERNEL(Op, Name, Type, Suffix)                                         \
  extern "C" __global__ void comm_reduce_##Name##_##Suffix(                    \
      const __grid_constant__ DeviceReductionBuffers buffers) {                \
    reduceAll<Type, Op>(buffers);                                              \
  }
#define NUMBER_KERNELS(Type, Suffix)                                           \
  KERNEL(Sum, sum, Type, Suffix)                                               \
  KERNEL(Prod, prod, Type, Suffix)                                             \
  KERNEL(Max, max, Type, Suffix)                                               \
  KERNEL(Min, min, Type, Suffix)
#define FLOAT_KERNELS(Type, Suffix)                                            \
  NUMBER_KERNELS(Type, Suffix)                                                 \
  KERNEL(Avg, avg, Type, Suffix)
#define INTEGER_KERNELS(Type, Suffix)                                          \
  NUMBER_KERNELS(Type, Suffix)                                                 \
  KERNEL(And, and, Type, Suffix)                                               \
  KERNEL(Or, or, Type, Suffix)                                                 \
  KERNEL(Xor, xor, Type, Suffix)

FLOAT_KERNELS(__half, f16)
FLOAT_KERNELS(__nv_bfloat16, bf16)
FLOAT_KERNELS(float, f32)
FLOAT_KERNELS(double, f64)
INTEGER_KERNELS(int8_t, i8)
INTEGER_KERNELS(int16_t, i16)
INTEGER_KERNELS(int32_t, i32)
INTEGER_KERNELS(int64_t, i64)
