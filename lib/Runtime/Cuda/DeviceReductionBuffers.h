//===- DeviceReductionBuffers.h - A kernel's parameter ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTIONBUFFERS_H
#define COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTIONBUFFERS_H

#include <stdint.h>

namespace mlir::comm::runtime {

/// More would not fit into the parameters of a kernel of every device.
constexpr int maxReductionBuffers = 64;
/// What one thread reads from a buffer at once.
constexpr int deviceReductionPackBytes = 16;

/// The one parameter of the kernels of Reductions.cu, which include this too.
struct DeviceReductionBuffers {
  const void *inputs[maxReductionBuffers];
  void *outs[maxReductionBuffers];
  int32_t numInputs, numOuts;
  int64_t count;
  /// How many packs of `deviceReductionPackBytes` from the start of each
  /// buffer, which is aligned to them; elements follow one by one.
  int64_t numPacks;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTIONBUFFERS_H
