//===- NcclCommunicator.h - Collectives through NCCL ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
#define COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H

#include "Cuda/Range.h"
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

  // What messages that move at once are made of.

  /// Makes the communicator, if the rank has none for these axes.
  Status findHandle(const Call &call);
  ncclComm_t getHandle() const { return comm; }
  /// The group's next collective, or the next message of one of its channels.
  Step makeNextStep(const Call &call) {
    ++sequences[{call.from.value_or(-1), call.to.value_or(-1)}];
    return makeStep(call);
  }
  /// Whether the rank sends, or receives, in this call.
  bool isOwnMessage(const Call &call) const {
    return getGroup().index == (call.isSend() ? *call.from : *call.to);
  }
  ncclResult_t enqueueMessage(const Call &call);
  /// The function of NCCL that it calls.
  static const char *getMessageName(const Call &call) {
    return call.isSend() ? "ncclSend" : "ncclRecv";
  }
  /// On the communication stream.
  Status fillZeros(const CommSite *site, void *buffer, int64_t bytes);

protected:
  Status fillZeros(void *buffer, int64_t bytes) override {
    return fillZeros(/*site=*/nullptr, buffer, bytes);
  }
  /// Every collective has a call of NCCL: not used.
  Status exchange(const Call &call, const std::vector<Transfer> &sends,
                  const std::vector<Transfer> &recvs) override;

private:
  Status open(const Call &call);
  /// Enqueues `body` on the communication stream.
  template <typename Body>
  Status run(const Call &call, int64_t count, Body body);

  /// Calls a function of NCCL, and waits until the call is on the stream.
  template <typename Function>
  Status issue(const Call &call, const char *name, Function function);
  Status finish(const Call &call, const char *name, ncclResult_t result);

  /// A send and a receive at once, or one of them.
  Status issuePair(const Call &call, const void *send, std::optional<int> to,
                   std::optional<int> from);
  Status copy(const Call &call, const void *from, void *to, int64_t bytes);
  /// out = the reduction of one chunk of each member, in their order.
  Status reduceChunks(const Call &call, void *chunks, void *out);

  cudaStream_t getStream() const { return context.getCommunicationStream(); }
  bool isRoot(const Call &call) const { return getGroup().index == *call.root; }
  Step makeStep(const Call &call) const;

  NcclContext &context;
  ncclComm_t comm = nullptr;
  /// Of each channel; (-1, -1): of what is no message.
  std::map<std::pair<int64_t, int64_t>, int64_t> sequences;
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
  Step step = makeNextStep(call);
  // All members know it: NCCL would do nothing either.
  if (count == 0)
    return COMM_SUCCESS;
  // There may have been no memory for what it needs.
  if (Status status = context.getStatus())
    return status;
  if (Status status = findHandle(call))
    return status;
  Range range(call.getOpName());
  if (Status status = context.beginCollective({std::move(step)}, call.site))
    return status;
  Status status = body();
  // Also after an error: others look at what there is.
  Status ended = context.endCollective(call.site);
  return status ? status : ended;
}

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLCOMMUNICATOR_H
