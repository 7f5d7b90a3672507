//===- NcclTest.cpp - What NCCL is asked to do ----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

#include <cmath>
#include <limits>
#include <thread>

using namespace mlir::comm::runtime;

namespace {
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Two floats, and two times six.
struct Buffers {
  explicit Buffers(const Rank &rank)
      : one(makeFloats(rank, {1, 2})), all(makeFloats(rank, Values(6))),
        other(makeFloats(rank, Values(6))) {}
  Buffer one, all, other;
};

class Nccl : public CudaTest {
protected:
  const CommSite site = siteAt("comm.test", 1);

  /// What an all_reduce of a rank's own values gives.
  Values allReduce(const Rank &rank, CommDataType type, CommReduction reduction,
                   const Values &values) const {
    Buffer in(rank.context, encode(type, values));
    Buffer out(rank.context, encode(type, Values(values.size())));
    EXPECT_EQ(COMM_SUCCESS,
              commAllReduce(rank.context, rank.group({0}), in.data(),
                            out.data(), values.size(), type, reduction, &site));
    return decode(type, out.read());
  }

  int32_t sum(const Rank &rank, CommCommunicator *group, Buffer &buffer) const {
    return commAllReduce(rank.context, group, buffer.data(), buffer.data(),
                         buffer.size() / 4, COMM_F32, COMM_SUM, &site);
  }
};
} // namespace

TEST_F(Nccl, ANaNWins) {
  spawn({3}, [&](const Rank &rank) {
    for (CommDataType type : {COMM_F16, COMM_BF16, COMM_F32, COMM_F64}) {
      double infinity = std::numeric_limits<double>::infinity();
      Values own[] = {{notANumber, 1, 0.0, -1, infinity},
                      {2, -notANumber, -0.0, -2, -infinity},
                      {3, 4, -0.0, -3, 5}};
      Values most = allReduce(rank, type, COMM_MAX, own[rank.rank]);
      Values least = allReduce(rank, type, COMM_MIN, own[rank.rank]);
      for (const Values *values : {&most, &least}) {
        EXPECT_TRUE(std::isnan((*values)[0])) << getName(type);
        EXPECT_TRUE(std::isnan((*values)[1])) << getName(type);
        EXPECT_EQ(0, (*values)[2]);
      }
      EXPECT_FALSE(std::signbit(most[2]));
      EXPECT_TRUE(std::signbit(least[2]));
      EXPECT_EQ((Values{-1, infinity}), Values(most.begin() + 3, most.end()));
      EXPECT_EQ((Values{-3, -infinity}),
                Values(least.begin() + 3, least.end()));
    }
  });
}

TEST_F(Nccl, AnAverageDoesNotOverflow) {
  spawn({4}, [&](const Rank &rank) {
    EXPECT_EQ(Values{60000}, allReduce(rank, COMM_F16, COMM_AVG, {60000}));
  });
}

TEST_F(Nccl, ACollectiveIsOneCall) {
  auto step = [&](const Rank &rank, Buffers &buffers) {
    auto *context = rank.context;
    CommCommunicator *group = rank.group({0});
    int64_t pairs[] = {0, 1, 1, 2};
    int32_t status = 0;
    void *a = buffers.one.data(), *b = buffers.all.data(),
         *c = buffers.other.data();
    status |= commAllReduce(context, group, a, c, 2, COMM_F32, COMM_SUM, &site);
    status |= commBroadcast(context, group, a, c, 2, COMM_F32, 1, &site);
    status |= commReduce(context, group, a, c, 2, COMM_F32, COMM_SUM, 1, &site);
    status |= commAllGather(context, group, a, b, 2, COMM_F32, &site);
    status |=
        commReduceScatter(context, group, b, c, 2, COMM_F32, COMM_SUM, &site);
    status |= commAllToAll(context, group, b, c, 2, COMM_F32, &site);
    status |= commGather(context, group, a, b, 2, COMM_F32, 0, &site);
    status |= commScatter(context, group, b, c, 2, COMM_F32, 0, &site);
    status |= commPermute(context, group, a, c, 2, COMM_F32, pairs, 2, &site);
    EXPECT_EQ(COMM_SUCCESS, status);
  };
  countAgain<Buffers>(step, [&] {
    for (const char *name :
         {"ncclAllReduce", "ncclBroadcast", "ncclReduce", "ncclAllGather",
          "ncclReduceScatter", "ncclAlltoAll", "ncclGather", "ncclScatter"})
      EXPECT_EQ(3u, comm_double_count(name)) << name;
    EXPECT_EQ(2u, comm_double_count("ncclSend"));
    EXPECT_EQ(2u, comm_double_count("ncclRecv"));
    // Only rank 1 sends and receives.
    EXPECT_EQ(1u, comm_double_count("ncclGroupEnd"));
    // On two ranks of reduce and gather, and where nobody sends to.
    EXPECT_EQ(5u, comm_double_count("cudaMemsetAsync"));
    EXPECT_EQ(0u, comm_double_count("cudaLaunchKernelExC"));
    EXPECT_EQ(0u, comm_double_count("copy DeviceToDevice"));
  });
}

