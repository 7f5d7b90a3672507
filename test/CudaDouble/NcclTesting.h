//===- NcclTesting.h - Ranks with communicators, for tests ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_NCCLTESTING_H
#define COMM_CUDADOUBLE_NCCLTESTING_H

#include "DoubleTesting.h"

#include <atomic>

namespace mlir::comm::cudadouble {

/// Polls until the communicator is not in progress any more.
inline ncclResult_t poll(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (ncclCommGetAsyncError(comm, &state) == ncclSuccess &&
         state == ncclInProgress)
    std::this_thread::yield();
  return state;
}

/// One rank of a test: a stream, and a communicator of all ranks.
struct Rank {
  int rank;
  cudaStream_t stream;
  ncclComm_t comm;

  /// Its own numbers: no two ranks have equal ones.
  std::vector<float> numbers(size_t count) const {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(100 * rank + i + 1);
    return values;
  }
  float *uploadNumbers(size_t count) const {
    return upload(numbers(count), stream);
  }
};

class NcclTest : public DoubleTest {
protected:
  /// Runs `body` on every rank, and ends what it made in good order.
  void runComms(int numRanks, const std::function<void(Rank &)> &body,
                bool destroy = true) {
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    runRanks(numRanks, [&](int rank) {
      Rank self{rank, makeStream(), nullptr};
      EXPECT_EQ(ncclCommInitRank(&self.comm, numRanks, id, rank), ncclSuccess);
      body(self);
      if (!destroy)
        return;
      EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
      EXPECT_EQ(ncclCommDestroy(self.comm), ncclSuccess);
      cudaStreamDestroy(self.stream);
    });
  }
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_NCCLTESTING_H
