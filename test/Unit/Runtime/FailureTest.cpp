//===- FailureTest.cpp - Every wrong run stops, and says why --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <thread>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {
class Failures : public testing::Test {
protected:
  /// Runs, expects a failure, and that it came long before the timeout.
  const Failure &fail(const std::vector<int64_t> &sizes,
                      const std::function<void(const Rank &)> &program,
                      milliseconds timeout = milliseconds(20000)) {
    Options options;
    options.timeout = timeout;
    world = makeWorld(sizes, options);
    auto begin = Clock::now();
    failure = run(*world, program);
    EXPECT_LT(Clock::now() - begin, milliseconds(10000));
    EXPECT_TRUE(failure);
    if (!failure)
      failure = Failure{-1, COMM_SUCCESS, ""};
    return *failure;
  }

  /// The failure's message is, or has in it, these parts in this order.
  void expectMessage(const std::vector<std::string> &parts) {
    size_t at = 0;
    for (const std::string &part : parts) {
      size_t found = failure->message.find(part, at);
      ASSERT_NE(found, std::string::npos)
          << "no '" << part << "' in: " << failure->message;
      at = found + part.size();
    }
  }

  Context &context(int64_t rank) { return world->getContext(rank); }

  std::unique_ptr<World> world;
  std::optional<Failure> failure;
  CommSite first = siteAt("comm.all_reduce", 3);
  CommSite second = siteAt("comm.all_gather", 5);
};
} // namespace

static int32_t sum(const Rank &rank, CommCommunicator *group,
                   const CommSite &site, int64_t count = 4,
                   CommDataType type = COMM_F32,
                   CommReduction reduction = COMM_SUM) {
  std::vector<char> in(count * 8), out(count * 8);
  return commAllReduce(rank.context, group, in.data(), out.data(), count, type,
                       reduction, &site);
}

TEST_F(Failures, DifferentOps) {
  fail({3}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({0});
    float in[4] = {}, out[12] = {};
    int32_t status = rank.rank == 1 ? commAllGather(rank.context, group, in,
                                                    out, 4, COMM_F32, &second)
                                    : sum(rank, group, first);
    EXPECT_EQ(COMM_INVALID, status);
    // Nothing is done after a failure.
    EXPECT_EQ(COMM_INVALID, sum(rank, group, first));
    EXPECT_EQ(nullptr, rank.group({0}));
  });
  EXPECT_EQ("ranks of a group over [\"x\"] disagree:\n"
            "  rank 0, call 1: comm.all_reduce sum of 4 x f32 at test.mlir:3\n"
            "  rank 1, call 1: comm.all_gather of 4 x f32 at test.mlir:5",
            failure->message);
  for (int64_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(COMM_INVALID, context(rank).getStatus());
    EXPECT_EQ(failure->message, context(rank).getMessage());
  }
}

TEST_F(Failures, DifferentArguments) {
  auto differ = [&](const std::function<int32_t(const Rank &, bool)> &call,
                    const std::string &a, const std::string &b) {
    fail({4}, [&](const Rank &rank) {
      EXPECT_EQ(COMM_INVALID, call(rank, rank.rank == 2));
    });
    expectMessage({"disagree", "rank 0, call 1: ", a, "rank 2, call 1: ", b});
  };
  differ(
      [&](const Rank &rank, bool other) {
        return sum(rank, rank.group({0}), first, other ? 5 : 4);
      },
      "4 x f32", "5 x f32");
  differ(
      [&](const Rank &rank, bool other) {
        return sum(rank, rank.group({0}), first, 4,
                   other ? COMM_I32 : COMM_F32);
      },
      "4 x f32", "4 x i32");
  differ(
      [&](const Rank &rank, bool other) {
        return sum(rank, rank.group({0}), first, 4, COMM_F32,
                   other ? COMM_MAX : COMM_SUM);
      },
      "sum", "max");
  differ(
      [&](const Rank &rank, bool other) {
        float in = 0, out = 0;
        return commBroadcast(rank.context, rank.group({0}), &in, &out, 1,
                             COMM_F32, other ? 3 : 1, &first);
      },
      "root 1", "root 3");
  differ(
      [&](const Rank &rank, bool other) {
        float in = 0, out = 0;
        int64_t pairs[] = {0, 1, 1, other ? 3 : 2};
        return commPermute(rank.context, rank.group({0}), &in, &out, 1,
                           COMM_F32, pairs, 2, &first);
      },
      "[(0, 1), (1, 2)]", "[(0, 1), (1, 3)]");
  CommSite rows = siteAt("comm.all_to_all", 9, "split 0 concat 1");
  CommSite columns = siteAt("comm.all_to_all", 9, "split 1 concat 0");
  differ(
      [&](const Rank &rank, bool other) {
        float in[4] = {}, out[4] = {};
        return commAllToAll(rank.context, rank.group({0}), in, out, 1, COMM_F32,
                            other ? &columns : &rows);
      },
      "split 0 concat 1", "split 1 concat 0");
}

