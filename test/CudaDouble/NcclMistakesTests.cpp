//===- NcclMistakesTests.cpp - Misuse of NCCL, and its failures -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclTesting.h"

using namespace mlir::comm::cudadouble;

namespace {

class NcclMistakes : public NcclTest {
protected:
  /// Waits for an asynchronous error, and aborts.
  static ncclResult_t awaitError(Rank &self) {
    ncclResult_t error = ncclSuccess;
    while (error == ncclSuccess) {
      ncclCommGetAsyncError(self.comm, &error);
      std::this_thread::yield();
    }
    EXPECT_EQ(ncclCommAbort(self.comm), ncclSuccess);
    EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
    cudaStreamDestroy(self.stream);
    return error;
  }
};

} // namespace

TEST_F(NcclMistakes, RanksDisagreeOnTheCount) {
  runComms(
      3,
      [](Rank &self) {
        float *x = self.uploadNumbers(4);
        ncclAllReduce(x, x, self.rank == 2 ? 3 : 4, ncclFloat32, ncclSum,
                      self.comm, self.stream);
        EXPECT_EQ(awaitError(self), ncclInvalidUsage);
      },
      /*destroy=*/false);
  expectReport("order", "rank 0 calls ncclAllReduce of 4 x f32, sum, rank 2 "
                        "calls ncclAllReduce of 3 x f32, sum");
}

TEST_F(NcclMistakes, RanksDisagreeOnTheTypeOrTheOrder) {
  runComms(
      2,
      [](Rank &self) {
        float *x = self.uploadNumbers(4);
        ncclAllReduce(x, x, 4, self.rank ? ncclInt32 : ncclFloat32, ncclSum,
                      self.comm, self.stream);
        EXPECT_EQ(awaitError(self), ncclInvalidUsage);
      },
      /*destroy=*/false);
  expectReport("order", "4 x i32");
  runComms(
      2,
      [](Rank &self) {
        float *x = self.uploadNumbers(4);
        if (self.rank)
          ncclAllReduce(x, x, 4, ncclFloat32, ncclSum, self.comm, self.stream);
        ncclBroadcast(x, x, 4, ncclFloat32, 0, self.comm, self.stream);
        EXPECT_EQ(awaitError(self), ncclInvalidUsage);
      },
      /*destroy=*/false);
  expectReport("order", "rank 0 calls ncclBroadcast of 4 x f32, root 0, rank 1 "
                        "calls ncclAllReduce");
}

TEST_F(NcclMistakes, MessagesOfOtherSizes) {
  runComms(
      2,
      [](Rank &self) {
        float *x = self.uploadNumbers(4);
        if (self.rank)
          ncclRecv(x, 3, ncclFloat32, 0, self.comm, self.stream);
        else
          ncclSend(x, 4, ncclFloat32, 1, self.comm, self.stream);
        EXPECT_EQ(awaitError(self), ncclInvalidUsage);
      },
      /*destroy=*/false);
  expectReport("order", "rank 1 calls ncclRecv of 3 x f32, peer 0, rank 0 "
                        "calls ncclSend of 4 x f32, peer 1");
}

TEST_F(NcclMistakes, AMissingRankIsWaitedFor) {
  runComms(
      3,
      [](Rank &self) {
        float *x = self.uploadNumbers(1);
        cudaStreamSynchronize(self.stream);
        if (self.rank != 1) {
          // The host does not wait.
          EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm,
                                  self.stream),
                    ncclSuccess);
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          EXPECT_EQ(cudaStreamQuery(self.stream), cudaErrorNotReady);
          ncclResult_t error;
          ncclCommGetAsyncError(self.comm, &error);
          EXPECT_EQ(error, ncclSuccess);
        }
        EXPECT_EQ(ncclCommAbort(self.comm), ncclSuccess);
        EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
        // Nothing has been written.
        EXPECT_EQ(download(x, 1, self.stream), self.numbers(1));
      },
      /*destroy=*/false);
}

TEST_F(NcclMistakes, ARankThatNeverComes) {
  comm_double_fail("ncclAllReduce:2@rank1=never");
  runComms(
      3,
      [](Rank &self) {
        float *x = self.uploadNumbers(1);
        ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm, self.stream);
        cudaStreamSynchronize(self.stream);
        EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm,
                                self.stream),
                  ncclSuccess);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(cudaStreamQuery(self.stream), cudaErrorNotReady);
        EXPECT_EQ(ncclCommAbort(self.comm), ncclSuccess);
        EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
      },
      /*destroy=*/false);
}

TEST_F(NcclMistakes, InjectedErrors) {
  comm_double_fail("ncclAllReduce:1@rank2=ncclSystemError,"
                   "ncclAllGather:1@rank0=async:ncclRemoteError");
  runComms(
      3,
      [](Rank &self) {
        float *x = self.uploadNumbers(3);
        EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm,
                                self.stream),
                  self.rank == 2 ? ncclSystemError : ncclSuccess);
        if (self.rank != 0) {
          ncclCommAbort(self.comm);
          return;
        }
        EXPECT_EQ(ncclAllGather(x, x, 1, ncclFloat32, self.comm, self.stream),
                  ncclSuccess);
        // It comes to its turn when the one before it is aborted only.
        ncclCommAbort(self.comm);
        EXPECT_EQ(cudaStreamSynchronize(self.stream), cudaSuccess);
      },
      /*destroy=*/false);
}

TEST_F(NcclMistakes, AnAsynchronousError) {
  comm_double_fail("ncclAllReduce:1@rank1=async:ncclRemoteError");
  runComms(
      2,
      [](Rank &self) {
        float *x = self.uploadNumbers(1);
        EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm,
                                self.stream),
                  ncclSuccess);
        if (self.rank == 1) {
          EXPECT_EQ(awaitError(self), ncclRemoteError);
        } else {
          ncclCommAbort(self.comm);
        }
      },
      /*destroy=*/false);
}

