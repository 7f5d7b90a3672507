//===- NcclCommunicator.cpp - How a call comes to NCCL --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclCommunicator.h"

#include "Activity.h"

using namespace mlir::comm::runtime;

Moved mlir::comm::runtime::getMoved(CommDataType type) {
  switch (type) {
  case COMM_F16:
    return {ncclFloat16, 1};
  case COMM_BF16:
    return {ncclBfloat16, 1};
  case COMM_F32:
    return {ncclFloat32, 1};
  case COMM_F64:
    return {ncclFloat64, 1};
  case COMM_I1:
    return {ncclUint8, 1};
  case COMM_I8:
    return {ncclInt8, 1};
  case COMM_I16:
    // NCCL has none: as bytes.
    return {ncclInt8, 2};
  case COMM_I32:
    return {ncclInt32, 1};
  case COMM_I64:
    return {ncclInt64, 1};
  }
  return {ncclInt8, 1};
}

Step NcclCommunicator::makeStep(const Call &call) const {
  Step step;
  step.call = call;
  step.pairs.assign(call.pairs, call.pairs + 2 * call.numPairs.value_or(0));
  step.group = &getGroup();
  auto it = sequences.find({call.from.value_or(-1), call.to.value_or(-1)});
  step.sequence = it == sequences.end() ? 0 : it->second;
  return step;
}

Status NcclCommunicator::findHandle(const Call &call) {
  if (!comm)
    comm = context.getHandles().find(getGroup().axes);
  return comm ? COMM_SUCCESS : open(call);
}

Status NcclCommunicator::finish(const Call &call, const char *name,
                                ncclResult_t result) {
  if (result == ncclInProgress) {
    Patience patience = context.getNcclWorld().getPatience();
    result = context.getHandles().waitFor(comm, getDeadline(patience.timeout),
                                          patience.stop);
  }
  if (result == ncclSuccess)
    return COMM_SUCCESS;
  return context.settle({makeStep(call)}, name, result, comm);
}

/// The first collective over a list of axes that is none of the mesh's axes:
/// all members come here, and the first of them says how they meet.
Status NcclCommunicator::open(const Call &call) {
  // NCCL may have to wait for the device: not while it waits for other ranks.
  if (Status status = context.synchronize())
    return status;
  Patience patience = context.getNcclWorld().getPatience();
  std::string id, error;
  std::string key = "group/" + getGroupKey(getGroup());
  Store &store = context.getNcclWorld().getStore();
  if (getGroup().index == 0) {
    id = makeUniqueId(error);
    if (!error.empty())
      return context.fail(COMM_INVALID, call.describeInFull() + ": " + error);
    if (getGroup().size() > 1)
      store.set(key, id);
  } else {
    std::optional<std::string> told =
        store.wait(key, getDeadline(patience.timeout), patience.stop);
    if (!told)
      return context.settle({makeStep(call)}, "", ncclInProgress, nullptr);
    id = *told;
  }
  ncclResult_t result =
      openGroup(context.getHandles(), getGroup(), id, patience, comm);
  return context.settle({makeStep(call)}, "ncclCommInitRankConfig", result,
                        comm);
}

Status NcclCommunicator::fillZeros(const CommSite *site, void *buffer,
                                   int64_t bytes) {
  if (bytes == 0)
    return COMM_SUCCESS;
  return context.check(cudaMemsetAsync(buffer, 0, bytes, getStream()),
                       "cudaMemsetAsync", site);
}

Status NcclCommunicator::copy(const Call &call, const void *from, void *to,
                              int64_t bytes) {
  return context.check(
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, getStream()),
      "cudaMemcpyAsync", call.site);
}

Status NcclCommunicator::exchange(const Call &call,
                                  const std::vector<Transfer> &,
                                  const std::vector<Transfer> &) {
  return context.fail(COMM_INVALID, call.describe() + ": not for NCCL");
}
