//===- Communicator.cpp - Communicators begin and end ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace mlir::comm::cudadouble;

namespace {

struct World {
  std::mutex mutex;
  /// Kept in memory: other ranks and operations that wait may name them.
  std::vector<std::unique_ptr<ncclComm>> all;
  std::set<ncclComm *> live;
  /// By the bytes of their unique id.
  std::map<std::string, std::shared_ptr<Clique>> cliques;
};

} // namespace

static uint64_t reportLeaks();

/// Never destroyed: streams may be at work when the process ends.
static World &getWorld() {
  static World *world = [] {
    addLeakCheck(reportLeaks);
    return new World();
  }();
  return *world;
}

static uint64_t reportLeaks() {
  World &world = getWorld();
  std::lock_guard<std::mutex> lock(world.mutex);
  for (ncclComm *comm : world.live)
    report("leak", "communicator of rank " + std::to_string(comm->rank) +
                       " of " + comm->clique->name + " is not destroyed");
  if (isInGroup())
    report("order", "ncclGroupStart has no ncclGroupEnd");
  return world.live.size() + isInGroup();
}

static ncclComm *create(std::shared_ptr<Clique> clique, int rank, int worldRank,
                        bool blocking) {
  auto *comm = new ncclComm();
  comm->clique = std::move(clique);
  comm->rank = rank;
  comm->worldRank = worldRank;
  comm->device = getCaller().device;
  comm->blocking = blocking;
  World &world = getWorld();
  std::lock_guard<std::mutex> lock(world.mutex);
  world.all.emplace_back(comm);
  world.live.insert(comm);
  return comm;
}

ncclComm *mlir::comm::cudadouble::findCommunicator(ncclComm_t handle,
                                                   const char *entry) {
  World &world = getWorld();
  std::lock_guard<std::mutex> lock(world.mutex);
  if (world.live.count(handle))
    return handle;
  report("handle", std::string(entry) + ": the communicator is not alive");
  return nullptr;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  if (ncclResult_t result = enter("ncclGetUniqueId", nullptr))
    return result;
  static std::atomic<unsigned> numIds{0};
  std::memset(id, 0, sizeof *id);
  std::snprintf(id->internal, sizeof id->internal, "communicator %u", numIds++);
  return ncclSuccess;
}

/// Comes to the clique; with its mutex locked. The last one to come finds two
/// ranks on one device, which NCCL refuses.
static void join(ncclComm &comm) {
  Clique &clique = *comm.clique;
  clique.members[comm.rank] = &comm;
  if (++clique.numJoined == clique.size())
    for (ncclComm *one : clique.members)
      for (ncclComm *other : clique.members)
        if (one != other && one->device == other->device)
          setError(*one, ncclInvalidUsage,
                   "Duplicate GPU detected : rank " +
                       std::to_string(one->rank) + " and rank " +
                       std::to_string(other->rank) + " both on CUDA device " +
                       std::to_string(one->device));
  clique.changed.notify_all();
}

static std::function<bool()> isComplete(ncclComm &comm) {
  // Those of other processes have come too, as far as anybody can tell.
  bool isAlone = getNumber("COMM_DOUBLE_ALONE", 0);
  return [&comm, isAlone] {
    return isAlone || comm.clique->numJoined == comm.clique->size() ||
           comm.isAborted || comm.asyncError != ncclSuccess;
  };
}

static bool checkConfig(const ncclConfig_t *config) {
  return !config ||
         (config->magic == 0xcafebeef && config->size <= sizeof(ncclConfig_t));
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *handle, int numRanks,
                                    ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  const char *entry = "ncclCommInitRankConfig";
  getCaller().rank = rank;
  std::optional<Injection> injection;
  if (ncclResult_t result = enter(entry, nullptr, &injection))
    return result;
  if (!handle || numRanks < 1 || rank < 0 || rank >= numRanks)
    return fail(ncclInvalidArgument,
                "Invalid rank requested : " + std::to_string(rank) + "/" +
                    std::to_string(numRanks));
  if (!checkConfig(config))
    return fail(ncclInvalidArgument, "ncclConfig_t argument not initialized "
                                     "via NCCL_CONFIG_INITIALIZER");
  if (!getEngine().getNumDevices())
    return fail(ncclUnhandledCudaError, "no CUDA-capable device is detected");
  bool blocking = !config || config->blocking != 0;
  std::shared_ptr<Clique> clique;
  {
    World &world = getWorld();
    std::lock_guard<std::mutex> lock(world.mutex);
    std::shared_ptr<Clique> &known = world.cliques[std::string(
        id.internal, strnlen(id.internal, sizeof id.internal))];
    if (!known)
      known = std::make_shared<Clique>(id.internal, numRanks);
    clique = known;
  }
  if (clique->size() != numRanks) {
    report("order", "ncclCommInitRankConfig: ranks disagree on the number of "
                    "ranks: " +
                        std::to_string(clique->size()) + " and " +
                        std::to_string(numRanks));
    return fail(ncclInvalidUsage, "the number of ranks differs");
  }
  ncclComm *comm = create(clique, rank, rank, blocking);
  {
    std::lock_guard<std::mutex> lock(clique->mutex);
    if (clique->members[rank]) {
      report("order", "ncclCommInitRankConfig: rank " + std::to_string(rank) +
                          " comes twice");
      return fail(ncclInvalidUsage, "the rank is taken");
    }
    if (injection && injection->how == Injection::How::Async)
      setError(*comm, getResult(injection->error), "injected");
    else if (!injection)
      join(*comm);
  }
  *handle = comm;
  return begin(*comm, isComplete(*comm), nullptr);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int numRanks, ncclUniqueId id,
                              int rank) {
  return ncclCommInitRankConfig(comm, numRanks, id, rank, nullptr);
}

