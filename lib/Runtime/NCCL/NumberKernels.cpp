//===- NumberKernels.cpp - Arithmetic around NCCL's reductions ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumberKernels.h"

#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace mlir::comm::runtime;

/// PTX, from NumberKernels.cu.
static const char image[] =
#include "NumberKernels.ptx.inc"
    ;

/// Lives as long as the process, as a rank's kernels are known by address.
static const CommKernel &getKernel(const std::string &name) {
  static std::mutex &mutex = *new std::mutex;
  static auto &kernels = *new std::map<std::string, CommKernel>;
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = kernels.try_emplace(name);
  if (isNew)
    it->second = {it->first.c_str(), image, sizeof image};
  return it->second;
}

static Status enqueue(CudaContext &context, const Call &call,
                      const std::string &name, void **arguments,
                      int64_t count) {
  if (count == 0)
    return COMM_SUCCESS;
  // Enough to fill any device; each thread goes on where the grid ends.
  constexpr int64_t threads = 256, mostBlocks = 2048;
  KernelLaunch launch;
  launch.kernel = &getKernel("comm_" + name + "_" + getName(call.getType()));
  launch.blocks = std::min((count + threads - 1) / threads, mostBlocks);
  launch.threads = threads;
  launch.arguments = arguments;
  launch.site = call.site;
  return context.enqueue(launch, context.getCommunicationStream());
}

CommDataType mlir::comm::runtime::getKeyType(CommDataType type) {
  return type == COMM_F64 ? COMM_I64 : COMM_I32;
}

Status mlir::comm::runtime::enqueueDivision(CudaContext &context,
                                            const Call &call, const void *in,
                                            void *out, int64_t count,
                                            int64_t n) {
  void *arguments[] = {&in, &out, &count, &n};
  return enqueue(context, call, "divide", arguments, count);
}

Status mlir::comm::runtime::enqueueKeys(CudaContext &context, const Call &call,
                                        const void *in, void *keys,
                                        int64_t count) {
  void *arguments[] = {&in, &keys, &count};
  bool isMax = call.getReduction() == COMM_MAX;
  return enqueue(context, call, isMax ? "max_keys" : "min_keys", arguments,
                 count);
}

Status mlir::comm::runtime::enqueueFromKeys(CudaContext &context,
                                            const Call &call, const void *keys,
                                            void *out, int64_t count) {
  void *arguments[] = {&keys, &out, &count};
  return enqueue(context, call, "from_keys", arguments, count);
}
