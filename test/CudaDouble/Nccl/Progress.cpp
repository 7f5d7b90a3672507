//===- Progress.cpp - Blocking and non-blocking communicators -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

using namespace mlir::comm::cudadouble;

ncclResult_t
mlir::comm::cudadouble::enter(const char *entry, ncclComm_t handle,
                              std::optional<Injection> *injection) {
  count(entry);
  ncclComm *comm = handle ? findCommunicator(handle, entry) : nullptr;
  if (handle && !comm)
    return fail(ncclInvalidArgument, "the communicator is not alive");
  const Caller &caller = getCaller();
  std::optional<Injection> found =
      findInjection(entry, comm ? comm->worldRank : caller.rank, caller.device);
  if (found && found->how == Injection::How::Return)
    return fail(getResult(found->error), "injected");
  if (injection)
    *injection = found;
  if (!comm)
    return ncclSuccess;
  if (comm->inProgress && !isInGroup()) {
    report("order", std::string(entry) +
                        ": the communicator is in progress: "
                        "ncclCommGetAsyncError has not said ncclSuccess yet");
    return fail(ncclInvalidArgument,
                "Attempt to use communicator before the previous operation "
                "returned ncclSuccess");
  }
  if (comm->isFinalized)
    return fail(ncclInvalidArgument, "the communicator is finalized");
  std::lock_guard<std::mutex> lock(comm->clique->mutex);
  return comm->asyncError;
}

void mlir::comm::cudadouble::setError(ncclComm &comm, ncclResult_t error,
                                      std::string text) {
  if (comm.asyncError == ncclSuccess) {
    comm.asyncError = error;
    comm.lastError = std::move(text);
  }
  comm.clique->changed.notify_all();
}

ncclResult_t mlir::comm::cudadouble::begin(ncclComm &comm,
                                           std::function<bool()> isReady,
                                           std::function<ncclResult_t()> then) {
  comm.isReady = std::move(isReady);
  if (then)
    comm.pending.push_back(std::move(then));
  comm.inProgress = true;
  comm.pollsLeft = getNumber("COMM_DOUBLE_POLLS", 2);
  return finishInGroup(comm);
}

/// What was begun is over.
static ncclResult_t runPending(ncclComm &comm) {
  comm.inProgress = false;
  comm.isReady = nullptr;
  ncclResult_t result;
  {
    std::lock_guard<std::mutex> lock(comm.clique->mutex);
    result = comm.asyncError;
  }
  std::vector<std::function<ncclResult_t()>> pending =
      std::exchange(comm.pending, {});
  for (const auto &then : pending)
    if (result == ncclSuccess)
      result = then();
  return result;
}

ncclResult_t mlir::comm::cudadouble::finish(ncclComm &comm) {
  if (!comm.blocking)
    return ncclInProgress;
  {
    std::unique_lock<std::mutex> lock(comm.clique->mutex);
    if (comm.isReady)
      comm.clique->changed.wait(lock, comm.isReady);
  }
  return runPending(comm);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t *error) {
  count("ncclCommGetAsyncError");
  if (!error || !handle || !findCommunicator(handle, "ncclCommGetAsyncError"))
    return fail(ncclInvalidArgument, "ncclCommGetAsyncError: bad argument");
  bool isReady;
  {
    std::lock_guard<std::mutex> lock(handle->clique->mutex);
    *error = handle->asyncError;
    isReady = !handle->isReady || handle->isReady();
  }
  // To be finalized is to have done all that was started.
  if (handle->isFinalized) {
    std::lock_guard<std::mutex> lock(getEngine().mutex);
    isReady &= !handle->last || handle->last->done;
  }
  if (*error != ncclSuccess) {
    handle->inProgress = false;
    return ncclSuccess;
  }
  if (!handle->inProgress || handle->blocking)
    return ncclSuccess;
  *error = ncclInProgress;
  if (!isReady)
    return ncclSuccess;
  if (handle->pollsLeft) {
    --handle->pollsLeft;
    return ncclSuccess;
  }
  *error = runPending(*handle);
  return ncclSuccess;
}
