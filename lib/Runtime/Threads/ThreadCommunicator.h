//===- ThreadCommunicator.h - Copies between threads ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H
#define COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H

#include "Part.h"
#include "ThreadWorld.h"

namespace mlir::comm::runtime {

/// Each rank shows its buffers, meets the others, reads what it needs straight
/// from theirs, and meets them again. Where little is sent, it shows a copy and
/// meets them once.
class ThreadCommunicator : public Communicator {
public:
  ThreadCommunicator(Context &context, ThreadWorld &world, Group group);

  Status barrier(const Call &call) override;
  Status allReduce(const Call &call) override;
  Status reduceScatter(const Call &call) override;
  Status reduce(const Call &call) override;
  Status allGather(const Call &call) override;
  Status allToAll(const Call &call) override;
  Status broadcast(const Call &call) override;
  Status send(const Call &call) override;
  Status recv(const Call &call) override;

protected:
  Status exchange(const Call &call, const std::vector<Transfer> &sends,
                  const std::vector<Transfer> &recvs) override;

private:
  class LateCopies;

  /// Meets the others, who may then read `call.send`. `most` is the bytes that
  /// one member sends at most: the same on all ranks. `own` is what this one
  /// sends.
  Status meet(const Call &call, int64_t most, int64_t own);
  Status meet(const Call &call, const std::vector<Transfer> *sends);
  /// What a member sends: valid until `part`.
  const char *getSent(int64_t member) const;
  char *getReceived(int64_t member) const {
    return static_cast<char *>(seat.getPost(member).call.recv);
  }
  /// Nobody reads what others send any more.
  void part();

  /// Whether what this call writes, in bytes on all ranks, goes past the
  /// caches.
  bool streams(int64_t bytes) const;

  /// Reduces `count` elements, from `begin` on, of what all members send, in
  /// the order of their numbers, to each of `outs`: bitwise the same whoever
  /// does it.
  void reduceRange(const Call &call, int64_t begin, int64_t count, bool stream);
  void swapChunks(const Call &call, int64_t member) const;

  ThreadWorld &world;
  Seat seat;
  Channels channels;
  int64_t sequence = 0;
  /// What reduceRange reads and writes: kept, so that a call allocates nothing.
  std::vector<const void *> inputs;
  std::vector<void *> outs;
  /// Whether the members have shown copies of what they send.
  bool showsCopies = false;
  /// How much of them.
  int64_t expectedBytes = 0;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H
