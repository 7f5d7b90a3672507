//===- DeviceReduction.h - Reductions in device memory ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTION_H
#define COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTION_H

#include "comm/Runtime/Communicator.h"

#include <cuda_runtime_api.h>

namespace mlir::comm::runtime {

class CudaContext;

/// out[i] = inputs[0][i] op inputs[1][i] op ..., for `count` elements and each
/// of the outs, which may be inputs: bit by bit what Reduction.h does. At most
/// 64 inputs and 64 outs.
struct DeviceReduction {
  std::vector<const void *> inputs;
  std::vector<void *> outs;
  int64_t count;
};

/// Enqueues it, with the call's type and reduction, on a stream of the context
/// on which work has begun.
Status enqueueReduction(CudaContext &context, const Call &call,
                        const DeviceReduction &reduction, cudaStream_t stream);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_DEVICEREDUCTION_H