TEST_F(Failures, OneRankMadeACallLess) {
  fail({3}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({0});
    float value = 0;
    // The ranks off the channel do not meet anyone here, but the call counts.
    if (rank.rank != 2)
      commSend(rank.context, group, &value, 1, COMM_F32, 0, 1, &second);
    if (rank.rank != 2)
      commRecv(rank.context, group, &value, 1, COMM_F32, 0, 1, &second);
    sum(rank, group, first);
  });
  expectMessage({"disagree", "rank 0, call 3", "rank 2, call 1"});
}

TEST_F(Failures, MessagesOfDifferentSize) {
  // Sites outlive the run.
  CommSite send = siteAt("comm.send", 11), recv = siteAt("comm.recv", 12);
  fail({3}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({0});
    float value[2] = {};
    if (!commSend(rank.context, group, value, 1, COMM_F32, 2, 0, &send))
      commRecv(rank.context, group, value, rank.rank == 0 ? 2 : 1, COMM_F32, 2,
               0, &recv);
  });
  expectMessage({"channel over [\"x\"] disagree",
                 "rank 2, call 1: comm.send of 1 x f32 from 2 to 0 at "
                 "test.mlir:11",
                 "rank 0, call 2: comm.recv of 2 x f32 from 2 to 0 at "
                 "test.mlir:12"});
}

TEST_F(Failures, ARankHasEnded) {
  fail({2, 3}, [&](const Rank &rank) {
    CommCommunicator *row = rank.group({1});
    int32_t barrier = commBarrier(rank.context, row, &second);
    if (rank.rank == 4) {
      EXPECT_EQ(COMM_SUCCESS, barrier);
      return;
    }
    int32_t status = sum(rank, row, first);
    // Ranks 3 and 5 cannot succeed, whichever of them notices first. How far
    // the other row has come by then is open.
    if (rank.rank > 2) {
      EXPECT_EQ(COMM_SUCCESS, barrier);
      EXPECT_NE(COMM_SUCCESS, status);
    }
  });
  EXPECT_EQ(COMM_INVALID, failure->status);
  expectMessage({"comm.all_reduce sum of 4 x f32 at test.mlir:3",
                 "rank 4 of a group over [\"y\"] will not come, it has ended "
                 "after comm.barrier at test.mlir:5"});
}

TEST_F(Failures, ARankHasFailed) {
  fail({3}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({0});
    if (rank.rank == 1) {
      EXPECT_EQ(COMM_INVALID, commCheckSize(rank.context, 5, 4, 0, &second));
      EXPECT_EQ(COMM_INVALID, commStatus(rank.context));
      return;
    }
    EXPECT_EQ(COMM_ABORTED, sum(rank, group, first));
    EXPECT_EQ(COMM_ABORTED, commStatus(rank.context));
  });
  EXPECT_EQ(1, failure->rank);
  EXPECT_EQ("comm.all_gather at test.mlir:5: dimension 0 is 5, expected 4",
            failure->message);
  std::string message = context(2).getMessage();
  EXPECT_NE(message.find("stopped because rank 1 failed: " + failure->message),
            std::string::npos)
      << message;
}

