//===- NcclHandles.cpp - The NCCL communicators of one rank ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclHandles.h"

#include <thread>

using namespace mlir::comm::runtime;
using Clock = std::chrono::steady_clock;

std::string mlir::comm::runtime::describe(ncclResult_t result,
                                          ncclComm_t comm) {
  std::string text = ncclGetErrorString(result);
  const char *last = ncclGetLastError(comm);
  if (last && *last)
    text += std::string(": ") + last;
  return text;
}

void mlir::comm::runtime::pauseSince(Clock::time_point begin) {
  if (Clock::now() - begin < std::chrono::milliseconds(1))
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

NcclHandles::~NcclHandles() { abort(); }

ncclComm_t NcclHandles::find(const std::vector<int64_t> &axes) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const Entry &entry : entries)
    if (entry.axes == axes)
      return entry.comm;
  return nullptr;
}

void NcclHandles::add(std::vector<int64_t> axes, ncclComm_t comm) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.push_back({std::move(axes), comm, {}});
}

/// A null handle where NCCL cannot, which is no failure: it then copies.
static void registerMemory(NcclHandles::Entry &entry, void *memory,
                           int64_t bytes) {
  void *handle = nullptr;
  if (isError(ncclCommRegister(entry.comm, memory, bytes, &handle)))
    handle = nullptr;
  entry.registrations.push_back(handle);
}

void NcclHandles::addMemory(void *added, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  memory.push_back({added, bytes});
  if (!isOpen)
    return;
  for (Entry &entry : entries)
    registerMemory(entry, added, bytes);
}

void NcclHandles::registerEarlier(ncclComm_t comm) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Entry &entry : entries)
    if (entry.comm == comm && isOpen)
      for (auto [earlier, bytes] : memory)
        registerMemory(entry, earlier, bytes);
}

void NcclHandles::removeMemory(void *removed) {
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = 0; i < memory.size(); ++i) {
    if (memory[i].first != removed)
      continue;
    memory.erase(memory.begin() + i);
    for (Entry &entry : entries) {
      if (isOpen && entry.registrations[i])
        (void)ncclCommDeregister(entry.comm, entry.registrations[i]);
      entry.registrations.erase(entry.registrations.begin() + i);
    }
    return;
  }
}

ncclResult_t NcclHandles::getState(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  ncclResult_t result =
      call([&] { return ncclCommGetAsyncError(comm, &state); });
  return result == ncclSuccess ? state : result;
}

ncclResult_t NcclHandles::waitFor(ncclComm_t comm, Deadline deadline,
                                  const std::function<bool()> &stop) {
  Clock::time_point begin = Clock::now();
  while (true) {
    ncclResult_t state = getState(comm);
    if (state != ncclInProgress || hasPassed(deadline) || stop())
      return state;
    pauseSince(begin);
  }
}

std::optional<std::pair<NcclHandles::Entry, std::string>>
NcclHandles::findError() {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  // Whoever has the lock comes to know of an error by itself.
  if (!lock || !isOpen)
    return std::nullopt;
  for (const Entry &entry : entries) {
    ncclResult_t state = ncclSuccess;
    ncclResult_t result = ncclCommGetAsyncError(entry.comm, &state);
    if (isError(result))
      return std::pair(entry, "ncclCommGetAsyncError: " +
                                  describe(result, entry.comm));
    if (isError(state))
      return std::pair(entry, describe(state, entry.comm));
  }
  return std::nullopt;
}

void NcclHandles::abort() {
  // A thread that hangs in NCCL leaves it when its communicator is aborted, so
  // that there is no sense in waiting for it for long. (No std::timed_mutex:
  // the thread sanitizer does not see it.)
  Clock::time_point begin = Clock::now();
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  while (!lock && Clock::now() - begin < std::chrono::seconds(1)) {
    pauseSince(begin);
    lock.try_lock();
  }
  isOpen = false;
  // What has been split off first.
  for (; !entries.empty(); entries.pop_back())
    (void)ncclCommAbort(entries.back().comm);
}

/// The results of a group of calls that several ranks begin together: NCCL
/// wants that from a thread that has more than one of them.
static bool finalize(const std::vector<NcclHandles::Entry> &entries) {
  if (ncclGroupStart() != ncclSuccess)
    return false;
  bool isRight = true;
  for (const NcclHandles::Entry &entry : entries)
    isRight &= !isError(ncclCommFinalize(entry.comm));
  return !isError(ncclGroupEnd()) && isRight;
}

void NcclHandles::close(const std::vector<NcclHandles *> &ranks,
                        Deadline deadline) {
  std::vector<Entry> all;
  for (NcclHandles *handles : ranks)
    for (auto it = handles->entries.rbegin(); it != handles->entries.rend();
         ++it)
      all.push_back(*it);
  if (!finalize(all))
    return;
  for (NcclHandles *handles : ranks)
    for (const Entry &entry : handles->entries)
      if (handles->waitFor(entry.comm, deadline, [] { return false; }) !=
          ncclSuccess)
        return;
  for (NcclHandles *handles : ranks)
    for (; !handles->entries.empty(); handles->entries.pop_back())
      (void)ncclCommDestroy(handles->entries.back().comm);
}
