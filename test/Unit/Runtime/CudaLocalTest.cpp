//===- CudaLocalTest.cpp - Streams, memory and failures of GPUs -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

#include <thread>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class CudaLocal : public CudaTest {
protected:
  const CommSite gather = siteAt("comm.all_gather", 5);
  const CommSite copy = siteAt("linalg.copy", 7);
  const CommSite matmul = siteAt("linalg.matmul", 9);

  int32_t allGather(const Rank &rank, Buffer &from, Buffer &to,
                    int64_t count) const {
    return commAllGather(rank.context, rank.group({0}), from.data(), to.data(),
                         count, COMM_F32, &gather);
  }
  int32_t copyTo(const Rank &rank, Buffer &from, Buffer &to) const {
    return commCopy(rank.context, from.data(), to.data(), from.size(), &copy);
  }
  int32_t square(const Rank &rank, Buffer &in, Buffer &out) const {
    return commGemm(rank.context, COMM_F32, 0, 0, 1, 2, 2, 2, in.data(), 2, 4,
                    in.data(), 2, 4, 0, out.data(), 2, 4, &matmul);
  }
};
} // namespace

TEST_F(CudaLocal, OrdersWhatIsComputedAndCommunicated) {
  spawn({3}, [&](const Rank &rank) {
    double r = rank.rank;
    Buffer a = makeFloats(rank, {r, r + 10}), b = makeFloats(rank, {0, 0});
    Buffer all = makeFloats(rank, Values(6)),
           kept = makeFloats(rank, Values(6));
    for (int step = 0; step < 20; ++step) {
      // Each reads what the one before writes, and is written again while the
      // others may still be reading.
      EXPECT_EQ(COMM_SUCCESS, copyTo(rank, a, b));
      EXPECT_EQ(COMM_SUCCESS, allGather(rank, b, all, 2));
      EXPECT_EQ(COMM_SUCCESS, copyTo(rank, all, kept));
    }
    EXPECT_EQ((Values{0, 10, 1, 11, 2, 12}), readFloats(kept));
  });
}

TEST_F(CudaLocal, WaitsForNothingAndRecordsNoMoreThanNeeded) {
  std::atomic<int> ready{0};
  auto meet = [&](int goal) {
    ++ready;
    while (ready < goal)
      std::this_thread::yield();
  };
  spawn({3}, [&](const Rank &rank) {
    Buffer a = makeFloats(rank, {1, 2}), all = makeFloats(rank, Values(6));
    Buffer c = makeFloats(rank, {1, 2, 3, 4}), d = makeFloats(rank, Values(4));
    EXPECT_EQ(COMM_SUCCESS, square(rank, c, d));
    rank.group({0});
    meet(3);
    if (rank.rank == 0)
      comm_double_reset_counts();
    meet(6);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(COMM_SUCCESS, allGather(rank, a, all, 2));
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(COMM_SUCCESS, square(rank, c, d));
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(COMM_SUCCESS, copyTo(rank, c, d));
    meet(9);
    if (rank.rank == 0) {
      // When a rank is ready and when it is done, for each collective; and once
      // from compute to communication and back.
      EXPECT_EQ(3u * (4 * 2 + 2), comm_double_count("cudaEventRecord"));
      EXPECT_EQ(3u * (4 * 2 * 2 + 2), comm_double_count("cudaStreamWaitEvent"));
      EXPECT_EQ(0u, comm_double_count("host waits"));
      EXPECT_EQ(0u, comm_double_count("copy HostToDevice"));
      EXPECT_EQ(0u, comm_double_count("copy DeviceToHost"));
      EXPECT_EQ(3u * 4, comm_double_count("cublasLtMatmul"));
      EXPECT_EQ(0u, comm_double_count("cublasLtMatmulAlgoGetHeuristic"));
      EXPECT_EQ(0u, comm_double_count("cudaMallocAsync"));
    }
    meet(12);
    EXPECT_EQ((Values{1, 2, 3, 4}), readFloats(d));
  });
}

TEST_F(CudaLocal, TakesMemoryOnce) {
  spawn({1}, [&](const Rank &rank) {
    void *first = commAllocate(rank.context, 1000);
    commRelease(rank.context, first);
    uint64_t before = comm_double_count("cudaMallocAsync");
    for (int64_t bytes : {1000, 990, 1024}) {
      void *again = commAllocate(rank.context, bytes);
      EXPECT_EQ(first, again);
      EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(again) % 256);
      commRelease(rank.context, again);
    }
    EXPECT_EQ(before, comm_double_count("cudaMallocAsync"));
  });
}

