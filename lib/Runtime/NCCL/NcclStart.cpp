//===- NcclStart.cpp - Makes NCCL communicators ---------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclStart.h"

#include "Store/Roster.h"

#include <cstring>
#include <cuda_runtime_api.h>
#include <numeric>

using namespace mlir::comm::runtime;
using Clock = std::chrono::steady_clock;

static ncclConfig_t getConfig(const char *name) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  // Those that are split off share the memory and the threads of the world's:
  // a rank uses them one after another.
  config.splitShare = 1;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  config.commName = name;
#else
  (void)name;
#endif
  return config;
}

std::string mlir::comm::runtime::makeUniqueId(std::string &error) {
  ncclUniqueId id;
  ncclResult_t result = ncclGetUniqueId(&id);
  if (result == ncclSuccess)
    return std::string(id.internal, sizeof id.internal);
  error = "ncclGetUniqueId: " + describe(result, nullptr);
  return "";
}

static ncclUniqueId getUniqueId(const std::string &bytes) {
  ncclUniqueId id;
  std::memset(&id, 0, sizeof id);
  std::memcpy(id.internal, bytes.data(),
              std::min(bytes.size(), sizeof id.internal));
  return id;
}

namespace {
/// Makes one communicator on each rank of the process, all at once.
class Opening {
public:
  Opening(const char *call, const std::vector<NcclHandles *> &ranks,
          const Patience &patience)
      : call(call), ranks(ranks), patience(patience),
        comms(ranks.size(), nullptr), deadline(getDeadline(patience.timeout)) {}

  /// `begin(i, &comm)` begins it on the rank at `i`.
  template <typename Begin>
  std::string run(Begin begin) {
    ncclResult_t result = ncclGroupStart();
    for (size_t i = 0; i < ranks.size() && !isError(result); ++i) {
      (void)cudaSetDevice(ranks[i]->getDevice());
      result = begin(i, &comms[i]);
      failed = i;
    }
    ncclResult_t end = ncclGroupEnd();
    if (!isError(result))
      result = end;
    return isError(result) ? describeError(result, nullptr) : "";
  }

  /// `getComm(i)` says how far it is on the rank at `i`. An error of one ends
  /// the wait for all: the others would wait for it in vain.
  template <typename GetComm>
  std::string wait(GetComm getComm) {
    Clock::time_point begin = Clock::now();
    while (true) {
      bool isDone = true;
      for (failed = 0; failed < ranks.size(); ++failed) {
        ncclComm_t comm = getComm(failed);
        ncclResult_t state = ranks[failed]->getState(comm);
        if (isError(state))
          return describeError(state, comm);
        isDone &= state == ncclSuccess;
      }
      if (isDone)
        return "";
      failed = 0;
      if (hasPassed(deadline) || patience.stop())
        return describeError(ncclInProgress, nullptr);
      pauseSince(begin);
    }
  }

  std::vector<ncclComm_t> &getComms() { return comms; }

private:
  std::string describeError(ncclResult_t result, ncclComm_t comm) const {
    std::string text =
        "rank " + std::to_string(ranks[failed]->getRank()) + ": " + call + ": ";
    if (result != ncclInProgress)
      return text + describe(result, comm);
    return text + (patience.stop()
                       ? "stopped"
                       : "timeout after " + formatSeconds(patience.timeout));
  }

  const char *call;
  const std::vector<NcclHandles *> &ranks;
  const Patience &patience;
  std::vector<ncclComm_t> comms;
  Deadline deadline;
  size_t failed = 0;
};
} // namespace

/// The group of all ranks, over the axes in the order of the mesh.
static std::string openWorld(const std::vector<NcclHandles *> &ranks,
                             const Mesh &mesh, const ncclUniqueId &id,
                             const Patience &patience) {
  int numRanks = static_cast<int>(getNumRanks(mesh));
  Opening opening("ncclCommInitRankConfig", ranks, patience);
  ncclConfig_t config = getConfig("world");
  std::string error = opening.run([&](size_t i, ncclComm_t *comm) {
    return ncclCommInitRankConfig(
        comm, numRanks, id, static_cast<int>(ranks[i]->getRank()), &config);
  });
  std::vector<int64_t> axes(mesh.size());
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = 0; i < ranks.size(); ++i)
    if (opening.getComms()[i])
      ranks[i]->add(axes, opening.getComms()[i]);
  if (error.empty())
    error = opening.wait([&](size_t i) { return opening.getComms()[i]; });
  return error;
}

/// The groups along one axis.
static std::string openAxis(const std::vector<NcclHandles *> &ranks,
                            const std::vector<int64_t> &world, const Mesh &mesh,
                            int64_t axis, const Patience &patience) {
  Opening opening("ncclCommSplit", ranks, patience);
  ncclConfig_t config = getConfig(mesh[axis].name.c_str());
  std::string error = opening.run([&](size_t i, ncclComm_t *comm) {
    Group group = getGroup(mesh, {axis}, ranks[i]->getRank());
    return ncclCommSplit(ranks[i]->find(world),
                         static_cast<int>(group.ranks[0]),
                         static_cast<int>(group.index), comm, &config);
  });
  // The parent is in progress until the new one is there.
  if (error.empty())
    error = opening.wait([&](size_t i) { return ranks[i]->find(world); });
  for (size_t i = 0; i < ranks.size(); ++i)
    if (opening.getComms()[i])
      ranks[i]->add({axis}, opening.getComms()[i]);
  if (error.empty())
    error = opening.wait([&](size_t i) { return opening.getComms()[i]; });
  return error;
}

std::string
mlir::comm::runtime::openHandles(const std::vector<NcclHandles *> &ranks,
                                 const Mesh &mesh, const std::string &id,
                                 const Patience &patience) {
  std::string error = openWorld(ranks, mesh, getUniqueId(id), patience);
  std::vector<int64_t> world(mesh.size());
  std::iota(world.begin(), world.end(), 0);
  // An axis of the whole world's length is the world if it is the only one;
  // groups of one rank are rarely used.
  for (size_t axis = 0; axis < mesh.size() && error.empty(); ++axis)
    if (mesh[axis].size > 1 && mesh.size() > 1)
      error =
          openAxis(ranks, world, mesh, static_cast<int64_t>(axis), patience);
  return error;
}

ncclResult_t mlir::comm::runtime::openGroup(NcclHandles &rank,
                                            const Group &group,
                                            const std::string &id,
                                            const Patience &patience,
                                            ncclComm_t &comm) {
  comm = nullptr;
  ncclConfig_t config = getConfig("group");
  ncclResult_t result = rank.call([&] {
    return ncclCommInitRankConfig(&comm, static_cast<int>(group.size()),
                                  getUniqueId(id),
                                  static_cast<int>(group.index), &config);
  });
  if (comm)
    rank.add(group.axes, comm);
  if (isError(result))
    return result;
  result = rank.waitFor(comm, getDeadline(patience.timeout), patience.stop);
  if (result == ncclSuccess)
    rank.registerEarlier(comm);
  return result;
}