TEST_F(Failures, ARankComputesTooLong) {
  std::atomic<bool> stop{false};
  fail(
      {3},
      [&](const Rank &rank) {
        CommCommunicator *group = rank.group({0});
        EXPECT_EQ(COMM_SUCCESS, commBarrier(rank.context, group, &second));
        if (rank.rank == 1)
          while (!stop)
            std::this_thread::sleep_for(milliseconds(1));
        int32_t status = sum(rank, group, first);
        EXPECT_EQ(rank.rank == 1 ? COMM_ABORTED : COMM_TIMEOUT, status);
        stop = true;
      },
      milliseconds(2000));
  EXPECT_EQ(COMM_TIMEOUT, failure->status);
  EXPECT_EQ("comm.all_reduce sum of 4 x f32 at test.mlir:3: timeout after 2 "
            "s in a group over [\"x\"], of which ranks [0, 2] have come\n"
            "  rank 1 is missing: computing after comm.barrier at test.mlir:5",
            failure->message);
}

TEST_F(Failures, GroupsInDifferentOrder) {
  // Each rank waits for a neighbour that waits for the next: no timeout needed.
  fail({2, 2}, [&](const Rank &rank) {
    CommCommunicator *columns = rank.group({0}), *rows = rank.group({1});
    bool columnsFirst = rank.rank == 0 || rank.rank == 3;
    EXPECT_NE(COMM_SUCCESS, sum(rank, columnsFirst ? columns : rows, first));
  });
  expectMessage({"deadlock: ", "all_reduce at test.mlir:3 waits",
                 "rank 0: in comm.all_reduce at test.mlir:3", "rank 3: in"});
}

TEST_F(Failures, MessagesThatCross) {
  CommSite a = siteAt("comm.send", 21), b = siteAt("comm.send", 22);
  fail({3}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({0});
    float value = 0;
    // Rank 0 sends to 1 first, rank 1 sends to 0 first.
    auto forth = [&] {
      return commSend(rank.context, group, &value, 1, COMM_F32, 0, 1, &a);
    };
    auto back = [&] {
      return commSend(rank.context, group, &value, 1, COMM_F32, 1, 0, &b);
    };
    rank.rank == 0 ? forth() : back();
    if (rank.rank == 2)
      sum(rank, group, first);
  });
  expectMessage({"deadlock", "rank 0: in comm.send at test.mlir:21",
                 "rank 1: in comm.send at test.mlir:22"});
}

TEST_F(Failures, WrongArguments) {
  auto refuse = [&](const std::function<int32_t(const Rank &)> &call,
                    const std::string &message) {
    fail({3}, [&](const Rank &rank) { EXPECT_NE(COMM_SUCCESS, call(rank)); });
    EXPECT_EQ(message, failure->message);
  };
  float data[9] = {};
  auto broadcast = [&](int64_t count, int32_t type, int64_t root) {
    return [=, &data](const Rank &rank) {
      CommSite *site = nullptr;
      return commBroadcast(rank.context, rank.group({0}), data, data, count,
                           type, root, site);
    };
  };
  std::string where = "comm.broadcast at an unknown location: ";
  refuse(broadcast(1, COMM_F32, 3), where + "rank 3 is not in a group of 3");
  refuse(broadcast(1, COMM_F32, -1), where + "rank -1 is not in a group of 3");
  refuse(broadcast(-1, COMM_F32, 0), where + "negative count -1");
  refuse(broadcast(1, 9, 0), where + "unknown element type 9");
  refuse(broadcast(int64_t(1) << 61, COMM_F32, 0),
         where + "count 2305843009213693952 overflows");
  auto permute = [&](std::vector<int64_t> pairs) {
    return [&data, pairs](const Rank &rank) {
      CommSite site = siteAt("comm.permute", 2);
      return commPermute(rank.context, rank.group({0}), data, data, 1, COMM_F32,
                         pairs.data(), pairs.size() / 2, &site);
    };
  };
  where = "comm.permute at test.mlir:2: ";
  refuse(permute({0, 1, 2, 1}), where + "target 1 is named twice");
  refuse(permute({0, 1, 0, 2}), where + "source 0 is named twice");
  refuse(permute({0, 3}), where + "target 3 is not a rank of a group of 3");
  refuse(
      [&](const Rank &rank) {
        return commSend(rank.context, rank.group({0}), data, 1, COMM_F32, 1, 1,
                        &first);
      },
      "comm.send at test.mlir:3: a message from rank 1 to itself");
  refuse([&](const Rank &rank) { return sum(rank, rank.group({0, 0}), first); },
         "a group over 2 axes of a mesh of 1");
  refuse([&](const Rank &rank) { return sum(rank, rank.group({1}), first); },
         "mesh axis 1 of a group does not exist or is repeated");
}

