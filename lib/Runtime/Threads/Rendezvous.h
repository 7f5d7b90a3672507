//===- Rendezvous.h - Where threads meet ------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_THREADS_RENDEZVOUS_H
#define COMM_LIB_RUNTIME_THREADS_RENDEZVOUS_H

#include "comm/Runtime/Communicator.h"

#include <condition_variable>

namespace mlir::comm::runtime {

class ThreadWorld;

/// What a rank shows to the others. Alive until they have met again.
struct Post {
  const Call *call;
  /// How many calls the rank has made on its communicator.
  int64_t sequence;
  /// What it sends, for ThreadCommunicator::exchange.
  const std::vector<Transfer> *sends;
};

/// A fixed set of ranks, each with a seat, that meet again and again: a group,
/// or the two ends of a channel (seat 0 sends, seat 1 receives).
class Rendezvous {
public:
  enum class Kind { Group, Channel };

  /// `name` says in messages who meets: `a group over ["tp"]`.
  Rendezvous(ThreadWorld &world, Kind kind, std::vector<int64_t> ranks,
             std::string name);

  /// Shows `post`, waits until every seat has shown one, and compares them.
  /// Fails, on every rank that waits here, if they do not agree, if a rank has
  /// ended, if the run has failed, if every rank of the world waits, or if the
  /// timeout is over. If it succeeds it
  /// succeeds on all ranks; where they then read each other's buffers, all of
  /// them must call `meetAgain` before they go on.
  Status meet(int64_t seat, const Post &post);

  /// Waits until every seat has come here too. Never fails: the others are
  /// copying and may not lose the buffers that they read.
  void meetAgain();

  /// Between the two: what the rank on a seat shows.
  const Post &getPost(int64_t seat) const { return *posts[seat]; }

  /// Something outside has changed that those who wait must look at.
  void wake();

private:
  struct Trouble {
    Status status;
    std::string message;
  };

  /// These want the lock.
  bool arrive();
  std::optional<Trouble> findDisagreement() const;
  std::optional<Trouble> findTrouble(const Call &call) const;
  Trouble makeTimeout(const Call &call) const;
  std::string describeAll() const;

  bool spin(uint64_t meeting) const;

  ThreadWorld &world;
  const Kind kind;
  const std::vector<int64_t> ranks;
  const std::string name;

  std::mutex mutex;
  std::condition_variable changed;
  /// How many meetings are over.
  std::atomic<uint64_t> meetings{0};
  size_t numArrived = 0;
  std::vector<const Post *> posts;
  /// Which seats have shown a post for the meeting to come.
  std::vector<bool> present;
  /// Set when a rank has left without having met the others. Nobody can meet
  /// here any more.
  std::optional<Trouble> trouble;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_RENDEZVOUS_H
