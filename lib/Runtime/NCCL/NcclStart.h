//===- NcclStart.h - Makes NCCL communicators -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which communicators there are, and who makes them when. ncclCommSplit wants
// every rank of the world, each at the same point: a program cannot promise
// that, for what stands under a condition only some ranks come to. So before a
// program starts, all ranks make the world's communicator and split it once for
// each axis of the mesh. Any other list of axes gets a communicator of its own
// when a program uses it first: the members, all of which call the collective,
// make it with an id that the first of them tells the others.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLSTART_H
#define COMM_LIB_RUNTIME_NCCL_NCCLSTART_H

#include "NcclHandles.h"
#include "comm/Runtime/Communicator.h"

namespace mlir::comm::runtime {

/// How long to wait for the others, and what ends it before.
struct Patience {
  std::chrono::milliseconds timeout;
  std::function<bool()> stop;
};

/// Of NCCL: the bytes of an id that a group of ranks starts with. Empty, with
/// `error` set, if there is none.
std::string makeUniqueId(std::string &error);

/// Makes the communicators of the world and of the axes, for the ranks of this
/// process. What is wrong, or "".
std::string openHandles(const std::vector<NcclHandles *> &ranks,
                        const Mesh &mesh, const std::string &id,
                        const Patience &patience);

/// Makes one rank's communicator of a group, for which all its members come
/// here. ncclInProgress if not all have come.
ncclResult_t openGroup(NcclHandles &rank, const Group &group,
                       const std::string &id, const Patience &patience,
                       ncclComm_t &comm);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLSTART_H