TEST_F(Nccl, MemoryIsRegisteredOnRequest) {
  setenv("COMM_NCCL_REGISTER", "1", 1);
  auto step = [&](const Rank &rank, Buffers &buffers) {
    EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0}), buffers.all));
  };
  // What a second step takes has been registered before.
  countAgain<Buffers>(step, [&] {
    EXPECT_EQ(3u, comm_double_count("ncclAllReduce"));
    EXPECT_EQ(0u, comm_double_count("ncclCommRegister"));
  });
  EXPECT_NE(0u, comm_double_count("ncclMemFree"));
  // The world, three axes, and a group that is made later.
  comm_double_reset_counts();
  spawn({2, 2, 2}, [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {1.0 + rank.rank});
    EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({2, 0}), buffer));
  });
  EXPECT_EQ(8u, comm_double_count("ncclMemAlloc"));
  EXPECT_EQ(5u * 8, comm_double_count("ncclCommRegister"));
  unsetenv("COMM_NCCL_REGISTER");
}

TEST_F(Nccl, TheHostWaitsForNothing) {
  auto step = [&](const Rank &rank, Buffers &buffers) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0}), buffers.all));
      EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0}), buffers.other));
      EXPECT_EQ(COMM_SUCCESS,
                commCopy(rank.context, buffers.all.data(), buffers.other.data(),
                         buffers.all.size(), &site));
    }
  };
  countAgain<Buffers>(step, [&] {
    EXPECT_EQ(0u, comm_double_count("host waits"));
    EXPECT_EQ(0u, comm_double_count("copy HostToDevice"));
    EXPECT_EQ(0u, comm_double_count("copy DeviceToHost"));
    EXPECT_EQ(3u * 4, comm_double_count("copy DeviceToDevice"));
    EXPECT_EQ(0u, comm_double_count("cudaMallocAsync"));
    EXPECT_EQ(0u, comm_double_count("cudaStreamSynchronize"));
    EXPECT_EQ(3u * 8, comm_double_count("ncclAllReduce"));
    // To communication and back, four times.
    EXPECT_EQ(3u * (4 + 4), comm_double_count("cudaStreamWaitEvent"));
    // These, one after each collective, and one where a copy came before it.
    EXPECT_EQ(3u * (4 + 4 + 8 + 4), comm_double_count("cudaEventRecord"));
  });
}

TEST_F(Nccl, OnlyWhatIsInPlaceIsCopied) {
  auto step = [&](const Rank &rank, Buffers &buffers) {
    int64_t ring[] = {0, 1, 1, 2, 2, 0}, line[] = {0, 1, 2, 0};
    void *all = buffers.all.data();
    auto *context = rank.context;
    CommCommunicator *group = rank.group({0});
    int32_t status =
        commAllToAll(context, group, all, all, 2, COMM_F32, &site) |
        commPermute(context, group, all, all, 6, COMM_F32, ring, 3, &site) |
        // Rank 0 sends and receives; the others do one of them.
        commPermute(context, group, all, all, 6, COMM_F32, line, 2, &site);
    EXPECT_EQ(COMM_SUCCESS, status);
  };
  countAgain<Buffers>(step, [&] {
    EXPECT_EQ(3u + 3u + 1u, comm_double_count("copy DeviceToDevice"));
    EXPECT_EQ(0u, comm_double_count("host waits"));
  });
}

TEST_F(Nccl, GroupsOfOneRankCallIt) {
  comm_double_reset_counts();
  spawn({2, 1}, [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {5, rank.rank + 1.0});
    EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({1}), buffer));
    EXPECT_EQ((Values{5, rank.rank + 1.0}), readFloats(buffer));
  });
  EXPECT_EQ(2u, comm_double_count("ncclAllReduce"));
}

