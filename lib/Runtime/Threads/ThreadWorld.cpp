//===- ThreadWorld.cpp - The ranks of a run as threads of one process -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadWorld.h"

#include "ThreadCommunicator.h"

#include <algorithm>
#include <numeric>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

using namespace mlir::comm::runtime;

std::unique_ptr<Communicator> ThreadContext::createCommunicator(Group group) {
  return std::make_unique<ThreadCommunicator>(
      *this, static_cast<ThreadWorld &>(getWorld()), std::move(group));
}

/// The cores that this process may use.
static int64_t getNumCores() {
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    return CPU_COUNT(&cores);
#endif
  return std::thread::hardware_concurrency();
}

/// What is larger than this share of the last cache is not there any more when
/// somebody reads it.
static int64_t findStreamBytes() {
  int64_t cacheBytes = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cacheBytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  // A very large one is that of many cores together.
  constexpr int64_t least = 1 << 23, most = 1 << 24;
  return std::clamp(cacheBytes / 2, least, most);
}

ThreadWorld::ThreadWorld(Mesh mesh, Options options)
    : ThreadWorld(std::move(mesh), std::move(options),
                  [](ThreadWorld &world, int64_t rank) {
                    return std::make_unique<ThreadContext>(world, rank);
                  }) {}

ThreadWorld::ThreadWorld(Mesh mesh, Options options,
                         const MakeContext &makeContext)
    : World(std::move(mesh), std::move(options)),
      spins(getNumRanks() <= getNumCores()), streamBytes(findStreamBytes()) {
  for (int64_t rank = 0; rank < getNumRanks(); ++rank)
    contexts.push_back(makeContext(*this, rank));
}

std::vector<int64_t> ThreadWorld::getLocalRanks() const {
  std::vector<int64_t> ranks(getNumRanks());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

Rendezvous &ThreadWorld::get(const Key &key, Rendezvous::Kind kind,
                             const std::vector<int64_t> &ranks,
                             const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Rendezvous> &place = places[key];
  if (!place)
    place = std::make_unique<Rendezvous>(*this, kind, ranks, name);
  return *place;
}

Rendezvous &ThreadWorld::getRendezvous(const Group &group) {
  return get({group.axes, group.ranks[0], -1, -1}, Rendezvous::Kind::Group,
             group.ranks, "group over " + group.axisNames);
}

Rendezvous &ThreadWorld::getChannel(const Group &group, int64_t from,
                                    int64_t to) {
  return get({group.axes, group.ranks[0], from, to}, Rendezvous::Kind::Channel,
             {group.ranks[from], group.ranks[to]},
             "channel over " + group.axisNames);
}

void ThreadWorld::onFailure() { wakeAll(); }

void ThreadWorld::onEnd(int64_t) {
  addIdle(1);
  wakeAll();
}

void ThreadWorld::wakeAll() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &place : places)
    place.second->wake();
}

Seat &Channels::get(ThreadWorld &world, const Group &group, const Call &call,
                    int64_t number) {
  std::pair<int64_t, int64_t> key{*call.from, *call.to};
  auto it = seats.find(key);
  if (it == seats.end()) {
    Rendezvous &rendezvous = world.getChannel(group, *call.from, *call.to);
    it = seats.emplace(key, Seat(rendezvous, number)).first;
  }
  return it->second;
}
