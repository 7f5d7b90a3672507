//===- NcclMessagesTest.cpp - Messages in one group of NCCL ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
class NcclMessages : public CudaTest {
protected:
  const CommSite send = siteAt("comm.send", 3), recv = siteAt("comm.recv", 4);

  /// A message's buffers on a rank, and what is in the first of them.
  struct Ends {
    explicit Ends(const Rank &rank)
        : sent(makeFloats(rank, {1.0 + rank.rank, 10.0 + rank.rank})),
          received(makeFloats(rank, {7, 7})) {}
    Buffer sent, received;
  };
  struct Three {
    explicit Three(const Rank &rank)
        : ends{Ends(rank), Ends(rank), Ends(rank)} {}
    Ends ends[3];
  };

  int32_t sendOne(const Rank &rank, Ends &ends, int64_t from, int64_t to,
                  std::vector<int64_t> axes = {0}) const {
    return commSend(rank.context, rank.group(axes), ends.sent.data(), 2,
                    COMM_F32, from, to, &send);
  }
  int32_t receiveOne(const Rank &rank, Ends &ends, int64_t from, int64_t to,
                     std::vector<int64_t> axes = {0}) const {
    return commRecv(rank.context, rank.group(axes), ends.received.data(), 2,
                    COMM_F32, from, to, &recv);
  }

  /// 0 -> 1 -> 2 -> 0.
  int32_t moveAround(const Rank &rank, Three &three) const {
    int32_t status = commGroupStart(rank.context, &send);
    for (int64_t from = 0; from < 3; ++from)
      status |= sendOne(rank, three.ends[from], from, (from + 1) % 3) |
                receiveOne(rank, three.ends[from], from, (from + 1) % 3);
    return status | commGroupEnd(rank.context, &send);
  }

  /// Ranks 0 and 1 send to rank 2, which waits for them.
  void sendToTheLast(const Rank &rank, Three &three) const {
    commGroupStart(rank.context, &send);
    for (int64_t from : {0, 1}) {
      sendOne(rank, three.ends[from], from, 2);
      receiveOne(rank, three.ends[from], from, 2);
    }
    commGroupEnd(rank.context, &send);
    getContext(rank).synchronize();
  }

  static Context &getContext(const Rank &rank) {
    return *static_cast<Context *>(rank.context);
  }
  static void waitForFailure(const Rank &rank) {
    while (getContext(rank).getStatus() == COMM_SUCCESS)
      std::this_thread::sleep_for(milliseconds(1));
  }
};
} // namespace

TEST_F(NcclMessages, AreOneGroup) {
  auto step = [&](const Rank &rank, Three &three) {
    EXPECT_EQ(COMM_SUCCESS, moveAround(rank, three));
  };
  countAgain<Three>(step, [&] {
    EXPECT_EQ(3u, comm_double_count("ncclSend"));
    EXPECT_EQ(3u, comm_double_count("ncclRecv"));
    EXPECT_EQ(3u, comm_double_count("ncclGroupStart"));
    EXPECT_EQ(3u, comm_double_count("ncclGroupEnd"));
    // Each message on the rank that is not its receiver.
    EXPECT_EQ(3u * 2, comm_double_count("cudaMemsetAsync"));
    EXPECT_EQ(0u, comm_double_count("host waits"));
    // Where the stream waits for what came before, there, and behind the group.
    EXPECT_EQ(3u * 3, comm_double_count("cudaEventRecord"));
  });
}

/// NCCL could deadlock where a message is received after the group, and its
/// group has a kernel for each communicator.
TEST_F(NcclMessages, AreInAsManyGroupsAsIsSafe) {
  auto countGroups = [&](const std::vector<int64_t> &axes, bool isClosed) {
    std::unique_ptr<World> world = makeWorld({2, 2});
    comm_double_reset_counts();
    std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
      Three three(rank);
      commGroupStart(rank.context, &send);
      for (size_t i = 0; i < axes.size(); ++i) {
        sendOne(rank, three.ends[i], 0, 1, {axes[i]});
        if (isClosed)
          receiveOne(rank, three.ends[i], 0, 1, {axes[i]});
      }
      commGroupEnd(rank.context, &send);
      for (size_t i = 0; i < axes.size() && !isClosed; ++i)
        receiveOne(rank, three.ends[i], 0, 1, {axes[i]});
      EXPECT_EQ(COMM_SUCCESS, getContext(rank).synchronize());
    });
    EXPECT_FALSE(failure);
    EXPECT_EQ(2u * axes.size(), comm_double_count("ncclSend"));
    EXPECT_EQ(2u * axes.size(), comm_double_count("ncclRecv"));
    return comm_double_count("ncclGroupEnd");
  };
  // Rank (1, 1) only receives, rank (0, 0) only sends.
  EXPECT_EQ(4u, countGroups({0, 1, 0}, /*isClosed=*/true));
  EXPECT_EQ(2u, countGroups({0, 0, 0}, /*isClosed=*/false));
  EXPECT_EQ(2u, countGroups({0, 0, 1}, /*isClosed=*/false));
  EXPECT_EQ(0u, countGroups({0, 1, 0}, /*isClosed=*/false));
}

