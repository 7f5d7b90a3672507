//===- RegisteredMemory.h - Buffers that NCCL knows -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_REGISTEREDMEMORY_H
#define COMM_LIB_RUNTIME_NCCL_REGISTEREDMEMORY_H

#include "Cuda/CudaStreams.h"
#include "NcclHandles.h"

namespace mlir::comm::runtime {

/// Whether buffers are to be registered: COMM_NCCL_REGISTER=1 in the
/// environment.
bool wantsRegisteredMemory();

/// Memory of ncclMemAlloc, registered with each communicator of the rank, so
/// that NCCL reads and writes it without copies of its own (zero-copy, NVLink
/// SHARP). An arena asks for it once for each of its blocks.
std::unique_ptr<MemorySource>
createRegisteredSource(std::shared_ptr<CudaStreams> streams,
                       std::shared_ptr<NcclHandles> handles);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_REGISTEREDMEMORY_H
