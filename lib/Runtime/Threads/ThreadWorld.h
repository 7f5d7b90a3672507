//===- ThreadWorld.h - Ranks as threads -------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_THREADS_THREADWORLD_H
#define COMM_LIB_RUNTIME_THREADS_THREADWORLD_H

#include "Rendezvous.h"

#include <map>
#include <tuple>

namespace mlir::comm::runtime {

class ThreadContext : public Context {
public:
  using Context::Context;

protected:
  std::unique_ptr<Communicator> createCommunicator(Group group) override;
};

/// Ranks that are threads of this process, and meet here. Whose they are, and
/// how their collectives work, is the contexts' affair.
class ThreadWorld : public World {
public:
  using MakeContext =
      std::function<std::unique_ptr<Context>(ThreadWorld &world, int64_t rank)>;

  ThreadWorld(Mesh mesh, Options options, const MakeContext &makeContext);
  /// Of the backend "threads".
  ThreadWorld(Mesh mesh, Options options);

  std::vector<int64_t> getLocalRanks() const override;
  Context &getContext(int64_t rank) override { return *contexts[rank]; }

  /// Whether every rank has a core of its own.
  bool maySpin() const { return spins; }
  /// From how many bytes on a collective writes past the caches.
  int64_t getStreamBytes() const { return streamBytes; }

  /// Counts the ranks that cannot go on alone: they have ended, or wait in a
  /// meeting that is not complete.
  void addIdle(int64_t ranks) { numIdle += ranks; }
  /// Nobody can go on. Once true it stays true.
  bool isDeadlocked() const { return numIdle == getNumRanks(); }

  /// The one object that all members of the group share.
  Rendezvous &getRendezvous(const Group &group);
  /// The channel between two members, which are numbers in the group.
  Rendezvous &getChannel(const Group &group, int64_t from, int64_t to);

private:
  void onFailure() override;
  void onEnd(int64_t rank) override;
  void wakeAll();

  /// Axes as written, the group's rank 0, and the channel if it is one.
  using Key = std::tuple<std::vector<int64_t>, int64_t, int64_t, int64_t>;
  Rendezvous &get(const Key &key, Rendezvous::Kind kind,
                  const std::vector<int64_t> &ranks, const std::string &name);

  std::vector<std::unique_ptr<Context>> contexts;
  bool spins;
  int64_t streamBytes;
  std::atomic<int64_t> numIdle{0};
  std::mutex mutex;
  std::map<Key, std::unique_ptr<Rendezvous>> places;
};

/// The seats of one rank at the channels of a group.
class Channels {
public:
  /// The end `number` of the call's channel: 0 sends, 1 receives. A rank has
  /// one end of a channel.
  Seat &get(ThreadWorld &world, const Group &group, const Call &call,
            int64_t number);

private:
  /// By sender and receiver.
  std::map<std::pair<int64_t, int64_t>, Seat> seats;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_THREADWORLD_H
