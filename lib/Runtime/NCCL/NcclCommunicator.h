//===- NcclCommunicator.h - Collectives through NCCL ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
#define COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H

#include "NcclWorld.h"

namespace mlir::comm::runtime {

/// Each collective is one call of NCCL on the communication stream, with what
/// the semantics wants besides: zeros where a rank gets nothing, copies where
/// NCCL cannot work in place, and what NCCL's reductions lack. The host waits
/// for nothing, except the first time: NCCL connects the ranks then.
class NcclCommunicator : public Communicator {
public:
  NcclCommunicator(NcclContext &context, Group group)
      : Communicator(context, std::move(group)), context(context) {}

  Status barrier(const Call &call) override;
  Status allReduce(const Call &call) override;
  Status reduceScatter(const Call &call) override;
  Status reduce(const Call &call) override;
  Status allGather(const Call &call) override;
  Status allToAll(const Call &call) override;
  Status permute(const Call &call) override;
  Status broadcast(const Call &call) override;
  Status gather(const Call &call) override;
  Status scatter(const Call &call) override;
  Status send(const Call &call) override;
  Status recv(const Call &call) override;

protected:
  /// Every collective has a call of NCCL: not used.
  Status exchange(const Call &call, const std::vector<Transfer> &sends,
                  const std::vector<Transfer> &recvs) override;
  /// On the communication stream.
  Status fillZeros(void *buffer, int64_t bytes) override;

private:
  /// Makes the communicator, if the rank has none for these axes.
  Status findHandle(const Call &call);
  Status open(const Call &call);
  /// Enqueues `body` on the communication stream.
  template <typename Body>
  Status run(const Call &call, int64_t count, Body body);
  Status begin(const Call &call);
  Status end(const Call &call);

  /// Calls a function of NCCL, and waits until the call is on the stream.
  template <typename Function>
  Status issue(const Call &call, const char *name, Function function);
  Status finish(const Call &call, const char *name, ncclResult_t result);
  /// What the rank says of a result that is final, or has not come in time.
  Status settle(const Call &call, const char *name, ncclResult_t result);
  /// NCCL is still at work at the end of the world's patience.
  Status giveUp(const Call &call);

  Status copy(const Call &call, const void *from, void *to, int64_t bytes);
  /// out = the reduction of one chunk of each member, in their order.
  Status reduceChunks(const Call &call, void *chunks, void *out);

  cudaStream_t getStream() const { return context.getCommunicationStream(); }
  bool isRoot(const Call &call) const { return getGroup().index == *call.root; }
  Step makeStep(const Call &call) const;

  NcclContext &context;
  ncclComm_t comm = nullptr;
  int64_t sequence = 0;
};

/// How NCCL sees an element that is only moved, and how many of them make one.
struct Moved {
  ncclDataType_t type;
  int64_t factor;
};
Moved getMoved(CommDataType type);

template <typename Function>
Status NcclCommunicator::issue(const Call &call, const char *name,
                               Function function) {
  return finish(call, name, context.getHandles().call(function));
}

template <typename Body>
Status NcclCommunicator::run(const Call &call, int64_t count, Body body) {
  ++sequence;
  // All members know it: NCCL would do nothing either.
  if (count == 0)
    return COMM_SUCCESS;
  if (Status status = begin(call))
    return status;
  Status status = body();
  // Also after an error: others look at what there is.
  Status ended = end(call);
  return status ? status : ended;
}

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
