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

/// What a rank shows to the others at a meeting.
struct Post {
  /// How many calls the rank has made on its communicator.
  int64_t sequence;
  /// What it sends, for ThreadCommunicator::exchange. Alive until the ranks
  /// have met again.
  const std::vector<Transfer> *sends;
  Call call;
};

/// A fixed set of ranks, each with a seat, that meet again and again: a group,
/// or the two ends of a channel (seat 0 sends, seat 1 receives).
///
/// To come to a meeting, a rank writes the meeting's number at its seat.
/// Whoever waits looks at the seats for a short while and then sleeps.
/// Failures, and all else that is rare, happen under a lock; a word of flags,
/// which all look at after they have come and before they leave, says that
/// there is such a thing. A meeting to which all have come before it failed
/// does not fail.
class Rendezvous {
public:
  enum class Kind { Group, Channel };

  /// How much a rank can show of what it sends: what is not more is read there
  /// by the others, and the rank need not wait until they have.
  static constexpr int64_t payloadBytes = 8192;

  /// `name` says in messages who meets: `a group over ["tp"]`.
  Rendezvous(ThreadWorld &world, Kind kind, std::vector<int64_t> ranks,
             std::string name);

  /// Something outside has changed that those who wait must look at.
  void wake();

private:
  friend class Seat;

  struct Trouble {
    Status status;
    std::string message;
  };

  /// What one seat shows, in cache lines of its own.
  struct alignas(64) Place {
    /// The meeting to which the rank has come, in the end.
    std::atomic<uint64_t> meeting{0};
    Post post;
    /// The pairs of the call: a caller's own may be gone before all have
    /// compared them.
    std::vector<int64_t> pairs;
  };

  /// The flags. All that is read and written without the lock is in one order,
  /// so that either who comes sees a flag, or who sets it sees that he has
  /// come.
  static constexpr uint32_t hasTrouble = 1, hasSleepers = 2;

  /// Not at equal offsets within a page: see docs/Runtime.md.
  static constexpr int64_t payloadStride = payloadBytes + 5 * 64;

  /// Nobody comes to the meeting after next before all have left this one.
  Place &getPlace(int64_t seat, uint64_t meeting) const {
    return places[2 * seat + meeting % 2];
  }
  char *getPayload(int64_t seat, uint64_t meeting) const {
    return payloads.get() + (2 * seat + meeting % 2) * payloadStride;
  }
  bool hasCome(int64_t seat, uint64_t meeting) const {
    return getPlace(seat, meeting).meeting.load() == meeting;
  }

  /// What the rank has written before is seen by whoever sees that it has come.
  void come(int64_t seat, uint64_t meeting) {
    getPlace(seat, meeting).meeting.store(meeting);
  }
  /// Waits until all have come, or until there is trouble; without a call there
  /// is none.
  std::optional<Trouble> wait(uint64_t meeting, const Call *call);
  bool spin(uint64_t meeting, bool isShort) const;
  std::optional<Trouble> sleep(uint64_t meeting, const Call *call);

  std::optional<Trouble> findDisagreement(uint64_t meeting) const;

  /// These want the lock.
  bool isInTrouble(uint64_t meeting) const;
  bool isComplete(uint64_t meeting);
  void release(uint64_t meeting);
  bool fail(uint64_t meeting, const Trouble &newTrouble);
  std::optional<Trouble> findTrouble(uint64_t meeting, const Call &call) const;
  Trouble makeTimeout(uint64_t meeting, const Call &call) const;
  std::string describeAll() const;

  ThreadWorld &world;
  const Kind kind;
  const std::vector<int64_t> ranks;
  const std::string name;

  std::unique_ptr<Place[]> places;
  struct Free {
    void operator()(char *memory) const;
  };
  std::unique_ptr<char[], Free> payloads;
  alignas(64) std::atomic<uint32_t> flags{0};

  alignas(64) std::mutex mutex;
  std::condition_variable changed;
  /// How many sleep, by the parity of the meeting that they wait for, and how
  /// many of these the world counts as idle.
  int64_t numSleepers[2] = {0, 0}, numIdle[2] = {0, 0};
  /// All meetings up to this one are known to be complete.
  uint64_t numComplete = 0;
  /// Set when a rank has left a meeting without having met the others. This
  /// one and those that would follow fail.
  std::optional<Trouble> trouble;
  uint64_t troubledMeeting = 0;
};

/// One rank's place at a rendezvous. Used by one thread.
class Seat {
public:
  Seat(Rendezvous &rendezvous, int64_t number)
      : rendezvous(rendezvous), number(number) {}

  /// What is shown at the next meeting, to be written before it.
  void show(const Call &call, int64_t sequence,
            const std::vector<Transfer> *sends);
  /// Room for Rendezvous::payloadBytes of what is sent.
  char *getNextPayload() const {
    return rendezvous.getPayload(number, numMeetings + 1);
  }

  /// Waits until every seat shows a post, and compares them. Fails, on every
  /// rank that waits here, if they do not agree, if a rank has ended, if the
  /// run has failed, if every rank of the world waits, or if the timeout is
  /// over. If it succeeds it succeeds on all ranks; where they then read each
  /// other's buffers, all of them must call `meetAgain` before they go on.
  /// `payloadBytes`, of which others have read payloads, is only a hint.
  Status meet(int64_t payloadBytes = 0);

  /// Waits until every seat has come here too. Never fails: the others are
  /// copying and may not lose the buffers that they read.
  void meetAgain();

  /// A hint that the rank will come to the next meeting with a post.
  void expectNextPost(int64_t payloadBytes) const;

  /// What the rank on a seat has shown at the last `meet`: until the next.
  const Post &getPost(int64_t seat) const {
    return rendezvous.getPlace(seat, lastPost).post;
  }
  const char *getPayload(int64_t seat) const {
    return rendezvous.getPayload(seat, lastPost);
  }

private:
  void expectPosts(int64_t payloadBytes) const;

  Rendezvous &rendezvous;
  const int64_t number;
  /// The last meeting that the rank has come to, and the last with a post.
  uint64_t numMeetings = 0, lastPost = 0;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_RENDEZVOUS_H
