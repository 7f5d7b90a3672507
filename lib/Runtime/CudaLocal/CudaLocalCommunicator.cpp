//===- CudaLocalCommunicator.cpp - Copies on one device -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLocalCommunicator.h"

#include "Cuda/DeviceReduction.h"
#include "Cuda/Range.h"
#include "Threads/Part.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>

using namespace mlir::comm::runtime;

CudaLocalCommunicator::CudaLocalCommunicator(CudaLocalContext &context,
                                             CudaLocalWorld &world, Group group)
    : Communicator(context, std::move(group)), context(context), world(world),
      seat(world.getRendezvous(getGroup()), getGroup().index) {}

/// One collective of one rank with some others, from `begin` to `end`.
class CudaLocalCommunicator::Meeting {
public:
  /// `ranks` are the others, and may have this one among them.
  Meeting(CudaLocalCommunicator &self, const Call &call, Seat &seat,
          std::vector<int64_t> ranks)
      : range(call.op), context(self.context), world(self.world), call(call),
        seat(seat), ranks(std::move(ranks)) {}

  /// Shows the buffers. What is enqueued afterwards comes after all that the
  /// others have enqueued before. Where it succeeds, `end` must follow.
  Status begin(int64_t sequence, const std::vector<Transfer> *sends) {
    if (Status status = context.beginCommunication(call.site))
      return status;
    if (Status status = record(context.getReady()))
      return status;
    seat.show(call, sequence, sends);
    if (Status status = seat.meet())
      return status;
    // A failure is kept for `end`: the others will wait there.
    status = waitForOthers(&CudaLocalContext::getReady);
    return COMM_SUCCESS;
  }

  /// Work between the two, which is left out after a failure.
  template <typename Work>
  void enqueue(Work work) {
    if (status == COMM_SUCCESS)
      status = work();
  }

  /// What is enqueued afterwards comes after all that the others have enqueued
  /// in between.
  Status end() {
    if (status == COMM_SUCCESS)
      status = record(context.getDone());
    seat.meetAgain();
    if (status == COMM_SUCCESS)
      status = waitForOthers(&CudaLocalContext::getDone);
    context.endCommunication();
    return status;
  }

  /// Where nobody uses another's buffers, nobody need wait.
  Status endAtOnce() {
    context.endCommunication();
    return status;
  }

private:
  Status record(cudaEvent_t event) {
    return context.check(
        cudaEventRecord(event, context.getCommunicationStream()),
        "cudaEventRecord", call.site);
  }

  Status waitForOthers(cudaEvent_t (CudaLocalContext::*getEvent)() const) {
    for (int64_t rank : ranks) {
      if (rank == context.getRank())
        continue;
      auto &other = static_cast<CudaLocalContext &>(world.getContext(rank));
      if (Status status = context.check(
              cudaStreamWaitEvent(context.getCommunicationStream(),
                                  (other.*getEvent)(), /*flags=*/0),
              "cudaStreamWaitEvent", call.site))
        return status;
    }
    return COMM_SUCCESS;
  }

  Range range;
  CudaLocalContext &context;
  CudaLocalWorld &world;
  const Call &call;
  Seat &seat;
  const std::vector<int64_t> ranks;
  Status status = COMM_SUCCESS;
};

Status CudaLocalCommunicator::copy(const Call &call, void *to, const void *from,
                                   int64_t bytes) {
  if (bytes == 0 || to == from)
    return COMM_SUCCESS;
  return context.check(cudaMemcpyAsync(to, from, bytes,
                                       cudaMemcpyDeviceToDevice,
                                       context.getCommunicationStream()),
                       "cudaMemcpyAsync", call.site);
}

Status CudaLocalCommunicator::fillZeros(const CommSite *site, void *buffer,
                                        int64_t bytes) {
  if (bytes == 0)
    return COMM_SUCCESS;
  if (Status status = context.beginCommunication(site))
    return status;
  Status status = context.check(
      cudaMemsetAsync(buffer, 0, bytes, context.getCommunicationStream()),
      "cudaMemsetAsync", site);
  context.endCommunication();
  return status;
}

Status CudaLocalCommunicator::fillZeros(void *buffer, int64_t bytes) {
  return fillZeros(/*site=*/nullptr, buffer, bytes);
}

Status CudaLocalCommunicator::reduceRange(const Call &call, int64_t begin,
                                          int64_t count,
                                          std::vector<void *> outs) {
  DeviceReduction reduction;
  for (int64_t i = 0; i < getGroup().size(); ++i)
    reduction.inputs.push_back(static_cast<const char *>(getCall(i).send) +
                               begin * getByteSize(call.getType()));
  reduction.outs = std::move(outs);
  reduction.count = count;
  return enqueueReduction(context, call, reduction,
                          context.getCommunicationStream());
}

Status CudaLocalCommunicator::barrier(const Call &call) {
  Meeting meeting(*this, call, seat, getGroup().ranks);
  if (Status status = meeting.begin(++sequence, nullptr))
    return status;
  return meeting.endAtOnce();
}

