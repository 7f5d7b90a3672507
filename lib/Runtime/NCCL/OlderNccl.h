//===- OlderNccl.h - What NCCL has since 2.28, for older ones ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives that NCCL has as functions of its own since 2.28, made of grouped
// sends and receives, under their names and with their arguments: in place is
// what NCCL calls so, and a group of them may be part of another one.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_OLDERNCCL_H
#define COMM_LIB_RUNTIME_NCCL_OLDERNCCL_H

#include <nccl.h>

namespace mlir::comm::runtime {
namespace older {

/// Chunk i goes to rank i, chunk j comes from rank j; not in place.
ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream);

/// Each rank's chunk comes to the root; in place where the root's own chunk is
/// at its place of what it receives.
ncclResult_t ncclGather(const void *send, void *recv, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream);

/// Chunk i of the root goes to rank i; in place where the root receives its own
/// chunk at its place of what it sends.
ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream);

} // namespace older

#if NCCL_VERSION_CODE < NCCL_VERSION(2, 28, 0)
using older::ncclAlltoAll;
using older::ncclGather;
using older::ncclScatter;
#endif

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_OLDERNCCL_H
