//===- NcclFailureTest.cpp - Every wrong run on NCCL stops ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

#include <thread>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

namespace {
class NcclFailures : public CudaTest {
protected:
  const CommSite first = siteAt("comm.all_reduce", 3, "over @mesh[\"x\"]");
  const CommSite second = siteAt("comm.all_gather", 5);

  int32_t sum(const Rank &rank, CommCommunicator *group, Buffer &buffer) const {
    return commAllReduce(rank.context, group, buffer.data(), buffer.data(),
                         buffer.size() / 4, COMM_F32, COMM_SUM, &first);
  }
  int32_t sum(const Rank &rank) const {
    Buffer buffer = makeFloats(rank, {1, 2});
    return sum(rank, rank.group({0}), buffer);
  }
  static Context &getContext(const Rank &rank) {
    return *static_cast<Context *>(rank.context);
  }

  /// Sums once, and waits for the result: what every rank does where one fails.
  std::function<void(const Rank &)> sumAndWait() const {
    return [this](const Rank &rank) {
      sum(rank);
      EXPECT_NE(COMM_SUCCESS, getContext(rank).synchronize());
    };
  }

  std::string create(const std::vector<int64_t> &sizes,
                     milliseconds timeout = seconds(60)) {
    Mesh mesh;
    for (int64_t size : sizes)
      mesh.push_back({std::string(1, 'a' + mesh.size()), size});
    Options options;
    options.timeout = timeout;
    std::string error;
    EXPECT_FALSE(World::create(mesh, "nccl", options, error));
    return error;
  }

  static constexpr const char *step =
      "comm.all_reduce sum of 2 x f32 at test.mlir:3, over @mesh[\"x\"]";
};
} // namespace

TEST_F(NcclFailures, AnErrorNamesTheCallAndTheLine) {
  comm_double_fail("ncclAllReduce:1@rank1=ncclSystemError");
  Failure failure = fail({3}, sumAndWait());
  EXPECT_EQ(1, failure.rank);
  EXPECT_THAT(failure.message,
              StartsWith(std::string(step) + ": ncclAllReduce: "));
  EXPECT_THAT(failure.message, HasSubstr("injected"));
}

TEST_F(NcclFailures, AnErrorOfZerosNamesTheLine) {
  auto gather = [&](const Rank &rank) {
    Buffer in = makeFloats(rank, {1}), out = makeFloats(rank, {1, 2, 3});
    if (rank.rank == 2)
      comm_double_fail("cudaMemsetAsync:1@device2=cudaErrorUnknown");
    commGather(rank.context, rank.group({0}), in.data(), out.data(), 1,
               COMM_F32, 0, &second);
    getContext(rank).synchronize();
  };
  EXPECT_EQ("comm.all_gather at test.mlir:5: cudaMemsetAsync: unknown error",
            fail({3}, gather).message);
  comm_double_clear_failures();
  auto receive = [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {1});
    if (rank.rank == 2)
      comm_double_fail("cudaMemsetAsync:1@device2=cudaErrorUnknown");
    commSend(rank.context, rank.group({0}), buffer.data(), 1, COMM_F32, 0, 1,
             &first);
    commRecv(rank.context, rank.group({0}), buffer.data(), 1, COMM_F32, 0, 1,
             &first);
    getContext(rank).synchronize();
  };
  EXPECT_EQ("comm.all_reduce at test.mlir:3: cudaMemsetAsync: unknown error",
            fail({3}, receive).message);
}

TEST_F(NcclFailures, OthersSayWhoFailed) {
  comm_double_fail("ncclAllReduce:1@rank1=ncclSystemError");
  std::string message;
  fail({3}, [&](const Rank &rank) {
    sum(rank);
    EXPECT_NE(COMM_SUCCESS, getContext(rank).synchronize());
    if (rank.rank == 2)
      message = getContext(rank).getMessage();
  });
  EXPECT_THAT(message, StartsWith("stopped because rank 1 failed: " +
                                  std::string(step)));
}