Status CudaLocalCommunicator::allReduce(const Call &call) {
  Meeting meeting(*this, call, seat, getGroup().ranks);
  if (Status status = meeting.begin(++sequence, nullptr))
    return status;
  // Each reduces its part and writes it to where all want it. In place this is
  // right too: nobody else reads this part of what the ranks send, nor writes
  // it.
  Part own(call.count, getGroup().index, getGroup().size());
  std::vector<void *> outs;
  for (int64_t i = 0; i < getGroup().size(); ++i)
    outs.push_back(static_cast<char *>(getCall(i).recv) +
                   own.begin * getByteSize(call.getType()));
  meeting.enqueue(
      [&] { return reduceRange(call, own.begin, own.size, std::move(outs)); });
  return meeting.end();
}

Status CudaLocalCommunicator::reduceScatter(const Call &call) {
  Meeting meeting(*this, call, seat, getGroup().ranks);
  if (Status status = meeting.begin(++sequence, nullptr))
    return status;
  meeting.enqueue([&] {
    return reduceRange(call, getGroup().index * call.count, call.count,
                       {call.recv});
  });
  return meeting.end();
}

Status CudaLocalCommunicator::reduce(const Call &call) {
  Meeting meeting(*this, call, seat, getGroup().ranks);
  if (Status status = meeting.begin(++sequence, nullptr))
    return status;
  // Each reduces its part, straight into the root's buffer.
  Part own(call.count, getGroup().index, getGroup().size());
  void *out = static_cast<char *>(getCall(*call.root).recv) +
              own.begin * getByteSize(call.getType());
  meeting.enqueue(
      [&] { return reduceRange(call, own.begin, own.size, {out}); });
  if (Status status = meeting.end())
    return status;
  // Only now: `recv` may be the buffer that was sent.
  return getGroup().index == *call.root
             ? COMM_SUCCESS
             : fillZeros(call.site, call.recv, call.getBytes());
}

Status CudaLocalCommunicator::send(const Call &call) {
  ++sequence;
  if (getGroup().index != *call.from)
    return COMM_SUCCESS;
  Meeting meeting(*this, call, channels.get(world, getGroup(), call, 0),
                  {getGroup().ranks[*call.to]});
  if (Status status = meeting.begin(sequence, nullptr))
    return status;
  return meeting.end();
}

Status CudaLocalCommunicator::recv(const Call &call) {
  ++sequence;
  if (getGroup().index != *call.to)
    return fillZeros(call.site, call.recv, call.getBytes());
  Seat &channel = channels.get(world, getGroup(), call, 1);
  Meeting meeting(*this, call, channel, {getGroup().ranks[*call.from]});
  if (Status status = meeting.begin(sequence, nullptr))
    return status;
  meeting.enqueue([&] {
    return copy(call, call.recv, channel.getPost(0).call.send, call.getBytes());
  });
  return meeting.end();
}

static bool overlap(const void *a, const void *b, int64_t bytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + bytes && y < x + bytes;
}

/// What the rank that showed `post` sends to `peer`.
static const void *findSent(const Post &post, int64_t peer) {
  return std::find_if(post.sends->begin(), post.sends->end(),
                      [&](const Transfer &t) { return t.peer == peer; })
      ->buffer;
}

Status CudaLocalCommunicator::exchange(const Call &call,
                                       const std::vector<Transfer> &sends,
                                       const std::vector<Transfer> &recvs) {
  int64_t index = getGroup().index, bytes = call.getBytes();
  // What is received into a buffer that is sent: first into memory of its own,
  // for the others may still be reading there.
  std::vector<void *> early(recvs.size(), nullptr);
  Status status = COMM_SUCCESS;
  for (size_t i = 0; i < recvs.size(); ++i)
    for (const Transfer &send : sends) {
      // What a rank sends to itself, and has there, stays there.
      bool stays = recvs[i].peer == index && send.peer == index &&
                   send.buffer == recvs[i].buffer;
      if (stays)
        break;
      if (early[i] || !overlap(send.buffer, recvs[i].buffer, bytes))
        continue;
      early[i] = context.tryAllocate(bytes);
      if (!early[i] && status == COMM_SUCCESS)
        status = context.fail(COMM_NO_MEMORY,
                              call.describe() + ": no device memory for " +
                                  std::to_string(bytes) +
                                  " bytes, which it receives into a buffer "
                                  "that it sends");
    }
  Meeting meeting(*this, call, seat, getGroup().ranks);
  if (status == COMM_SUCCESS &&
      (status = meeting.begin(++sequence, &sends)) == COMM_SUCCESS) {
    for (size_t i = 0; i < recvs.size(); ++i)
      meeting.enqueue([&] {
        return copy(call, early[i] ? early[i] : recvs[i].buffer,
                    findSent(seat.getPost(recvs[i].peer), index), bytes);
      });
    status = meeting.end();
    for (size_t i = 0; i < recvs.size(); ++i)
      if (early[i] && status == COMM_SUCCESS)
        status = copy(call, recvs[i].buffer, early[i], bytes);
  }
  for (void *memory : early)
    context.release(memory);
  return status;
}
