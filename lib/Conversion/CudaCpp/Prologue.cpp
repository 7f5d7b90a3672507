//===- Prologue.cpp - What the text begins with
//-----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

static constexpr char kIncludes[] = R"(#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <utility>
)";

static constexpr char kDevice[] = R"(
/// One GPU. Work is ordered on `compute`: what a function is given has to be
/// ready there, and so are its results.
struct Device {
  cudaStream_t compute, communication;
  /// Made with cudaEventDisableTiming; the streams wait for each other by it.
  cudaEvent_t event;
  cublasLtHandle_t blas;
  /// What cuBLASLt may use; none where it is null.
  void *workspace;
  size_t workspaceBytes;
};
)";

// After the struct with the communicators.
static constexpr char kChecks[] = R"(
/// Says which call failed, and where. Functions return 0, or else this.
static int fail(const char *call, const char *error, const char *file, int line) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, error);
  return 1;
}

#define CHECK_CUDA(call)                                                       \
  do {                                                                         \
    cudaError_t status_ = (call);                                              \
    if (status_ != cudaSuccess)                                                \
      return fail(#call, cudaGetErrorString(status_), __FILE__, __LINE__);     \
  } while (0)
#define CHECK_NCCL(call)                                                       \
  do {                                                                         \
    ncclResult_t status_ = (call);                                             \
    if (status_ != ncclSuccess)                                                \
      return fail(#call, ncclGetErrorString(status_), __FILE__, __LINE__);     \
  } while (0)
#define CHECK_BLAS(call)                                                       \
  do {                                                                         \
    cublasStatus_t status_ = (call);                                           \
    if (status_ != CUBLAS_STATUS_SUCCESS)                                      \
      return fail(#call, cublasLtGetStatusString(status_), __FILE__,           \
                  __LINE__);                                                   \
  } while (0)
#define CHECK(call)                                                            \
  do {                                                                         \
    if (int status_ = (call))                                                  \
      return status_;                                                          \
  } while (0)
)";

std::string cudacpp::getPrologue(const Program &program) {
  std::string text = kIncludes;
  text += kDevice;
  text +=
      "\n/// Made from the world's by ncclCommSplit: a rank's number in each\n"
      "/// counts the named axes, the last one fastest.\n"
      "struct Communicators {\n";
  for (const auto &[axes, name] : program.communicators)
    text += "  ncclComm_t " + name + "; // " +
            std::to_string(comm::getGroupSize(program.module, axes)) +
            " ranks\n";
  text += "};\n";
  text += kChecks;
  return text + getHelpers(program.helpers);
}