TEST_F(CudaLocal, KeepsConstants) {
  static const float pi[] = {3, 1, 4};
  spawn({2}, [&](const Rank &rank) {
    void *there = commConstant(rank.context, pi, sizeof pi);
    EXPECT_EQ(there, commConstant(rank.context, pi, sizeof pi));
    float back[3] = {};
    EXPECT_EQ(COMM_SUCCESS,
              commRead(rank.context, there, back, sizeof back, &copy));
    EXPECT_EQ(4, back[2]);
  });
}

TEST_F(CudaLocal, ReadsMoreThanANumber) {
  spawn({1}, [&](const Rank &rank) {
    Values values = makeInput(COMM_F32, 0, 100000, 1);
    Buffer buffer = makeFloats(rank, values);
    EXPECT_EQ(values, readFloats(buffer));
  });
}

TEST_F(CudaLocal, ThatThereIsNoMemoryIsAFailure) {
  comm_double_fail("cudaMallocAsync:*=cudaErrorMemoryAllocation");
  Failure failure = fail({2}, [&](const Rank &rank) {
    if (rank.rank == 1)
      return;
    void *memory = commAllocate(rank.context, 1 << 20);
    EXPECT_NE(nullptr, memory);
    EXPECT_EQ(COMM_NO_MEMORY, commStatus(rank.context));
    float number = 7;
    EXPECT_EQ(COMM_NO_MEMORY,
              commRead(rank.context, memory, &number, 4, &copy));
    EXPECT_EQ(0, number);
    EXPECT_EQ(nullptr, commConstant(rank.context, &number, 4));
    commRelease(rank.context, memory);
  });
  EXPECT_EQ(COMM_NO_MEMORY, failure.status);
  EXPECT_THAT(failure.message,
              StartsWith("no device memory for a buffer of 1048576 bytes: "));
  EXPECT_THAT(failure.message, HasSubstr(" bytes are free on device 0"));
}

TEST_F(CudaLocal, AFailedCallNamesItselfAndTheOp) {
  auto expect = [&](const std::string &plan, const std::string &message) {
    Failure failure = fail({3}, [&](const Rank &rank) {
      Buffer a = makeFloats(rank, {1, 2, 3, 4}),
             b = makeFloats(rank, Values(4));
      Buffer all = makeFloats(rank, Values(12));
      commBarrier(rank.context, rank.group({0}), &gather);
      if (rank.rank == 1)
        comm_double_fail(plan.c_str());
      commBarrier(rank.context, rank.group({0}), &gather);
      square(rank, a, b);
      copyTo(rank, a, b);
      allGather(rank, a, all, 4);
      EXPECT_NE(COMM_SUCCESS, commStatus(rank.context));
    });
    EXPECT_EQ(message, failure.message);
    EXPECT_EQ(COMM_INVALID, failure.status);
    comm_double_clear_failures();
  };
  expect("cublasLtMatmulAlgoGetHeuristic:1=CUBLAS_STATUS_NOT_SUPPORTED",
         "linalg.matmul at test.mlir:9: cublasLtMatmulAlgoGetHeuristic: the "
         "functionality requested is not supported in a matrix product 1 x (2 "
         "x 2) (2 x 2) "
         "of f32");
  expect("cublasLtMatmul:2=CUBLAS_STATUS_EXECUTION_FAILED",
         "linalg.matmul at test.mlir:9: cublasLtMatmul: the function "
         "failed to launch on the GPU in a matrix product 1 x (2 x 2) (2 x "
         "2) of f32");
  expect("cudaMemcpyAsync:1=cudaErrorInvalidValue",
         "linalg.copy at test.mlir:7: cudaMemcpyAsync: invalid argument");
  expect("cudaMemcpyAsync:*=cudaErrorIllegalAddress",
         "linalg.copy at test.mlir:7: cudaMemcpyAsync: an illegal memory "
         "access was encountered");
}

