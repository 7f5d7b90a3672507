//===- Errors.cpp - NCCL's results and their names ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

using namespace mlir::comm::cudadouble;

namespace {

struct Result {
  ncclResult_t code;
  const char *name, *text;
};

} // namespace

static const Result results[] = {
    {ncclSuccess, "ncclSuccess", "no error"},
    {ncclUnhandledCudaError, "ncclUnhandledCudaError",
     "unhandled cuda error (run with NCCL_DEBUG=INFO for details)"},
    {ncclSystemError, "ncclSystemError",
     "unhandled system error (run with NCCL_DEBUG=INFO for details)"},
    {ncclInternalError, "ncclInternalError",
     "internal error - please report this issue to the NCCL developers"},
    {ncclInvalidArgument, "ncclInvalidArgument",
     "invalid argument (run with NCCL_DEBUG=WARN for details)"},
    {ncclInvalidUsage, "ncclInvalidUsage",
     "invalid usage (run with NCCL_DEBUG=WARN for details)"},
    {ncclRemoteError, "ncclRemoteError",
     "remote process exited or there was a network error"},
    {ncclInProgress, "ncclInProgress", "NCCL operation in progress"},
};

const char *ncclGetErrorString(ncclResult_t result) {
  for (const Result &known : results)
    if (known.code == result)
      return known.text;
  return "unknown result code";
}

ncclResult_t mlir::comm::cudadouble::getResult(const std::string &name) {
  for (const Result &known : results)
    if (name == known.name)
      return known.code;
  return ncclInternalError;
}

std::string &mlir::comm::cudadouble::getLastText() {
  thread_local std::string text;
  return text;
}

ncclResult_t mlir::comm::cudadouble::fail(ncclResult_t result,
                                          std::string text) {
  getLastText() = std::move(text);
  return result;
}

const char *ncclGetLastError(ncclComm_t handle) {
  thread_local std::string copy;
  copy = getLastText();
  if (handle) {
    std::lock_guard<std::mutex> lock(handle->clique->mutex);
    if (!handle->lastError.empty())
      copy = handle->lastError;
  }
  return copy.c_str();
}

ncclResult_t ncclGetVersion(int *version) {
  count("ncclGetVersion");
  if (!version)
    return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