TEST_F(Failures, SizesThatDoNotFit) {
  CommSite site = siteAt("comm.all_slice", 8);
  fail({2, 4}, [&](const Rank &rank) {
    CommCommunicator *group = rank.group({1});
    EXPECT_EQ(COMM_SUCCESS,
              commCheckDivisible(rank.context, group, 8, 0, &site));
    EXPECT_EQ(COMM_SUCCESS, commCheckSize(rank.context, 4, 4, 0, &site));
    EXPECT_EQ(COMM_SUCCESS,
              commBarrier(rank.context, rank.group({0, 1}), &second));
    EXPECT_NE(COMM_SUCCESS,
              commCheckDivisible(rank.context, group, 6, 0, &site));
  });
  EXPECT_EQ("comm.all_slice at test.mlir:8: operand dimension 0 (6) is not "
            "divisible by the group size (4) of axes [\"y\"]",
            failure->message);
}

TEST_F(Failures, AnAssertionDoesNotHold) {
  CommSite site = siteAt("linalg.matmul", 9, "dimension #0 is incompatible");
  fail({2}, [&](const Rank &rank) {
    if (rank.rank == 1) {
      EXPECT_EQ(COMM_INVALID, commFail(rank.context, &site));
    }
  });
  EXPECT_EQ(1, failure->rank);
  EXPECT_EQ("linalg.matmul at test.mlir:9: dimension #0 is incompatible",
            failure->message);
}

TEST(World, RefusesWrongMeshesAndBackends) {
  std::string error;
  EXPECT_FALSE(World::create({{"x", 2}}, "mpi", {}, error));
  EXPECT_EQ("unknown backend 'mpi', expected 'threads', 'cuda-local' or 'nccl'",
            error);
  setenv("COMM_BACKEND_PATH", "/nowhere", /*overwrite=*/1);
  EXPECT_FALSE(World::create({{"x", 2}}, "nccl", {}, error));
  unsetenv("COMM_BACKEND_PATH");
  EXPECT_EQ("backend 'nccl' cannot be loaded: "
            "/nowhere/libCommRuntimeNccl.so: cannot open shared object file: "
            "No such file or directory; it is built where CUDA is, and looked "
            "for beside the runtime or in COMM_BACKEND_PATH",
            error);
  EXPECT_FALSE(World::create({{"x", 0}}, "threads", {}, error));
  EXPECT_EQ("mesh axis 'x' has size 0, expected at least 1", error);
  EXPECT_FALSE(World::create({{"x", int64_t(1) << 40}, {"y", int64_t(1) << 40}},
                             "threads", {}, error));
  EXPECT_EQ("a mesh of more than 1048576 ranks", error);
}

TEST(World, TracesCalls) {
  std::mutex mutex;
  std::vector<std::string> lines;
  Options options;
  options.trace = [&](const TraceEvent &event) {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_LE(event.begin, event.end);
    lines.push_back(std::to_string(event.rank) + " " +
                    event.call.describeInFull() + " " + event.group.axisNames);
  };
  CommSite site = siteAt("comm.all_reduce", 3, "over @mesh[\"x\"]");
  spawn(
      {3},
      [&](const Rank &rank) {
        EXPECT_EQ(COMM_SUCCESS, sum(rank, rank.group({0}), site));
      },
      options);
  ASSERT_EQ(3u, lines.size());
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ("2 comm.all_reduce sum of 4 x f32 at test.mlir:3, over @mesh[\"x\"]"
            " [\"x\"]",
            lines[2]);
}

TEST(World, TellsWhenARankDoesNotStop) {
  std::atomic<bool> told{false};
  std::string message;
  Options options;
  options.timeout = milliseconds(10);
  options.onStuck = [&](const Failure &failure) {
    message = failure.message;
    told = true;
  };
  std::unique_ptr<World> world = makeWorld({3}, options);
  CommSite site = siteAt("comm.all_reduce", 3);
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    auto begin = Clock::now();
    if (rank.rank == 1)
      while (!told && Clock::now() - begin < std::chrono::seconds(20))
        std::this_thread::yield();
    else
      sum(rank, rank.group({0}), site);
  });
  EXPECT_TRUE(told);
  ASSERT_TRUE(failure);
  EXPECT_EQ(COMM_TIMEOUT, failure->status);
  EXPECT_EQ(failure->message, message);
}
