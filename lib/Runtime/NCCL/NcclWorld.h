//===- NcclWorld.h - Ranks that communicate through NCCL --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLWORLD_H
#define COMM_LIB_RUNTIME_NCCL_NCCLWORLD_H

#include "Cuda/CudaContext.h"
#include "NcclMessages.h"
#include "NcclStart.h"
#include "Progress.h"
#include "Store/Launcher.h"

#include <map>

namespace mlir::comm::runtime {

class NcclWorld;
class Watchdog;

/// One rank, on a device of its own.
class NcclContext : public CudaContext {
public:
  NcclContext(NcclWorld &world, int64_t rank,
              std::shared_ptr<CudaStreams> streams,
              std::shared_ptr<NcclHandles> handles);

  NcclWorld &getNcclWorld() const;
  NcclHandles &getHandles() { return *handles; }
  Progress &getProgress() { return progress; }

  NcclMessages &getMessages() { return messages; }

  /// Work of collectives, which are these steps, begins on the communication
  /// stream, ...
  Status beginCollective(std::vector<Step> steps, const CommSite *site);
  /// ... and has been enqueued.
  Status endCollective(const CommSite *site);
  /// Says what came out of the call of NCCL that enqueued the steps, unless it
  /// is right. ncclInProgress: the world's patience is at its end.
  Status settle(const std::vector<Step> &steps, const char *call,
                ncclResult_t result, ncclComm_t comm);

  Status runStep(const std::string &key,
                 const std::function<Status()> &step) override;

protected:
  Status beginMessages() override {
    messages.begin();
    return COMM_SUCCESS;
  }
  Status moveMessages(const CommSite *) override { return messages.move(); }
  std::unique_ptr<Communicator> createCommunicator(Group group) override;

private:
  std::shared_ptr<CudaStreams> streams;
  Progress progress;
  NcclMessages messages{*this};
  std::shared_ptr<NcclHandles> handles;
};

/// All ranks as threads of this process, a device each; or one rank of several
/// processes, where a launcher has started them.
class NcclWorld : public World {
public:
  /// Null, with `error` set, if it cannot start.
  static std::unique_ptr<NcclWorld> create(Mesh mesh, Options options,
                                           std::string &error);
  ~NcclWorld() override;

  std::vector<int64_t> getLocalRanks() const override;
  Context &getContext(int64_t rank) override { return *contexts.at(rank); }

  Store &getStore() { return *store; }
  Watchdog &getWatchdog() { return *watchdog; }
  /// How long a rank waits for others.
  Patience getPatience() const;

  /// Stops the world for what another thread than the rank's has found, or
  /// another process has said.
  void failFor(Failure failure) { fail(std::move(failure)); }

  const std::map<int64_t, std::unique_ptr<NcclContext>> &getContexts() const {
    return contexts;
  }

private:
  NcclWorld(Mesh mesh, Options options);

  std::string join(std::optional<Process> process);
  std::string openRanks(int64_t first, int64_t last, int firstDevice);
  std::string start();
  std::vector<NcclHandles *> getHandles() const;

  void onFailure() override;
  void onEnd(int64_t rank) override;

  std::unique_ptr<Store> store;
  std::map<int64_t, std::unique_ptr<NcclContext>> contexts;
  std::unique_ptr<Watchdog> watchdog;
};

/// How a failure is told to other processes.
std::string encode(const Failure &failure);
Failure decodeFailure(const std::string &text);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLWORLD_H
