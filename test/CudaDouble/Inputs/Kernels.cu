//===- Inputs/Kernels.cu - Kernels as nvcc compiles them ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

template <typename T>
__device__ T shuffleDown(T value, int by) {
  return __shfl_down_sync(0xffffffff, value, by);
}

// The sum of each block's elements, through warps and shared memory.
template <typename T>
__device__ void sumBlocks(const T *in, T *out, int count) {
  __shared__ T partial[32];
  T sum = T(0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    sum = sum + in[i];
  for (int by = 16; by; by /= 2)
    sum = sum + shuffleDown(sum, by);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0);
  for (int by = 16; by; by /= 2)
    sum = sum + shuffleDown(sum, by);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

#define SUM_BLOCKS(type, name)                                                 \
  extern "C" __global__ void sum_##name(const type *in, type *out,             \
                                        int count) {                           \
    sumBlocks(in, out, count);                                                 \
  }
SUM_BLOCKS(float, f32)
SUM_BLOCKS(double, f64)
SUM_BLOCKS(int, i32)
SUM_BLOCKS(unsigned long long, i64)
SUM_BLOCKS(__half, f16)

extern "C" __global__ void copy(uint4 *out, const uint4 *in, int64_t count) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count;
       i += int64_t(gridDim.x) * blockDim.x)
    out[i] = in[i];
}

struct Sources {
  const float *of[6];
  int32_t count;
};

// A parameter that is a struct, indexed.
extern "C" __global__ void gather(const __grid_constant__ Sources sources,
                                  float *out) {
  float sum = 0;
  for (int i = 0; i < sources.count; ++i)
    sum += sources.of[i][threadIdx.x] * float(i + 1);
  out[threadIdx.x] = sum;
}

__constant__ int weights[4] = {1, 10, 100, 1000};
__device__ unsigned numCalls = 0;

__device__ __noinline__ int weigh(int value, int which) {
  atomicAdd(&numCalls, 1u);
  return value * weights[which & 3];
}

// Functions, variables of the module, a switch and an array of a thread.
extern "C" __global__ void various(int *out, const int *in, unsigned *calls) {
  int i = threadIdx.x;
  int values[8];
  for (int k = 0; k < 8; ++k)
    values[k] = in[(i + k) % blockDim.x];
  int value = values[in[i] & 7];
  switch (in[i] % 9) {
  case 0:
    value = weigh(value, i);
    break;
  case 1:
    value = __popc(value);
    break;
  case 2:
    value = __clz(value);
    break;
  case 3:
    value = __brev(value);
    break;
  case 4:
    value = __ffs(value);
    break;
  case 5:
    value = value / 7;
    break;
  case 6:
    value = value % 5;
    break;
  case 7:
    value = __byte_perm(value, i, 0x5140);
    break;
  default:
    value = -value;
  }
  out[i] = value;
  __syncthreads();
  if (i == 0)
    *calls = numCalls;
}

// Two at a time.
extern "C" __global__ void halves(__half2 *out, const __half2 *a,
                                  const __half2 *b) {
  int i = threadIdx.x;
  out[i] = __hfma2(a[i], b[i], __hmax2(a[i], __hadd2(a[i], b[i])));
}
extern "C" __global__ void brains(__nv_bfloat162 *out, const __nv_bfloat162 *a,
                                  const __nv_bfloat162 *b) {
  int i = threadIdx.x;
  out[i] = __hfma2(a[i], b[i], __hmax2(a[i], __hadd2(a[i], b[i])));
}

// With nvcc's own code for the functions of the C library.
extern "C" __global__ void functions(double *out, const double *in) {
  int i = threadIdx.x;
  double x = in[i];
  float f = float(x);
  double *row = out + 12 * i;
  row[0] = sin(x);
  row[1] = pow(fabs(x), 1.3);
  row[2] = exp(x);
  row[3] = fmod(x, 1.7);
  row[4] = x / (fabs(x) + 3);
  row[5] = rsqrt(fabs(x) + 1);
  row[6] = sinf(f);
  row[7] = powf(fabsf(f), 1.3f);
  row[8] = expf(f);
  row[9] = fmodf(f, 1.7f);
  row[10] = f / (fabsf(f) + 3);
  row[11] = erff(f);
}