TEST_F(NcclMistakes, UseBeforeItIsReady) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t comm;
  cudaStream_t stream = makeStream();
  float *x = allocate<float>(1);
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, comm, stream),
            ncclInvalidArgument);
  expectReport("order", "the communicator is in progress");
  EXPECT_EQ(poll(comm), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, comm, stream),
            ncclInvalidArgument);
  expectReport("handle", "the communicator is not alive");
}

TEST_F(NcclMistakes, TwoRanksOnOneDevice) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  runRanks(2, [&](int rank) {
    cudaSetDevice(0);
    ncclComm_t comm;
    EXPECT_EQ(ncclCommInitRank(&comm, 2, id, rank), ncclInvalidUsage);
    EXPECT_THAT(ncclGetLastError(comm),
                testing::HasSubstr("Duplicate GPU detected"));
    ncclCommAbort(comm);
  });
}

TEST_F(NcclMistakes, Groups) {
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  expectReport("order", "no ncclGroupStart");
  ncclGroupStart();
  comm_double_check_leaks();
  EXPECT_THAT(getReports(), testing::HasSubstr("has no ncclGroupEnd"));
  comm_double_clear_reports();
  ncclGroupEnd();
}

TEST_F(NcclMistakes, Pointers) {
  runComms(2, [](Rank &self) {
    float host[4];
    float *x = allocate<float>(4);
    auto reduce = [&](const void *send, void *recv, size_t count) {
      return ncclAllReduce(send, recv, count, ncclFloat32, ncclSum, self.comm,
                           self.stream);
    };
    EXPECT_EQ(reduce(host, x, 4), ncclInvalidArgument);
    EXPECT_EQ(reduce(x, host, 4), ncclInvalidArgument);
    EXPECT_EQ(reduce(x, x, 5), ncclInvalidArgument);
    EXPECT_EQ(reduce(x, x + 1, 2), ncclInvalidArgument);
    EXPECT_EQ(ncclAlltoAll(x, x, 2, ncclFloat32, self.comm, self.stream),
              ncclInvalidArgument);
    // In place would be the other rank's.
    EXPECT_EQ(ncclAllGather(x + 2 - self.rank, x + 1, 1, ncclFloat32, self.comm,
                            self.stream),
              ncclInvalidArgument);
    cudaSetDevice(3);
    float *other = allocate<float>(4);
    EXPECT_EQ(reduce(other, other, 4), ncclInvalidArgument);
    cudaStream_t stream = makeStream();
    EXPECT_EQ(ncclAllReduce(x, x, 4, ncclFloat32, ncclSum, self.comm, stream),
              ncclUnhandledCudaError);
    cudaStreamDestroy(stream);
    cudaSetDevice(self.rank);
  });
  std::string reports = getReports();
  EXPECT_EQ(comm_double_reports("pointer"), 16u);
  for (const char *part :
       {"ncclAllReduce: send: 0x", "ncclAllReduce: recv: 0x", "go beyond",
        "ncclAllReduce: send and recv overlap", "ncclAlltoAll: send and recv",
        "ncclAllGather: send and recv", "is not memory of device 0",
        "the stream is of device 3, the communicator of device 1"})
    EXPECT_THAT(reports, testing::HasSubstr(part));
  comm_double_clear_reports();
}

TEST_F(NcclMistakes, ACollectiveRacesWithComputation) {
  runComms(2, [](Rank &self) {
    float *x = self.uploadNumbers(1);
    cudaStreamSynchronize(self.stream);
    cudaStream_t compute = makeStream();
    cudaMemsetAsync(x, 0, 4, compute);
    ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    cudaStreamSynchronize(compute);
    cudaStreamDestroy(compute);
  });
  expectReport("race", "ncclAllReduce #");
}

TEST_F(NcclMistakes, AGroupSwapsInPlace) {
  runComms(2, [](Rank &self) {
    float *x = self.uploadNumbers(2);
    ncclGroupStart();
    ncclSend(x, 2, ncclFloat32, 1 - self.rank, self.comm, self.stream);
    ncclRecv(x, 2, ncclFloat32, 1 - self.rank, self.comm, self.stream);
    ncclGroupEnd();
    cudaStreamSynchronize(self.stream);
  });
  expectReport("race", "two messages of a group use the same memory");
}

TEST_F(NcclMistakes, FinalizingWaitsForWhatWasStarted) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  std::atomic<bool> isFinalizing{false};
  runRanks(2, [&](int rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    Rank self{rank, makeStream(), nullptr};
    ncclCommInitRankConfig(&self.comm, 2, id, rank, &config);
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    float *x = self.uploadNumbers(1);
    while (rank == 1 && !isFinalizing)
      std::this_thread::yield();
    ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm, self.stream);
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    EXPECT_EQ(ncclCommFinalize(self.comm), ncclInProgress);
    ncclResult_t state;
    for (int i = 0; rank == 0 && i < 20; ++i) {
      ncclCommGetAsyncError(self.comm, &state);
      EXPECT_EQ(state, ncclInProgress);
    }
    isFinalizing = true;
    EXPECT_EQ(poll(self.comm), ncclSuccess);
    ncclCommDestroy(self.comm);
    cudaStreamDestroy(self.stream);
  });
}

TEST_F(NcclMistakes, LeakedCommunicators) {
  runComms(2, [](Rank &) {}, /*destroy=*/false);
  comm_double_check_leaks();
  EXPECT_THAT(getReports(), testing::HasSubstr("communicator of rank 1"));
  comm_double_clear_reports();
}
