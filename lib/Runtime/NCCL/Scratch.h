//===- Scratch.h - Device memory for one call -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_SCRATCH_H
#define COMM_LIB_RUNTIME_NCCL_SCRATCH_H

#include "Cuda/CudaContext.h"

namespace mlir::comm::runtime {

/// What a call needs besides its buffers. To be had before the call's work
/// begins on the communication stream, which then waits for the memory; whoever
/// has it next waits for the call.
class Scratch {
public:
  Scratch(CudaContext &context, const Call &call, int64_t bytes)
      : context(context) {
    if (bytes == 0 || context.getStatus() != COMM_SUCCESS)
      return;
    memory = context.tryAllocate(bytes);
    if (!memory)
      context.fail(COMM_NO_MEMORY, call.describe() + ": no device memory for " +
                                       std::to_string(bytes) +
                                       " bytes besides its buffers");
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { context.release(memory); }

  void *get() const { return memory; }

private:
  CudaContext &context;
  void *memory = nullptr;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_SCRATCH_H
