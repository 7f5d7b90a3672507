//===- CudaResult.h - What came out of a call of CUDA -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDARESULT_H
#define COMM_LIB_RUNTIME_CUDA_CUDARESULT_H

#include <cuda_runtime_api.h>
#include <string>

namespace mlir::comm::runtime {

/// Of the first of several calls of CUDA that has failed, or of the last. True
/// for an error:
///
///   if (CudaResult result{cudaSetDevice(device), "cudaSetDevice"})
///     return result;
struct CudaResult {
  cudaError_t error = cudaSuccess;
  /// The function of CUDA.
  const char *call = "";

  explicit operator bool() const { return error != cudaSuccess; }
  /// "cudaSetDevice: invalid device ordinal".
  std::string describe() const {
    return std::string(call) + ": " + cudaGetErrorString(error);
  }
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDARESULT_H
