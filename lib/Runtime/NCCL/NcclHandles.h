//===- NcclHandles.h - The NCCL communicators of one rank -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLHANDLES_H
#define COMM_LIB_RUNTIME_NCCL_NCCLHANDLES_H

#include "Store/Store.h"

#include <atomic>
#include <cstdint>
#include <nccl.h>
#include <vector>

namespace mlir::comm::runtime {

/// "unhandled cuda error: ..." with what NCCL says of its last error.
std::string describe(ncclResult_t result, ncclComm_t comm);

/// ncclSuccess for what is only not done yet.
inline bool isError(ncclResult_t result) {
  return result != ncclSuccess && result != ncclInProgress;
}

/// Between two looks at a state: short at first, as most is done soon.
void pauseSince(std::chrono::steady_clock::time_point begin);

/// The communicators of one rank, one for each list of axes that it uses. They
/// are all non-blocking. The rank's thread works with them under a lock, so
/// that another thread can look at their state and end them.
class NcclHandles {
public:
  struct Entry {
    std::vector<int64_t> axes;
    ncclComm_t comm;
    /// What NCCL calls each piece of registered memory, in the order of these.
    std::vector<void *> registrations;
  };

  NcclHandles(int64_t rank, int device) : rank(rank), device(device) {}
  /// Aborts what has not been closed.
  ~NcclHandles();

  int64_t getRank() const { return rank; }
  int getDevice() const { return device; }

  /// Null if there is none.
  ncclComm_t find(const std::vector<int64_t> &axes) const;
  void add(std::vector<int64_t> axes, ncclComm_t comm);

  /// Registers memory of the device with all communicators.
  void addMemory(void *memory, int64_t bytes);
  /// Registers with a communicator that is new, and begun in truth, what the
  /// others know.
  void registerEarlier(ncclComm_t comm);
  /// Nobody uses the memory any more.
  void removeMemory(void *memory);

  /// Calls NCCL under the lock; ncclInvalidUsage without a call when the
  /// communicators have been aborted.
  template <typename Function>
  ncclResult_t call(Function function) {
    std::lock_guard<std::mutex> lock(mutex);
    return isOpen ? function() : ncclInvalidUsage;
  }

  /// Calls function(0) to function(n - 1) as one group of NCCL, or the only one
  /// as it is. `failed`: which of them has an error; none where the group as a
  /// whole has it.
  template <typename Function>
  ncclResult_t callGroup(size_t n, Function function,
                         std::optional<size_t> &failed) {
    return call([&] {
      ncclResult_t result = n > 1 ? ncclGroupStart() : ncclSuccess;
      for (size_t i = 0; i < n && !isError(result); ++i)
        if (result = function(i); isError(result))
          failed = i;
      ncclResult_t end = n > 1 ? ncclGroupEnd() : result;
      return isError(result) ? result : end;
    });
  }

  /// How far what was begun on a communicator is: ncclInProgress, ncclSuccess
  /// or an error.
  ncclResult_t getState(ncclComm_t comm);
  /// Waits until what was begun on a communicator is begun in truth: before
  /// that nothing else may be done with it. ncclInProgress at the deadline or
  /// when `stop` says so.
  ncclResult_t waitFor(ncclComm_t comm, Deadline deadline,
                       const std::function<bool()> &stop);

  /// The first communicator that has an error; by another thread.
  std::optional<std::pair<Entry, std::string>> findError();

  /// Ends all that is on its way, here and on the device. By any thread, also
  /// while the rank's own waits in NCCL.
  void abort();

  /// Waits until all is done on the communicators of all these ranks, which
  /// one thread does together, and frees them. After the deadline, aborts.
  static void close(const std::vector<NcclHandles *> &ranks, Deadline deadline);

private:
  const int64_t rank;
  const int device;
  mutable std::mutex mutex;
  /// In the order in which they were made: the world first.
  std::vector<Entry> entries;
  std::vector<std::pair<void *, int64_t>> memory;
  std::atomic<bool> isOpen{true};
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLHANDLES_H
