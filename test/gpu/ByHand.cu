//===- ByHand.cu - The steps of steps.mlir, written by hand ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"

#include <cstdio>
#include <cstdlib>
#include <cublasLt.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

static void check(bool isGood, const char *call) {
  if (isGood)
    return;
  std::fprintf(stderr, "%s failed\n", call);
  std::exit(1);
}
#define CUDA(Call) check((Call) == cudaSuccess, #Call)
#define BLAS(Call) check((Call) == CUBLAS_STATUS_SUCCESS, #Call)
#define NCCL(Call) check((Call) == ncclSuccess, #Call)

constexpr int productSize = 4096, stepSize = 2048, smallSize = 256;
constexpr size_t elementwiseSize = size_t(16384) * 4096;
constexpr int threads = 256;

__global__ void scaleAndAdd(const float *__restrict__ x, float *__restrict__ y,
                            size_t size) {
  size_t first = size_t(blockIdx.x) * (4 * threads) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (size_t at = first + i * threads; at < size)
      y[at] = x[at] * 2.0f + 1.0f;
}

__global__ void addAndTanh(const half *__restrict__ p,
                           const half *__restrict__ b, half *__restrict__ y,
                           int size) {
  int at = blockIdx.x * threads + threadIdx.x;
  if (at < size)
    y[at] = __float2half(tanhf(__half2float(p[at] + b[at])));
}

__global__ void tanhOf(const float *__restrict__ x, float *__restrict__ y) {
  y[threadIdx.x] = tanhf(x[threadIdx.x]);
}

/// A square product of f16, accumulated in f32: y = x w, row-major, which
/// cuBLASLt computes as its transpose.
struct Product {
  void open(cublasLtHandle_t blas, int size, void *workspace, size_t bytes) {
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, size, size, size));
    cublasLtMatmulPreference_t preference;
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
        sizeof bytes));
    int found = 0;
    BLAS(cublasLtMatmulAlgoGetHeuristic(blas, desc, layout, layout, layout,
                                        layout, preference, 1, &heuristic,
                                        &found));
    check(found == 1, "cublasLtMatmulAlgoGetHeuristic");
    this->blas = blas;
    this->workspace = workspace;
  }
  void run(const void *x, const void *w, void *y, cudaStream_t stream) {
    float one = 1, zero = 0;
    BLAS(cublasLtMatmul(blas, desc, &one, w, layout, x, layout, &zero, y,
                        layout, y, layout, &heuristic.algo, workspace,
                        heuristic.workspaceSize, stream));
  }
  cublasLtHandle_t blas = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulHeuristicResult_t heuristic = {};
  void *workspace = nullptr;
};

struct ByHand::State {
  cudaStream_t compute, communication;
  cudaEvent_t computed, communicated;
  ncclComm_t comm;
  cublasLtHandle_t blas;
  void *workspace, *x, *y, *z;
  Product product, step;

  void order(cudaStream_t earlier, cudaEvent_t event, cudaStream_t later) {
    CUDA(cudaEventRecord(event, earlier));
    CUDA(cudaStreamWaitEvent(later, event, 0));
  }
  void allReduce(void *data, size_t count, ncclDataType_t type) {
    order(compute, computed, communication);
    NCCL(ncclAllReduce(data, data, count, type, ncclSum, comm, communication));
    order(communication, communicated, compute);
  }
};

ByHand::ByHand() : state(std::make_unique<State>()) {
  State &s = *state;
  CUDA(cudaSetDevice(0));
  for (cudaStream_t *stream : {&s.compute, &s.communication})
    CUDA(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (cudaEvent_t *event : {&s.computed, &s.communicated})
    CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  int device = 0;
  NCCL(ncclCommInitAll(&s.comm, 1, &device));
  BLAS(cublasLtCreate(&s.blas));
  constexpr size_t workspaceBytes = 32 << 20;
  CUDA(cudaMalloc(&s.workspace, workspaceBytes));
  for (void **buffer : {&s.x, &s.y, &s.z}) {
    CUDA(cudaMalloc(buffer, elementwiseSize * sizeof(float)));
    CUDA(cudaMemset(*buffer, 0, elementwiseSize * sizeof(float)));
  }
  s.product.open(s.blas, productSize, s.workspace, workspaceBytes);
  s.step.open(s.blas, stepSize, s.workspace, workspaceBytes);
  CUDA(cudaDeviceSynchronize());
}

ByHand::~ByHand() {
  // The process ends: what it holds goes with it.
  ncclCommDestroy(state->comm);
}

void ByHand::product() {
  state->product.run(state->x, state->y, state->z, state->compute);
}

void ByHand::elementwise() {
  unsigned blocks = elementwiseSize / (4 * threads);
  scaleAndAdd<<<blocks, threads, 0, state->compute>>>(
      static_cast<float *>(state->x), static_cast<float *>(state->y),
      elementwiseSize);
}

void ByHand::step() {
  State &s = *state;
  s.step.run(s.x, s.y, s.z, s.compute);
  constexpr int size = stepSize * stepSize;
  auto *p = static_cast<half *>(s.z);
  addAndTanh<<<size / threads, threads, 0, s.compute>>>(
      p, static_cast<half *>(s.x), p + size, size);
  s.allReduce(p + size, size, ncclFloat16);
}

void ByHand::small() {
  State &s = *state;
  auto *x = static_cast<float *>(s.x), *y = static_cast<float *>(s.y);
  for (int i = 0; i < 4; ++i) {
    tanhOf<<<1, smallSize, 0, s.compute>>>(x, y);
    s.allReduce(y, smallSize, ncclFloat32);
  }
}

void ByHand::copy() {
  CUDA(cudaMemcpyAsync(state->y, state->x, elementwiseSize * sizeof(float),
                       cudaMemcpyDeviceToDevice, state->compute));
}

void ByHand::synchronize() {
  CUDA(cudaGetLastError());
  CUDA(cudaStreamSynchronize(state->compute));
  CUDA(cudaStreamSynchronize(state->communication));
}