TEST_F(NcclFailures, AnErrorAfterTheCallIsFound) {
  comm_double_fail("ncclAllReduce:1@rank2=async:ncclRemoteError");
  Failure failure = fail({3}, sumAndWait());
  EXPECT_EQ(2, failure.rank);
  EXPECT_EQ(COMM_INVALID, failure.status);
  EXPECT_THAT(failure.message,
              StartsWith(std::string(step) +
                         ": NCCL reports for the group over [\"x\"]: "));
  EXPECT_THAT(failure.message, HasSubstr("injected"));
}

TEST_F(NcclFailures, ARankThatNeverComesIsNamed) {
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        if (rank.rank == 1)
          while (getContext(rank).getStatus() == COMM_SUCCESS)
            std::this_thread::sleep_for(milliseconds(1));
        else
          sumAndWait()(rank);
      },
      milliseconds(300));
  EXPECT_EQ(COMM_TIMEOUT, failure.status);
  EXPECT_EQ(std::string(step) +
                ": timeout after 0.3 s in a group over [\"x\"], of which ranks "
                "[0, 2] have come\n"
                "  rank 1 is missing: computing before its first communication",
            failure.message);
}

TEST_F(NcclFailures, ARankThatHasEndedIsNamedEarly) {
  Clock::time_point begin = Clock::now();
  Failure failure = fail({3}, [&](const Rank &rank) {
    EXPECT_EQ(COMM_SUCCESS, sum(rank));
    EXPECT_EQ(COMM_SUCCESS, getContext(rank).synchronize());
    if (rank.rank != 1)
      sumAndWait()(rank);
  });
  EXPECT_EQ(COMM_INVALID, failure.status);
  EXPECT_EQ(std::string(step) +
                ": rank 1 of a group over [\"x\"] will not come, it has ended "
                "after comm.all_reduce at test.mlir:3",
            failure.message);
  EXPECT_LT(Clock::now() - begin, seconds(30));
}

/// Who has ended after its part of a collective is not missing.
TEST_F(NcclFailures, TheOneThatIsMissingIsNamedAndNotWhoHasEnded) {
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        Buffer buffer = makeFloats(rank, {1});
        auto send = [&](int64_t from) {
          commSend(rank.context, rank.group({0}), buffer.data(), 1, COMM_F32,
                   from, 0, &second);
          commRecv(rank.context, rank.group({0}), buffer.data(), 1, COMM_F32,
                   from, 0, &second);
        };
        send(1);
        getContext(rank).synchronize();
        if (rank.rank == 1)
          return;
        if (rank.rank == 2)
          while (getContext(rank).getStatus() == COMM_SUCCESS)
            std::this_thread::sleep_for(milliseconds(1));
        send(2);
        EXPECT_NE(COMM_SUCCESS, getContext(rank).synchronize());
      },
      milliseconds(1000));
  EXPECT_THAT(failure.message,
              StartsWith("comm.recv of 1 x f32 from 2 to 0 at test.mlir:5: "
                         "timeout after 1 s in a channel over [\"x\"], of "
                         "which ranks [0] have come\n  rank 2 is missing: "));
}

TEST_F(NcclFailures, WhatNeverEndsIsAborted) {
  comm_double_fail("ncclAllReduce:*=never");
  Failure failure = fail({2}, sumAndWait(), milliseconds(200));
  EXPECT_EQ(COMM_TIMEOUT, failure.status);
  EXPECT_EQ(std::string(step) +
                ": timeout after 0.2 s in a group over [\"x\"], of which ranks "
                "[0, 1] have come\n"
                "  nobody is missing: what is between them does not work",
            failure.message);
}

