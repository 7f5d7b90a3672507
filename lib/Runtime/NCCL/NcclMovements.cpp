//===- NcclMovements.cpp - Collectives that only move ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclCommunicator.h"
#include "OlderNccl.h"
#include "Scratch.h"

using namespace mlir::comm::runtime;

/// NCCL's count of a call's elements, and their type.
static size_t getCount(const Call &call) {
  return call.count * getMoved(call.getType()).factor;
}
static ncclDataType_t getType(const Call &call) {
  return getMoved(call.getType()).type;
}

// NCCL has no barrier. Nothing that the streams do afterwards happens before
// all ranks have come to it; the host goes on.
Status NcclCommunicator::barrier(const Call &call) {
  Scratch number(context, call, 1);
  return run(call, 1, [&]() -> Status {
    // Of any number, but of one that has been written.
    if (Status status = fillZeros(call.site, number.get(), 1))
      return status;
    return issue(call, "ncclAllReduce", [&] {
      return ncclAllReduce(number.get(), number.get(), 1, ncclUint8, ncclMax,
                           comm, getStream());
    });
  });
}

Status NcclCommunicator::allGather(const Call &call) {
  return run(call, call.count, [&] {
    return issue(call, "ncclAllGather", [&] {
      return ncclAllGather(call.send, call.recv, getCount(call), getType(call),
                           comm, getStream());
    });
  });
}

Status NcclCommunicator::allToAll(const Call &call) {
  // NCCL's is not in place.
  bool isInPlace = call.send == call.recv;
  int64_t bytes = getGroup().size() * call.getBytes();
  Scratch sent(context, call, isInPlace ? bytes : 0);
  return run(call, call.count, [&] {
    if (isInPlace)
      if (Status status = copy(call, call.send, sent.get(), bytes))
        return status;
    return issue(call, "ncclAlltoAll", [&] {
      return ncclAlltoAll(isInPlace ? sent.get() : call.send, call.recv,
                          getCount(call), getType(call), comm, getStream());
    });
  });
}

Status NcclCommunicator::issuePair(const Call &call, const void *send,
                                   std::optional<int> to,
                                   std::optional<int> from) {
  std::vector<const char *> names;
  if (to)
    names.push_back("ncclSend");
  if (from)
    names.push_back("ncclRecv");
  std::optional<size_t> failed;
  ncclResult_t result = context.getHandles().callGroup(
      names.size(),
      [&](size_t i) {
        return to && i == 0 ? ncclSend(send, getCount(call), getType(call), *to,
                                       comm, getStream())
                            : ncclRecv(call.recv, getCount(call), getType(call),
                                       *from, comm, getStream());
      },
      failed);
  return finish(call, failed ? names[*failed] : "ncclGroupEnd", result);
}

Status NcclCommunicator::permute(const Call &call) {
  std::optional<int> to, from;
  for (int64_t i = 0; i < *call.numPairs; ++i) {
    int source = static_cast<int>(call.pairs[2 * i]);
    int target = static_cast<int>(call.pairs[2 * i + 1]);
    if (source == getGroup().index)
      to = target;
    if (target == getGroup().index)
      from = source;
  }
  // What is sent would be written.
  bool isInPlace = call.send == call.recv && to && from;
  Scratch sent(context, call, isInPlace ? call.getBytes() : 0);
  const void *send = isInPlace ? sent.get() : call.send;
  return run(call, call.count, [&] {
    if (isInPlace)
      if (Status status = copy(call, call.send, sent.get(), call.getBytes()))
        return status;
    if (to || from)
      if (Status status = issuePair(call, send, to, from))
        return status;
    // Afterwards: `recv` may be the buffer that was sent.
    return from ? COMM_SUCCESS
                : fillZeros(call.site, call.recv, call.getBytes());
  });
}

Status NcclCommunicator::broadcast(const Call &call) {
  return run(call, call.count, [&] {
    return issue(call, "ncclBroadcast", [&] {
      return ncclBroadcast(isRoot(call) ? call.send : call.recv, call.recv,
                           getCount(call), getType(call),
                           static_cast<int>(*call.root), comm, getStream());
    });
  });
}

Status NcclCommunicator::gather(const Call &call) {
  return run(call, call.count, [&] {
    if (Status status = issue(call, "ncclGather", [&] {
          return ncclGather(call.send, call.recv, getCount(call), getType(call),
                            static_cast<int>(*call.root), comm, getStream());
        }))
      return status;
    return isRoot(call) ? COMM_SUCCESS
                        : fillZeros(call.site, call.recv,
                                    getGroup().size() * call.getBytes());
  });
}

Status NcclCommunicator::scatter(const Call &call) {
  return run(call, call.count, [&] {
    return issue(call, "ncclScatter", [&] {
      return ncclScatter(call.send, call.recv, getCount(call), getType(call),
                         static_cast<int>(*call.root), comm, getStream());
    });
  });
}

ncclResult_t NcclCommunicator::enqueueMessage(const Call &call) {
  return call.isSend()
             ? ncclSend(call.send, getCount(call), getType(call),
                        static_cast<int>(*call.to), comm, getStream())
             : ncclRecv(call.recv, getCount(call), getType(call),
                        static_cast<int>(*call.from), comm, getStream());
}

Status NcclCommunicator::send(const Call &call) {
  return context.getMessages().add(*this, call);
}

Status NcclCommunicator::recv(const Call &call) {
  return context.getMessages().add(*this, call);
}
