//===- CudaKernels.cpp - Kernels of loaded images -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaKernels.h"

#include <mutex>

using namespace mlir::comm::runtime;

namespace {
/// The images of a process.
class Libraries {
public:
  cudaLibrary_t find(const CommKernel &kernel, CudaKernels::Result &result) {
    std::lock_guard<std::mutex> lock(mutex);
    std::string image(static_cast<const char *>(kernel.image),
                      kernel.imageBytes);
    auto it = loaded.find(image);
    if (it != loaded.end())
      return it->second;
    cudaLibrary_t library = load(kernel.image, result);
    if (library)
      loaded.emplace(std::move(image), library);
    return library;
  }

private:
  static cudaLibrary_t load(const void *image, CudaKernels::Result &result) {
    char log[4096] = "";
    cudaJitOption options[] = {cudaJitErrorLogBuffer,
                               cudaJitErrorLogBufferSizeBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    cudaLibrary_t library = nullptr;
    result.call = "cudaLibraryLoadData";
    result.error = cudaLibraryLoadData(&library, image, options, values, 2,
                                       nullptr, nullptr, 0);
    if (result.error == cudaSuccess)
      return library;
    if (*log)
      result.log = std::string("\n") + log;
    return nullptr;
  }

  std::mutex mutex;
  std::unordered_map<std::string, cudaLibrary_t> loaded;
};
} // namespace

CudaKernels::Result CudaKernels::find(const CommKernel &kernel) {
  Result result;
  auto it = kernels.find(&kernel);
  if (it != kernels.end()) {
    result.kernel = it->second;
    return result;
  }
  // Never destroyed: nor is what CUDA has loaded.
  static Libraries &libraries = *new Libraries;
  cudaLibrary_t &library = images[kernel.image];
  if (!library)
    library = libraries.find(kernel, result);
  if (!library)
    return result;
  result.call = "cudaLibraryGetKernel";
  result.error = cudaLibraryGetKernel(&result.kernel, library, kernel.name);
  if (result.error == cudaSuccess)
    kernels.emplace(&kernel, result.kernel);
  return result;
}