/// The last rank to come has said its color: makes the new cliques.
static void makeCliques(Clique &clique, Clique::Split &split, uint64_t number) {
  std::map<int, int> sizes;
  for (const auto &[color, key] : split.colorsAndKeys)
    if (color != NCCL_SPLIT_NOCOLOR)
      ++sizes[color];
  for (const auto &[color, size] : sizes)
    split.cliques[color] = std::make_shared<Clique>(
        clique.name + ", split " + std::to_string(number) + " color " +
            std::to_string(color),
        size);
}

/// The rank's number among those of its color: by key, then by rank.
static int getNewRank(const Clique::Split &split, int rank) {
  const auto &mine = split.colorsAndKeys[rank];
  int number = 0;
  for (size_t other = 0; other < split.colorsAndKeys.size(); ++other) {
    const auto &theirs = split.colorsAndKeys[other];
    if (theirs.first == mine.first &&
        std::make_pair(theirs.second, static_cast<int>(other)) <
            std::make_pair(mine.second, rank))
      ++number;
  }
  return number;
}

ncclResult_t ncclCommSplit(ncclComm_t parent, int color, int key,
                           ncclComm_t *handle, ncclConfig_t *config) {
  std::optional<Injection> injection;
  if (ncclResult_t result = enter("ncclCommSplit", parent, &injection))
    return result;
  if (!handle || !checkConfig(config) ||
      (color < 0 && color != NCCL_SPLIT_NOCOLOR))
    return fail(ncclInvalidArgument, "ncclCommSplit: bad argument");
  *handle = nullptr;
  uint64_t number = parent->numSplits++;
  std::shared_ptr<Clique> clique = parent->clique;
  {
    std::lock_guard<std::mutex> lock(clique->mutex);
    Clique::Split &split = clique->splits[number];
    split.colorsAndKeys.resize(clique->size());
    if (injection && injection->how == Injection::How::Async) {
      setError(*parent, getResult(injection->error), "injected");
    } else if (!injection) {
      split.colorsAndKeys[parent->rank] = {color, key};
      if (++split.numCome == clique->size())
        makeCliques(*clique, split, number);
      clique->changed.notify_all();
    }
  }
  bool blocking = !config || config->blocking == NCCL_CONFIG_UNDEF_INT
                      ? parent->blocking
                      : config->blocking != 0;
  auto isReady = [=] {
    return clique->splits[number].numCome == clique->size() ||
           parent->isAborted || parent->asyncError != ncclSuccess;
  };
  // The handle is set when the split is over, not before.
  auto then = [=]() -> ncclResult_t {
    std::lock_guard<std::mutex> lock(clique->mutex);
    Clique::Split &split = clique->splits[number];
    if (color == NCCL_SPLIT_NOCOLOR || split.numCome < clique->size())
      return ncclSuccess;
    std::shared_ptr<Clique> mine = split.cliques[color];
    ncclComm *comm = create(mine, getNewRank(split, parent->rank),
                            parent->worldRank, blocking);
    comm->device = parent->device;
    std::lock_guard<std::mutex> ours(mine->mutex);
    join(*comm);
    *handle = comm;
    return ncclSuccess;
  };
  return begin(*parent, isReady, then);
}

static void forget(ncclComm *comm) {
  World &world = getWorld();
  std::lock_guard<std::mutex> lock(world.mutex);
  world.live.erase(comm);
}

/// Waits for what the communicator has started.
static void waitForLast(ncclComm &comm) {
  Engine &engine = getEngine();
  std::unique_lock<std::mutex> lock(engine.mutex);
  std::shared_ptr<Completion> last = comm.last;
  if (last)
    engine.changed.wait(lock, [&] { return last->done; });
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  if (ncclResult_t result = enter("ncclCommFinalize", handle))
    return result;
  handle->isFinalized = true;
  if (!handle->blocking)
    return begin(*handle, nullptr, nullptr);
  waitForLast(*handle);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  count("ncclCommDestroy");
  if (!handle)
    return ncclSuccess;
  if (!findCommunicator(handle, "ncclCommDestroy"))
    return ncclInvalidArgument;
  if (handle->inProgress)
    report("order", "ncclCommDestroy: the communicator is in progress");
  waitForLast(*handle);
  forget(handle);
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  count("ncclCommAbort");
  if (!handle)
    return ncclSuccess;
  if (!findCommunicator(handle, "ncclCommAbort"))
    return ncclInvalidArgument;
  {
    std::lock_guard<std::mutex> lock(handle->clique->mutex);
    handle->isAborted = true;
    handle->clique->changed.notify_all();
  }
  handle->pending.clear();
  forget(handle);
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t handle, int *count) {
  if (ncclResult_t result = enter("ncclCommCount", handle))
    return result;
  *count = handle->clique->size();
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t handle, int *rank) {
  if (ncclResult_t result = enter("ncclCommUserRank", handle))
    return result;
  *rank = handle->rank;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t handle, int *device) {
  if (ncclResult_t result = enter("ncclCommCuDevice", handle))
    return result;
  *device = handle->device;
  return ncclSuccess;
}
