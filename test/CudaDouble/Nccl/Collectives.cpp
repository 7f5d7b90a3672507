//===- Collectives.cpp - NCCL's calls become tasks ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

using namespace mlir::comm::cudadouble;
using Kind = Task::Kind;

size_t Task::getSendCount(int rank, int size) const {
  switch (kind) {
  case Kind::ReduceScatter:
  case Kind::AllToAll:
    return count * size;
  case Kind::Broadcast:
    return rank == root ? count : 0;
  case Kind::Scatter:
    return rank == root ? count * size : 0;
  case Kind::Recv:
    return 0;
  default:
    return count;
  }
}

size_t Task::getRecvCount(int rank, int size) const {
  switch (kind) {
  case Kind::AllGather:
  case Kind::AllToAll:
    return count * size;
  case Kind::Reduce:
    return rank == root ? count : 0;
  case Kind::Gather:
    return rank == root ? count * size : 0;
  case Kind::Send:
    return 0;
  default:
    return count;
  }
}

std::string Task::describe() const {
  static const char *const ops[] = {"sum", "prod", "max", "min", "avg"};
  std::string text = std::string(entry) + " of " + std::to_string(count) +
                     " x " + getName(type);
  if (reduces())
    text += std::string(", ") + (op < ncclNumOps ? ops[op] : "premulsum");
  if (isRooted())
    text += ", root " + std::to_string(root);
  if (isMessage())
    text += ", peer " + std::to_string(root);
  return text;
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return start(comm, {Kind::AllReduce,
                      "ncclAllReduce",
                      send,
                      recv,
                      count,
                      type,
                      op,
                      -1,
                      stream,
                      {}});
}

ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  return start(comm, {Kind::Broadcast,
                      "ncclBroadcast",
                      send,
                      recv,
                      count,
                      type,
                      ncclSum,
                      root,
                      stream,
                      {}});
}

ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  return start(comm, {Kind::Reduce,
                      "ncclReduce",
                      send,
                      recv,
                      count,
                      type,
                      op,
                      root,
                      stream,
                      {}});
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return start(comm, {Kind::AllGather,
                      "ncclAllGather",
                      send,
                      recv,
                      count,
                      type,
                      ncclSum,
                      -1,
                      stream,
                      {}});
}

ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  return start(comm, {Kind::ReduceScatter,
                      "ncclReduceScatter",
                      send,
                      recv,
                      count,
                      type,
                      op,
                      -1,
                      stream,
                      {}});
}

ncclResult_t ncclAlltoAll(const void *send, void *recv, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return start(comm, {Kind::AllToAll,
                      "ncclAlltoAll",
                      send,
                      recv,
                      count,
                      type,
                      ncclSum,
                      -1,
                      stream,
                      {}});
}

ncclResult_t ncclGather(const void *send, void *recv, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return start(comm, {Kind::Gather,
                      "ncclGather",
                      send,
                      recv,
                      count,
                      type,
                      ncclSum,
                      root,
                      stream,
                      {}});
}

ncclResult_t ncclScatter(const void *send, void *recv, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  return start(comm, {Kind::Scatter,
                      "ncclScatter",
                      send,
                      recv,
                      count,
                      type,
                      ncclSum,
                      root,
                      stream,
                      {}});
}

ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  return start(comm, {Kind::Send,
                      "ncclSend",
                      send,
                      nullptr,
                      count,
                      type,
                      ncclSum,
                      peer,
                      stream,
                      {}});
}

ncclResult_t ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return start(comm, {Kind::Recv,
                      "ncclRecv",
                      nullptr,
                      recv,
                      count,
                      type,
                      ncclSum,
                      peer,
                      stream,
                      {}});
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar,
                                      ncclDataType_t type,
                                      ncclScalarResidence_t residence,
                                      ncclComm_t comm) {
  if (ncclResult_t result = enter("ncclRedOpCreatePreMulSum", comm))
    return result;
  if (!op || !scalar || residence != ncclScalarHostImmediate)
    return fail(ncclInvalidArgument,
                "the double takes the scalar from the host only");
  double factor;
  switch (type) {
  case ncclFloat16:
    factor = __half2float(*static_cast<__half *>(scalar));
    break;
  case ncclBfloat16:
    factor = __bfloat162float(*static_cast<__nv_bfloat16 *>(scalar));
    break;
  case ncclFloat32:
    factor = *static_cast<float *>(scalar);
    break;
  case ncclFloat64:
    factor = *static_cast<double *>(scalar);
    break;
  default:
    return fail(ncclInvalidArgument, "PreMulSum of a type that is no float");
  }
  comm->reductions.push_back({factor, type, true});
  *op = static_cast<ncclRedOp_t>(ncclNumOps + comm->reductions.size() - 1);
  return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  if (ncclResult_t result = enter("ncclRedOpDestroy", comm))
    return result;
  size_t own = op - ncclNumOps;
  if (op < ncclNumOps || own >= comm->reductions.size() ||
      !comm->reductions[own].isAlive)
    return fail(ncclInvalidArgument, "no such reduction");
  comm->reductions[own].isAlive = false;
  return ncclSuccess;
}