TEST_F(NcclMessages, TheRankThatNeverComesIsNamed) {
  Failure failure = fail(
      {3},
      [&](const Rank &rank) {
        Three three(rank);
        if (rank.rank == 1)
          return waitForFailure(rank);
        sendToTheLast(rank, three);
        waitForFailure(rank);
      },
      milliseconds(300));
  EXPECT_EQ(COMM_TIMEOUT, failure.status);
  EXPECT_EQ(2, failure.rank);
  EXPECT_EQ("comm.recv of 2 x f32 from 1 to 2 at test.mlir:4 (one of 2 "
            "messages that move at once): timeout after 0.3 s in a channel "
            "over [\"x\"], of which ranks [2] have come\n"
            "  rank 1 is missing: computing before its first communication",
            failure.message);
}

TEST_F(NcclMessages, ARankThatHasEndedIsNamedEarly) {
  Failure failure = fail({3}, [&](const Rank &rank) {
    Three three(rank);
    if (rank.rank != 1)
      sendToTheLast(rank, three);
  });
  EXPECT_EQ("comm.recv of 2 x f32 from 1 to 2 at test.mlir:4: rank 1 of a "
            "channel over [\"x\"] will not come, it has ended without any "
            "communication",
            failure.message);
}

TEST_F(NcclMessages, AnErrorNamesTheCallAndTheLine) {
  comm_double_fail("ncclRecv:2@rank2=ncclSystemError");
  Failure failure = fail({3}, [&](const Rank &rank) {
    Three three(rank);
    sendToTheLast(rank, three);
  });
  EXPECT_EQ(2, failure.rank);
  EXPECT_THAT(failure.message,
              StartsWith("comm.recv of 2 x f32 from 1 to 2 at test.mlir:4: "
                         "ncclRecv: "));
  // Of the group as a whole.
  failure = fail({3}, [&](const Rank &rank) {
    Three three(rank);
    if (rank.rank == 2)
      comm_double_fail("ncclGroupEnd:1@device2=ncclInternalError");
    sendToTheLast(rank, three);
  });
  EXPECT_EQ(2, failure.rank);
  EXPECT_THAT(failure.message,
              StartsWith("comm.recv of 2 x f32 from 0 to 2 at test.mlir:4 (one "
                         "of 2 messages that move at once): ncclGroupEnd: "));
}

TEST_F(NcclMessages, AnErrorAfterTheCallIsFound) {
  comm_double_fail("ncclRecv:2@rank2=async:ncclRemoteError");
  Failure failure = fail({3}, [&](const Rank &rank) {
    Three three(rank);
    sendToTheLast(rank, three);
  });
  EXPECT_EQ(2, failure.rank);
  // By ncclGroupEnd, where it is still at work then, or by the watchdog.
  EXPECT_THAT(
      failure.message,
      AllOf(StartsWith("comm.recv of 2 x f32 from 0 to 2 at test.mlir:4 "
                       "(one of 2 messages that move at once): "),
            HasSubstr("injected into ncclRecv")));
}

TEST_F(NcclMessages, AreRecorded) {
  Options options;
  options.captureSteps = true;
  spawn(
      {3},
      [&](const Rank &rank) {
        Three three(rank);
        for (int i = 1; i <= 4; ++i) {
          for (int64_t from = 0; from < 3; ++from) {
            std::vector<char> next =
                encode(COMM_F32, {i * 10.0 + rank.rank, double(from)});
            getContext(rank).write(next.data(), three.ends[from].sent.data(),
                                   8);
          }
          EXPECT_EQ(COMM_SUCCESS, getContext(rank).runStep("key", [&] {
            return static_cast<Status>(moveAround(rank, three));
          }));
          for (int64_t from = 0; from < 3; ++from)
            EXPECT_EQ((from + 1) % 3 == rank.rank
                          ? (Values{i * 10.0 + double(from), double(from)})
                          : (Values{0, 0}),
                      readFloats(three.ends[from].received));
        }
        EXPECT_TRUE(getContext(rank).hasRecordedStep())
            << getContext(rank).getStepNote();
      },
      options);
}
