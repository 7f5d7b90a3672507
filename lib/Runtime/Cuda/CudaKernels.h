//===- CudaKernels.h - Kernels of loaded images -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDAKERNELS_H
#define COMM_LIB_RUNTIME_CUDA_CUDAKERNELS_H

#include "comm/Runtime/CommRuntime.h"

#include <cuda_runtime_api.h>
#include <string>
#include <unordered_map>

namespace mlir::comm::runtime {

/// The kernels that a rank has started. An image is loaded once for a process,
/// whoever asks, and stays loaded: images are told apart by what is in them.
class CudaKernels {
public:
  struct Result {
    cudaKernel_t kernel = nullptr;
    cudaError_t error = cudaSuccess;
    /// Which call the error is from, and what the assembler of PTX says of it:
    /// empty, or lines that each follow a line feed.
    const char *call = "";
    std::string log;
  };

  /// By the thread of the rank, with the device current.
  Result find(const CommKernel &kernel);

private:
  std::unordered_map<const CommKernel *, cudaKernel_t> kernels;
  /// By their address: one image has many kernels.
  std::unordered_map<const void *, cudaLibrary_t> images;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDAKERNELS_H
