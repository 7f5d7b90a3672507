//===- DeviceReduction.cpp - Reductions in device memory ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceReduction.h"

#include "CudaContext.h"
#include "DeviceReductionBuffers.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace mlir::comm::runtime;

/// PTX, from Reductions.cu.
static const char image[] =
#include "Reductions.ptx.inc"
    ;

namespace {
struct NamedKernel {
  std::string name;
  CommKernel kernel;
};
} // namespace

/// Lives as long as the process, as a rank's kernels are known by address.
static const CommKernel &getKernel(CommDataType type, CommReduction reduction) {
  static std::mutex &mutex = *new std::mutex;
  static auto &kernels = *new std::map<std::pair<int, int>, NamedKernel>;
  std::lock_guard<std::mutex> lock(mutex);
  NamedKernel &entry = kernels[{type, reduction}];
  if (entry.name.empty()) {
    entry.name = std::string("comm_reduce_") + getName(reduction) + "_" +
                 getName(type == COMM_I1 ? COMM_I8 : type);
    entry.kernel = {entry.name.c_str(), image, sizeof image};
  }
  return entry.kernel;
}

static bool isAligned(const void *memory) {
  return reinterpret_cast<uintptr_t>(memory) % deviceReductionPackBytes == 0;
}

Status mlir::comm::runtime::enqueueReduction(CudaContext &context,
                                             const Call &call,
                                             const DeviceReduction &reduction,
                                             cudaStream_t stream) {
  if (reduction.count == 0)
    return COMM_SUCCESS;
  if (std::max(reduction.inputs.size(), reduction.outs.size()) >
      maxReductionBuffers)
    return context.fail(COMM_INVALID,
                        call.describe() + ": reduces at most " +
                            std::to_string(maxReductionBuffers) +
                            " buffers at once, got " +
                            std::to_string(reduction.inputs.size()));
  DeviceReductionBuffers buffers = {};
  std::copy(reduction.inputs.begin(), reduction.inputs.end(), buffers.inputs);
  std::copy(reduction.outs.begin(), reduction.outs.end(), buffers.outs);
  buffers.numInputs = static_cast<int32_t>(reduction.inputs.size());
  buffers.numOuts = static_cast<int32_t>(reduction.outs.size());
  buffers.count = reduction.count;
  int64_t width = deviceReductionPackBytes / getByteSize(call.getType());
  if (std::all_of(reduction.inputs.begin(), reduction.inputs.end(),
                  isAligned) &&
      std::all_of(reduction.outs.begin(), reduction.outs.end(), isAligned))
    buffers.numPacks = reduction.count / width;
  int64_t work = buffers.numPacks + reduction.count - buffers.numPacks * width;
  // Enough to fill any device; each thread goes on where the grid ends.
  constexpr int64_t threads = 256, mostBlocks = 2048;
  void *arguments[] = {&buffers};
  KernelLaunch launch;
  launch.kernel = &getKernel(call.getType(), call.getReduction());
  launch.blocks = std::min((work + threads - 1) / threads, mostBlocks);
  launch.threads = threads;
  launch.arguments = arguments;
  launch.site = call.site;
  return context.enqueue(launch, stream);
}