TEST_F(NcclFailures, RanksThatDisagreeAreShown) {
  // Else the double says so, as NCCL does not.
  comm_double_fail("ncclAllReduce:*=never,ncclAllGather:*=never");
  Failure failure = fail(
      {2},
      [&](const Rank &rank) {
        Buffer in = makeFloats(rank, {1}), out = makeFloats(rank, {1, 2});
        CommCommunicator *group = rank.group({0});
        if (rank.rank == 0)
          sum(rank, group, in);
        else
          commAllGather(rank.context, group, in.data(), out.data(), 1, COMM_F32,
                        &second);
        EXPECT_NE(COMM_SUCCESS, getContext(rank).synchronize());
      },
      milliseconds(200));
  EXPECT_EQ(COMM_INVALID, failure.status);
  EXPECT_EQ("ranks of a group over [\"x\"] disagree:\n"
            "  rank 0, call 1: comm.all_reduce sum of 1 x f32 at test.mlir:3, "
            "over @mesh[\"x\"]\n"
            "  rank 1, call 1: comm.all_gather of 1 x f32 at test.mlir:5",
            failure.message);
}

/// However long a rank computes before it comes is its own business.
TEST_F(NcclFailures, OnlyWhatHasBegunTimesOut) {
  comm_double_fail("ncclAllReduce:1@rank0=never");
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        Buffer in = makeFloats(rank, {1}), out = makeFloats(rank, {1});
        CommCommunicator *x = rank.group({0});
        sum(rank, x, in);
        // Comes after the sum on the device, so it has not begun.
        commCopy(rank.context, in.data(), out.data(), 4, &second);
        commBroadcast(rank.context, x, out.data(), out.data(), 1, COMM_F32, 0,
                      &second);
        EXPECT_NE(COMM_SUCCESS, getContext(rank).synchronize());
      },
      milliseconds(200));
  EXPECT_THAT(failure.message, StartsWith("comm.all_reduce sum of 1 x f32"));
}

TEST_F(NcclFailures, ARecordedStepThatHangsIsNamed) {
  Options options;
  options.timeout = milliseconds(300);
  options.captureSteps = true;
  std::unique_ptr<World> world = makeWorld({2}, options);
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {1});
    // Rank 1 does not come to the last one.
    for (int i = 0; i < 4 - rank.rank; ++i) {
      getContext(rank).runStep("key", [&] {
        sum(rank, rank.group({0}), buffer);
        return static_cast<Status>(sum(rank, rank.group({0}), buffer));
      });
      getContext(rank).synchronize();
    }
    while (getContext(rank).getStatus() == COMM_SUCCESS)
      std::this_thread::sleep_for(milliseconds(1));
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ("a recorded step of 2 collectives, the first of which is "
            "comm.all_reduce sum of 1 x f32 at test.mlir:3, over @mesh[\"x\"]: "
            "timeout after 0.3 s in a group over [\"x\"], of which ranks [0] "
            "have come\n"
            "  rank 1 is missing: computing after comm.all_reduce at "
            "test.mlir:3",
            failure->message);
}

TEST_F(NcclFailures, TheMembersOfAGroupMustCome) {
  Failure failure = fail(
      {2, 2, 1},
      [&](const Rank &rank) {
        if (rank.rank == 3)
          while (getContext(rank).getStatus() == COMM_SUCCESS)
            std::this_thread::sleep_for(milliseconds(1));
        Buffer buffer = makeFloats(rank, {1});
        EXPECT_NE(COMM_SUCCESS, sum(rank, rank.group({0, 1}), buffer));
      },
      milliseconds(300));
  EXPECT_EQ(COMM_TIMEOUT, failure.status);
  EXPECT_THAT(failure.message,
              HasSubstr("at test.mlir:3, over @mesh[\"x\"]: timeout after 0.3 "
                        "s in a group over [\"x\", \"y\"], of which ranks ["));
  EXPECT_THAT(failure.message,
              HasSubstr("\n  rank 3 is missing: computing before its first "
                        "communication"));
}