TEST_F(CudaLocal, WhatFailsInsideACollectiveFailsEverywhere) {
  // The others have met the rank and wait to leave.
  Failure failure = fail({3}, [&](const Rank &rank) {
    Buffer a = makeFloats(rank, {1, 2}), all = makeFloats(rank, Values(6));
    commBarrier(rank.context, rank.group({0}), &gather);
    if (rank.rank == 1)
      comm_double_fail("cudaMemcpyAsync:3=cudaErrorInvalidValue");
    commBarrier(rank.context, rank.group({0}), &gather);
    allGather(rank, a, all, 2);
    EXPECT_NE(COMM_SUCCESS,
              commBarrier(rank.context, rank.group({0}), &gather));
  });
  EXPECT_EQ("comm.all_gather at test.mlir:5: cudaMemcpyAsync: invalid argument",
            failure.message);
}

TEST_F(CudaLocal, ARankThatDoesNotComeIsNamed) {
  std::atomic<bool> stop{false};
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        Buffer a = makeFloats(rank, {1, 2}), all = makeFloats(rank, Values(6));
        commBarrier(rank.context, rank.group({0}), &gather);
        if (rank.rank == 1)
          while (!stop)
            std::this_thread::sleep_for(milliseconds(1));
        allGather(rank, a, all, 2);
        stop = true;
      },
      milliseconds(2000));
  EXPECT_EQ(COMM_TIMEOUT, failure.status);
  EXPECT_EQ("comm.all_gather of 2 x f32 at test.mlir:5: timeout after 2 s in a "
            "group over [\"x\"], of which ranks [0, 2] have come\n"
            "  rank 1 is missing: computing after comm.barrier at test.mlir:5",
            failure.message);
}

TEST_F(CudaLocal, AWaitForTheDeviceEndsWhenAnotherRankFails) {
  // In a process of its own, as nothing of what hangs is given back.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto hang = [&] {
    Failure failure = fail({2}, [&](const Rank &rank) {
      Buffer a = makeFloats(rank, {1}), b = makeFloats(rank, {2});
      commBarrier(rank.context, rank.group({0}), &gather);
      if (rank.rank == 1) {
        std::this_thread::sleep_for(milliseconds(100));
        commCheckSize(rank.context, 5, 4, 0, &gather);
        return;
      }
      comm_double_fail("cudaMemcpyAsync:1=never");
      copyTo(rank, a, b);
      float number = 1;
      if (commRead(rank.context, b.data(), &number, 4, &copy) != COMM_ABORTED)
        std::cerr << "not aborted: " << number;
    });
    std::cerr << "rank " << failure.rank << ": " << failure.message;
    std::_Exit(0);
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(0),
              "^rank 1: comm.all_gather at test.mlir:5: dimension 0 is 5");
}

TEST_F(CudaLocal, RanksThatDisagreeSaySo) {
  Failure failure = fail({3}, [&](const Rank &rank) {
    Buffer a = makeFloats(rank, {1, 2}), all = makeFloats(rank, Values(6));
    allGather(rank, a, all, rank.rank == 1 ? 1 : 2);
  });
  EXPECT_THAT(failure.message, HasSubstr("disagree"));
}

TEST_F(CudaLocal, MessagesThatCrossAreADeadlock) {
  Failure failure = fail({2}, [&](const Rank &rank) {
    Buffer a = makeFloats(rank, {1, 2});
    CommSite site = siteAt("comm.send", 21);
    static const CommSite kept = site;
    commSend(rank.context, rank.group({0}), a.data(), 2, COMM_F32, rank.rank,
             1 - rank.rank, &kept);
  });
  EXPECT_THAT(failure.message, StartsWith("deadlock: "));
}

TEST(CudaLocalWorld, NeedsADevice) {
  std::string error;
  comm_double_fail("cudaGetDeviceCount:1=cudaErrorNoDevice");
  EXPECT_FALSE(World::create({{"x", 2}}, "cuda-local", {}, error));
  EXPECT_EQ("backend 'cuda-local' cannot start: no CUDA device: "
            "cudaGetDeviceCount: no CUDA-capable device is detected",
            error);
  comm_double_clear_failures();
  EXPECT_FALSE(World::create({{"x", 65}}, "cuda-local", {}, error));
  EXPECT_EQ("backend 'cuda-local' runs at most 64 ranks on a device, got 65",
            error);
}

namespace {
/// Nothing that the tests of the whole program did was wrong, or is left.
class Reports : public testing::Environment {
public:
  void TearDown() override {
    EXPECT_EQ(getReports(), "");
    EXPECT_EQ(comm_double_check_leaks(), 0u) << getReports();
  }
};
const testing::Environment *reports =
    testing::AddGlobalTestEnvironment(new Reports);
} // namespace