TEST_F(Nccl, AxesAreSplitOffAtTheStart) {
  comm_double_reset_counts();
  spawn({2, 2, 2}, [&](const Rank &rank) {
    for (std::vector<int64_t> axes :
         std::vector<std::vector<int64_t>>{{0}, {1}, {2}, {0, 1, 2}}) {
      Buffer buffer = makeFloats(rank, {1});
      EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group(axes), buffer));
      EXPECT_EQ(Values{axes.size() == 1 ? 2.0 : 8.0}, readFloats(buffer));
    }
  });
  EXPECT_EQ(8u, comm_double_count("ncclCommInitRankConfig"));
  EXPECT_EQ(8u * 3, comm_double_count("ncclCommSplit"));
  EXPECT_EQ(8u * 4, comm_double_count("ncclCommDestroy"));
  EXPECT_EQ(0u, comm_double_count("ncclCommAbort"));
}

/// Ranks on the other side of a condition never come.
TEST_F(Nccl, OtherGroupsAreMadeByTheirMembers) {
  comm_double_reset_counts();
  spawn({2, 2, 2}, [&](const Rank &rank) {
    if (rank.rank % 2)
      return;
    Buffer buffer = makeFloats(rank, {1.0 + rank.rank});
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({1, 0}), buffer));
    EXPECT_EQ(Values{4.0 * (1 + 3 + 5 + 7)}, readFloats(buffer));
  });
  EXPECT_EQ(8u + 4u, comm_double_count("ncclCommInitRankConfig"));
}

/// The others of the group come to the send alone.
TEST_F(Nccl, AMessageCanBeTheFirstUseOfAGroup) {
  spawn({2, 2, 1}, [&](const Rank &rank) {
    Buffer in = makeFloats(rank, {1.0 + rank.rank});
    Buffer out = makeFloats(rank, {7});
    CommCommunicator *group = rank.group({1, 0});
    EXPECT_EQ(COMM_SUCCESS, commSend(rank.context, group, in.data(), 1,
                                     COMM_F32, 3, 1, &site));
    EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0}), in));
    EXPECT_EQ(COMM_SUCCESS, commRecv(rank.context, group, out.data(), 1,
                                     COMM_F32, 3, 1, &site));
    // Number 1 of a group over (y, x) is world rank 2.
    EXPECT_EQ(Values{rank.rank == 2 ? 4.0 : 0.0}, readFloats(out));
  });
}

TEST_F(Nccl, ManyRanksReduceWhatNcclCannot) {
  // As many chunks as one kernel takes, and more.
  spawn({66}, [&](const Rank &rank) {
    Buffer in(rank.context, encode(COMM_I16, Values{double(rank.rank)}));
    Buffer out(rank.context, encode(COMM_I16, Values{0}));
    EXPECT_EQ(COMM_SUCCESS,
              commAllReduce(rank.context, rank.group({0}), in.data(),
                            out.data(), 1, COMM_I16, COMM_SUM, &site));
    EXPECT_EQ(Values{66 * 65 / 2}, decode(COMM_I16, out.read()));
  });
}

TEST_F(Nccl, AStepIsRecorded) {
  Options options;
  options.captureSteps = true;
  spawn(
      {3},
      [&](const Rank &rank) {
        auto *context = static_cast<Context *>(rank.context);
        Buffer in = makeFloats(rank, {1}), out = makeFloats(rank, {0});
        for (int i = 1; i <= 4; ++i) {
          std::vector<char> next = encode(COMM_F32, {i * (1.0 + rank.rank)});
          context->write(next.data(), in.data(), 4);
          EXPECT_EQ(COMM_SUCCESS, context->runStep("key", [&] {
            return static_cast<Status>(
                commAllReduce(context, rank.group({0}), in.data(), out.data(),
                              1, COMM_F32, COMM_MAX, &site));
          }));
          EXPECT_EQ(Values{i * 3.0}, readFloats(out));
        }
        EXPECT_TRUE(context->hasRecordedStep()) << context->getStepNote();
      },
      options);
}

TEST_F(Nccl, NothingIsLeftBehind) {
  spawn({2, 2, 2}, [&](const Rank &rank) {
    Buffer buffer = makeFloats(rank, {1});
    EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0, 1}), buffer));
  });
  EXPECT_EQ(0u, comm_double_check_leaks());
}
