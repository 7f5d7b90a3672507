//===- CudaGemm.h - Matrix products through cuBLASLt ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDAGEMM_H
#define COMM_LIB_RUNTIME_CUDA_CUDAGEMM_H

#include "comm/Runtime/Communicator.h"

#include <array>
#include <cublasLt.h>
#include <map>

namespace mlir::comm::runtime {

class CudaContext;

/// The matrix products of one rank, on its compute stream. What is chosen for a
/// shape is kept.
class CudaGemm {
public:
  explicit CudaGemm(CudaContext &context);
  ~CudaGemm();

  /// Floats only. f16 and bf16 accumulate in f32, f32 in full f32 precision.
  /// Neither m nor n is 0.
  Status multiply(const Gemm &gemm);

private:
  /// All that the choice depends on, in numbers.
  using Key = std::array<int64_t, 17>;
  struct Plan;

  Key getKey(const Gemm &gemm) const;
  Status findPlan(const Gemm &gemm, const Plan *&plan);
  Status makePlan(const Gemm &gemm, Plan &plan);
  Status open(const Gemm &gemm);
  Status fillZeros(const Gemm &gemm);
  Status check(cublasStatus_t error, const char *call, const Gemm &gemm);

  CudaContext &context;
  cublasLtHandle_t handle = nullptr;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;
  std::map<Key, std::unique_ptr<Plan>> plans;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDAGEMM_H
