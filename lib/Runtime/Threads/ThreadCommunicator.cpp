//===- ThreadCommunicator.cpp - Collectives by copies between threads -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCommunicator.h"

#include "../Reduction.h"
#include "ThreadWorld.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace mlir::comm::runtime;

static void copy(void *to, const void *from, int64_t bytes) {
  if (bytes && to != from)
    std::memcpy(to, from, bytes);
}

static bool overlap(const void *a, const void *b, int64_t bytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + bytes && y < x + bytes;
}

/// The elements that one rank of a group reduces for all: equal parts on cache
/// line boundaries.
namespace {
struct Part {
  Part(const Call &call, int64_t index, int64_t n) {
    constexpr int64_t line = 64;
    int64_t size = (call.count / n / line + 1) * line;
    begin = index > call.count / size ? call.count : index * size;
    this->size = std::min(size, call.count - begin);
  }
  int64_t begin, size;
};
} // namespace

ThreadCommunicator::ThreadCommunicator(Context &context, ThreadWorld &world,
                                       Group group)
    : Communicator(context, std::move(group)), world(world),
      rendezvous(world.getRendezvous(getGroup())) {}

Status ThreadCommunicator::meet(const Call &call,
                                const std::vector<Transfer> *sends) {
  post = {&call, ++sequence, sends};
  return rendezvous.meet(getGroup().index, post);
}

Status ThreadCommunicator::barrier(const Call &call) { return meet(call); }

/// Reduces some elements of what all members send, in the order of their
/// numbers: bitwise the same whoever does it.
void ThreadCommunicator::reduceRange(const Call &call, int64_t begin,
                                     int64_t size, void *out) const {
  int64_t offset = begin * getByteSize(call.getType());
  std::vector<const void *> inputs;
  for (int64_t i = 0; i < getGroup().size(); ++i)
    inputs.push_back(
        static_cast<const char *>(rendezvous.getPost(i).call->send) + offset);
  getReducer(call.getType(), call.getReduction())(inputs.data(),
                                                  getGroup().size(), out, size);
}

Status ThreadCommunicator::allReduce(const Call &call) {
  if (Status status = meet(call))
    return status;
  int64_t n = getGroup().size(), bytes = call.getBytes();
  // Where meeting costs more than arithmetic, each rank reduces everything.
  if (bytes <= 4096) {
    alignas(8) char result[4096];
    reduceRange(call, 0, call.count, result);
    rendezvous.meetAgain();
    copy(call.recv, result, bytes);
    return COMM_SUCCESS;
  }
  // Otherwise each reduces its part where it must end up. In place this is
  // right too: nobody else reads this part of what the rank sends.
  int64_t elementSize = getByteSize(call.getType());
  Part own(call, getGroup().index, n);
  reduceRange(call, own.begin, own.size,
              static_cast<char *>(call.recv) + own.begin * elementSize);
  rendezvous.meetAgain();
  for (int64_t i = 0; i < n; ++i) {
    Part part(call, i, n);
    int64_t offset = part.begin * elementSize;
    copy(static_cast<char *>(call.recv) + offset,
         static_cast<char *>(rendezvous.getPost(i).call->recv) + offset,
         part.size * elementSize);
  }
  rendezvous.meetAgain();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::reduceScatter(const Call &call) {
  if (Status status = meet(call))
    return status;
  reduceRange(call, getGroup().index * call.count, call.count, call.recv);
  rendezvous.meetAgain();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::reduce(const Call &call) {
  if (Status status = meet(call))
    return status;
  // Each rank reduces its part straight into the root's buffer.
  Part own(call, getGroup().index, getGroup().size());
  void *target = rendezvous.getPost(*call.root).call->recv;
  reduceRange(call, own.begin, own.size,
              static_cast<char *>(target) +
                  own.begin * getByteSize(call.getType()));
  rendezvous.meetAgain();
  // Not before: `recv` may be `send`, which the others were reading.
  if (getGroup().index != *call.root)
    return fillZeros(call.recv, call.getBytes());
  return COMM_SUCCESS;
}

/// What the rank that showed `post` sends to `peer`.
static const void *findBuffer(const Post &post, int64_t peer) {
  const std::vector<Transfer> &sends = *post.sends;
  // Whoever sends to all does so in their order.
  if (peer < static_cast<int64_t>(sends.size()) && sends[peer].peer == peer)
    return sends[peer].buffer;
  auto it = std::find_if(sends.begin(), sends.end(),
                         [&](const Transfer &t) { return t.peer == peer; });
  assert(it != sends.end() && "the ranks agree on what is transferred");
  return it->buffer;
}

Status ThreadCommunicator::exchange(const Call &call,
                                    const std::vector<Transfer> &sends,
                                    const std::vector<Transfer> &recvs) {
  if (Status status = meet(call, &sends))
    return status;
  int64_t bytes = call.getBytes(), index = getGroup().index;
  // What others may still be reading is not overwritten before they are done.
  std::vector<std::pair<void *, std::unique_ptr<char[]>>> late;
  for (const Transfer &recv : recvs) {
    void *target = recv.buffer;
    if (std::any_of(sends.begin(), sends.end(), [&](const Transfer &send) {
          return overlap(send.buffer, recv.buffer, bytes);
        })) {
      late.emplace_back(target, std::unique_ptr<char[]>(new char[bytes]));
      target = late.back().second.get();
    }
    copy(target, findBuffer(rendezvous.getPost(recv.peer), index), bytes);
  }
  rendezvous.meetAgain();
  for (auto &[target, content] : late)
    copy(target, content.get(), bytes);
  return COMM_SUCCESS;
}

Rendezvous &ThreadCommunicator::getChannel(const Call &call) {
  Rendezvous *&channel = channels[{*call.from, *call.to}];
  if (!channel)
    channel = &world.getChannel(getGroup(), *call.from, *call.to);
  return *channel;
}

Status ThreadCommunicator::send(const Call &call) {
  ++sequence;
  if (getGroup().index != *call.from)
    return COMM_SUCCESS;
  Rendezvous &channel = getChannel(call);
  Post post{&call, sequence, nullptr};
  if (Status status = channel.meet(0, post))
    return status;
  channel.meetAgain();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::recv(const Call &call) {
  ++sequence;
  if (getGroup().index != *call.to)
    return fillZeros(call.recv, call.getBytes());
  Rendezvous &channel = getChannel(call);
  Post post{&call, sequence, nullptr};
  if (Status status = channel.meet(1, post))
    return status;
  copy(call.recv, channel.getPost(0).call->send, call.getBytes());
  channel.meetAgain();
  return COMM_SUCCESS;
}