TEST_F(NcclFailures, AMessageWantsItsTwoEnds) {
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        Buffer buffer = makeFloats(rank, {1});
        CommCommunicator *group = rank.group({0});
        EXPECT_EQ(COMM_SUCCESS, commSend(rank.context, group, buffer.data(), 1,
                                         COMM_F32, 0, 2, &second));
        if (rank.rank == 2)
          while (getContext(rank).getStatus() == COMM_SUCCESS)
            std::this_thread::sleep_for(milliseconds(1));
        else
          EXPECT_EQ(rank.rank == 1, !getContext(rank).synchronize());
      },
      milliseconds(300));
  EXPECT_EQ("comm.send of 1 x f32 from 0 to 2 at test.mlir:5: timeout after "
            "0.3 s in a channel over [\"x\"], of which ranks [0] have come\n"
            "  rank 2 is missing: computing after comm.send at test.mlir:5",
            failure.message);
}

TEST_F(NcclFailures, NoMemoryBesideTheBuffers) {
  Failure failure = fail({2}, [&](const Rank &rank) {
    Buffer buffer(rank.context, std::vector<char>(1000));
    if (rank.rank == 0)
      comm_double_fail("cudaMallocAsync:*@device0=cudaErrorMemoryAllocation");
    commAllToAll(rank.context, rank.group({0}), buffer.data(), buffer.data(),
                 125, COMM_F32, &second);
    getContext(rank).synchronize();
  });
  EXPECT_EQ(COMM_NO_MEMORY, failure.status);
  EXPECT_EQ("comm.all_to_all at test.mlir:5: no device memory for 1000 bytes "
            "besides its buffers",
            failure.message);
}

TEST_F(NcclFailures, TheStart) {
  EXPECT_EQ("the 100 ranks of the mesh are threads of one process, which has "
            "66 GPUs: NCCL takes one rank for each; --backend=cuda-local runs "
            "many on one, and torchrun, mpirun or srun on several hosts",
            create({10, 10}));
  comm_double_fail("ncclGetUniqueId:1=ncclSystemError");
  EXPECT_THAT(create({2}), StartsWith("ncclGetUniqueId: "));
  comm_double_fail("ncclCommInitRankConfig:1@rank1=ncclInternalError");
  EXPECT_THAT(create({3}), StartsWith("rank 1: ncclCommInitRankConfig: "));
  comm_double_clear_failures();
  comm_double_fail("ncclCommInitRankConfig:2=async:ncclRemoteError");
  EXPECT_THAT(create({3}), HasSubstr(": ncclCommInitRankConfig: "));
  comm_double_clear_failures();
  comm_double_fail("ncclCommInitRankConfig:2=never");
  EXPECT_THAT(create({3}, milliseconds(100)),
              HasSubstr("ncclCommInitRankConfig: timeout after 0.1 s"));
  comm_double_clear_failures();
  comm_double_fail("ncclCommSplit:3@rank0=ncclSystemError,"
                   "ncclCommSplit:1@rank2=async:ncclRemoteError");
  EXPECT_THAT(create({2, 2}), HasSubstr(": ncclCommSplit: "));
  comm_double_clear_failures();
  comm_double_fail("cudaGetDeviceCount:*=cudaErrorNoDevice");
  EXPECT_THAT(create({2}), StartsWith("no CUDA device: cudaGetDeviceCount: "));
  comm_double_clear_failures();
  for (std::string call :
       {"cudaSetDevice", "cudaStreamCreateWithFlags",
        "cudaEventCreateWithFlags", "cudaDeviceGetDefaultMemPool",
        "cudaMemPoolSetAttribute"}) {
    comm_double_fail((call + ":2=cudaErrorMemoryAllocation").c_str());
    EXPECT_THAT(create({3}), testing::MatchesRegex("CUDA device [01] of rank "
                                                   "[01]: " +
                                                   call + ": out of memory"));
    comm_double_clear_failures();
  }
  EXPECT_EQ(0u, comm_double_check_leaks());
}

TEST_F(NcclFailures, AFailedWorldLeavesNothingBehind) {
  comm_double_fail("ncclAllReduce:1@rank1=ncclSystemError");
  fail({3}, sumAndWait());
  EXPECT_EQ(0u, comm_double_check_leaks());
}
