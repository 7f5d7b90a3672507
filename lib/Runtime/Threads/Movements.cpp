//===- Movements.cpp - Collectives of threads that only copy --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Copy.h"
#include "ThreadCommunicator.h"

#include <algorithm>
#include <cassert>

using namespace mlir::comm::runtime;

Status ThreadCommunicator::allGather(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  if (Status status = meet(call, bytes, bytes))
    return status;
  char *recv = static_cast<char *>(call.recv);
  // Whoever shows copies has nothing to wait for: nobody writes to the others.
  if (showsCopies || !streams(n * n * bytes)) {
    for (int64_t i = 0; i < n; ++i)
      copyBytes(recv + i * bytes, getSent(i), bytes);
  } else {
    // Each gives what it has to all, so that it is read from memory once.
    outs.resize(n);
    for (int64_t i = 0; i < n; ++i)
      outs[i] = getReceived(i) + getGroup().index * bytes;
    copyToAll(outs.data(), n, call.send, bytes, /*stream=*/true);
  }
  part();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::broadcast(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  bool isRoot = getGroup().index == *call.root;
  if (Status status = meet(call, bytes, isRoot ? bytes : 0))
    return status;
  const char *sent = getSent(*call.root);
  // Where the buffers are the same the root has nothing to do for itself: then,
  // too, all share the work.
  constexpr int64_t least = 1 << 15;
  bool stream = streams(n * bytes);
  bool shares = getReceived(*call.root) == sent && bytes >= least;
  if (showsCopies || !(stream || shares)) {
    copyBytes(call.recv, isRoot ? call.send : sent, bytes);
  } else {
    Part own(bytes, getGroup().index, n);
    outs.resize(n);
    for (int64_t i = 0; i < n; ++i)
      outs[i] = getReceived(i) + own.begin;
    copyToAll(outs.data(), n, sent + own.begin, own.size, stream);
  }
  part();
  return COMM_SUCCESS;
}

/// What two members send to each other, where at least one of them receives
/// into the buffer that it sends. Each of the two does a half: nobody else
/// reads or writes these chunks.
void ThreadCommunicator::swapChunks(const Call &call, int64_t member) const {
  constexpr int64_t line = 64;
  int64_t bytes = call.getBytes(), index = getGroup().index;
  int64_t half = bytes / 2 / line * line;
  int64_t begin = index < member ? 0 : half;
  int64_t size = index < member ? half : bytes - half;
  swapBytes(getReceived(index) + member * bytes + begin,
            getSent(member) + index * bytes + begin,
            getReceived(member) + index * bytes + begin,
            getSent(index) + member * bytes + begin, size);
}

Status ThreadCommunicator::allToAll(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  int64_t index = getGroup().index;
  if (Status status = meet(call, n * bytes, n * bytes))
    return status;
  char *recv = static_cast<char *>(call.recv);
  bool stream = streams(n * n * bytes);
  auto isInPlace = [&](int64_t member) {
    return !showsCopies && getSent(member) == getReceived(member);
  };
  for (int64_t i = 0; i < n; ++i)
    if (i != index && (isInPlace(i) || isInPlace(index)))
      swapChunks(call, i);
    else
      copyBytes(recv + i * bytes, getSent(i) + index * bytes, bytes, stream);
  part();
  return COMM_SUCCESS;
}

/// What the rank that showed `post` sends to `peer`.
static const void *findBuffer(const Post &post, int64_t peer) {
  const std::vector<Transfer> &sends = *post.sends;
  auto it = std::find_if(sends.begin(), sends.end(),
                         [&](const Transfer &t) { return t.peer == peer; });
  assert(it != sends.end() && "the ranks agree on what is transferred");
  return it->buffer;
}

/// Copies of all that a rank sends, each behind the number of the peer.
static void pack(char *payload, const std::vector<Transfer> &sends,
                 int64_t bytes) {
  for (const Transfer &send : sends) {
    copyBytes(payload, &send.peer, sizeof send.peer);
    copyBytes(payload + sizeof send.peer, send.buffer, bytes);
    payload += sizeof send.peer + bytes;
  }
}

static const char *findPacked(const char *payload, int64_t peer,
                              int64_t bytes) {
  int64_t found;
  for (;; payload += sizeof found + bytes) {
    copyBytes(&found, payload, sizeof found);
    if (found == peer)
      return payload + sizeof found;
  }
}

static bool overlap(const void *a, const void *b, int64_t bytes) {
  auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + bytes && y < x + bytes;
}

/// What a rank receives into memory of its own first, because it sends from the
/// target and the others may still be reading there.
class ThreadCommunicator::LateCopies {
public:
  LateCopies(Arena &arena, int64_t bytes) : arena(arena), bytes(bytes) {}
  ~LateCopies() {
    for (auto [target, content] : copies)
      arena.release(content);
  }

  /// Returns where to receive what is for `target`; null where there is no
  /// memory.
  void *add(void *target) {
    void *content = arena.tryAllocate(bytes);
    copies.emplace_back(target, content);
    return content;
  }

  void copyToTargets() const {
    for (auto [target, content] : copies)
      copyBytes(target, content, bytes);
  }

private:
  Arena &arena;
  int64_t bytes;
  std::vector<std::pair<void *, void *>> copies;
};

Status ThreadCommunicator::exchange(const Call &call,
                                    const std::vector<Transfer> &sends,
                                    const std::vector<Transfer> &recvs) {
  int64_t n = getGroup().size(), index = getGroup().index;
  int64_t bytes = call.getBytes();
  showsCopies = bytes <= Rendezvous::payloadBytes / n -
                             static_cast<int64_t>(sizeof(int64_t));
  // Before the ranks meet: after that nobody can leave, for others read here.
  LateCopies late(getContext().getArena(), bytes);
  std::vector<Transfer> arrivals = recvs;
  if (showsCopies)
    pack(seat.getNextPayload(), sends, bytes);
  else
    for (Transfer &arrival : arrivals)
      if (std::any_of(sends.begin(), sends.end(), [&](const Transfer &send) {
            return overlap(send.buffer, arrival.buffer, bytes);
          }))
        if (!(arrival.buffer = late.add(arrival.buffer)))
          return getContext().fail(COMM_NO_MEMORY,
                                   call.describe() + ": no memory for " +
                                       std::to_string(bytes) +
                                       " bytes, which it receives into a "
                                       "buffer that it sends");
  if (Status status = meet(call, &sends))
    return status;
  if (showsCopies) {
    for (const Transfer &arrival : arrivals)
      copyBytes(arrival.buffer,
                findPacked(seat.getPayload(arrival.peer), index, bytes), bytes);
    return COMM_SUCCESS;
  }
  bool stream = streams(n * bytes);
  for (const Transfer &arrival : arrivals)
    copyBytes(arrival.buffer, findBuffer(seat.getPost(arrival.peer), index),
              bytes, stream);
  part();
  late.copyToTargets();
  return COMM_SUCCESS;
}
