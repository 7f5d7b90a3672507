//===- NcclProcessTest.cpp - Ranks that are processes ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How processes come together, as far as the double of NCCL, which knows the
// ranks of one process only, lets them: with COMM_DOUBLE_ALONE they come to a
// collective, in which all wait for ranks that the double does not know. The
// test itself loads none of it: it forks.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Store/Socket.h"

#include "gmock/gmock.h"
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

namespace {
using Environment = std::map<std::string, std::string>;

class NcclProcesses : public testing::Test {
protected:
  NcclProcesses() {
    std::string error;
    port = listenAt("127.0.0.1", 0, error).getPort();
  }

  /// What torchrun says to a rank; the port after MASTER_PORT is free.
  Environment getTorchrun(int64_t rank, int64_t numRanks) const {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", std::to_string(numRanks)},
            {"LOCAL_RANK", std::to_string(rank)},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port - 1)}};
  }

  /// What each process of such an environment says: the sum of the ranks'
  /// numbers from 1 on, or the error of its start.
  std::vector<std::string> run(const std::vector<Environment> &processes,
                               const std::vector<int64_t> &sizes,
                               milliseconds timeout = seconds(60),
                               const std::function<void()> &meanwhile = {}) {
    children.clear();
    std::vector<int> pipes;
    for (const Environment &environment : processes) {
      int ends[2];
      EXPECT_EQ(0, pipe(ends));
      children.push_back(fork());
      if (children.back() == 0) {
        for (auto &[name, value] : environment)
          setenv(name.c_str(), value.c_str(), 1);
        std::string said = runRank(sizes, timeout);
        EXPECT_EQ(ssize_t(said.size()),
                  write(ends[1], said.data(), said.size()));
        _exit(0);
      }
      close(ends[1]);
      pipes.push_back(ends[0]);
    }
    if (meanwhile)
      meanwhile();
    std::vector<std::string> all;
    for (int end : pipes) {
      std::string said;
      char bytes[512];
      while (ssize_t count = read(end, bytes, sizeof bytes))
        said.append(bytes, count);
      close(end);
      all.push_back(said);
    }
    while (wait(nullptr) > 0) {
    }
    return all;
  }

  static std::string runRank(const std::vector<int64_t> &sizes,
                             milliseconds timeout) {
    Mesh mesh;
    for (int64_t size : sizes)
      mesh.push_back({std::string(1, 'a' + mesh.size()), size});
    Options options;
    options.timeout = timeout;
    std::string said;
    std::unique_ptr<World> world = World::create(mesh, "nccl", options, said);
    if (!world)
      return said;
    CommSite site = siteAt("comm.all_reduce", 1);
    std::optional<Failure> failure = world->launch([&](Context &context) {
      Rank rank{&context, context.getRank()};
      Buffer buffer(&context, encode(COMM_F32, {1.0 + rank.rank}));
      while (std::getenv("TEST_IS_LATE") && !context.getStatus())
        std::this_thread::sleep_for(milliseconds(1));
      commAllReduce(&context, rank.group({0}), buffer.data(), buffer.data(), 1,
                    COMM_F32, COMM_SUM, &site);
      std::ostringstream text;
      text << decode(COMM_F32, buffer.read())[0];
      said = text.str();
    });
    return failure ? failure->message : said;
  }

  /// Three ranks that come together, and to a collective.
  std::vector<Environment> getThreeThatWait() const {
    std::vector<Environment> processes;
    for (int64_t rank : {0, 1, 2}) {
      processes.push_back(getTorchrun(rank, 3));
      processes.back()["COMM_DOUBLE_ALONE"] = "1";
    }
    return processes;
  }

  /// What three ranks say of which one is killed while they are in a
  /// collective. It takes much less than their timeout.
  std::vector<std::string> killOne(int64_t rank) {
    auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> said =
        run(getThreeThatWait(), {3}, seconds(300), [&] {
          // Ranks say what they are at twice a second.
          std::this_thread::sleep_for(seconds(4));
          kill(children[rank], SIGKILL);
        });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(60));
    EXPECT_EQ("", said[rank]);
    return said;
  }

  int port;
  std::vector<pid_t> children;
};
} // namespace

TEST_F(NcclProcesses, OneOfOne) {
  EXPECT_EQ(std::vector<std::string>{"1"}, run({getTorchrun(0, 1)}, {1}));
  EXPECT_EQ(std::vector<std::string>{"1"},
            run({{{"SLURM_PROCID", "0"},
                  {"SLURM_STEP_ID", "0"},
                  {"SLURM_STEP_NUM_TASKS", "1"},
                  {"SLURM_STEP_NODELIST", "localhost"},
                  {"COMM_PORT", std::to_string(port)}}},
                {1}));
}

TEST_F(NcclProcesses, ALauncherCanBeIgnored) {
  Environment environment = getTorchrun(0, 1);
  environment["COMM_LAUNCHER"] = "none";
  EXPECT_EQ(std::vector<std::string>{"6"}, run({environment}, {3}));
}

TEST_F(NcclProcesses, AMeshOfAnotherSize) {
  EXPECT_EQ(
      std::vector<std::string>{
          "the mesh has 4 ranks (a = 2, b = 2), and torchrun started 8 "
          "processes, which are one rank each; COMM_LAUNCHER=none makes "
          "all ranks threads of one process"},
      run({getTorchrun(0, 8)}, {2, 2}));
}

TEST_F(NcclProcesses, TwoOnOneGpu) {
  std::vector<Environment> processes;
  for (int64_t rank : {0, 1, 2})
    processes.push_back(getTorchrun(rank, 3));
  processes[2]["LOCAL_RANK"] = "0";
  for (const std::string &said : run(processes, {3}))
    EXPECT_THAT(said, MatchesRegex("ranks 0 and 2 are both on GPU 0 \\(.*\\) "
                                   "of host '.*': NCCL takes one rank for each "
                                   "GPU; --backend=cuda-local runs many on "
                                   "one"));
}

TEST_F(NcclProcesses, DifferentMeshes) {
  // The same number of ranks: one process has it another way.
  if (fork() == 0) {
    for (auto &[name, value] : getTorchrun(1, 2))
      setenv(name.c_str(), value.c_str(), 1);
    runRank({1, 2}, seconds(60));
    _exit(0);
  }
  EXPECT_THAT(run({getTorchrun(0, 2)}, {2})[0],
              StartsWith("the ranks run different programs: rank 0 has the "
                         "mesh [a = 2] and NCCL 228"));
}

TEST_F(NcclProcesses, OneIsMissing) {
  std::vector<std::string> said =
      run({getTorchrun(0, 3), getTorchrun(2, 3)}, {3}, milliseconds(500));
  for (const std::string &one : said)
    EXPECT_EQ("timeout after 0.5 s before the start: ranks [1] have not come",
              one);
}

TEST_F(NcclProcesses, OneCannotStart) {
  std::vector<Environment> processes = {getTorchrun(0, 2), getTorchrun(1, 2)};
  processes[1]["COMM_DOUBLE_FAIL"] = "ncclCommInitRankConfig:1=ncclSystemError";
  std::vector<std::string> said = run(processes, {2});
  EXPECT_THAT(said[1], StartsWith("rank 1: ncclCommInitRankConfig: "));
  EXPECT_EQ("stopped because rank 1 failed: " + said[1], said[0]);
}

TEST_F(NcclProcesses, AFileSaysWhereTheyMeet) {
  std::string path = testing::TempDir() + "comm-nccl-" + std::to_string(port);
  auto get = [&](const char *rank) {
    return Environment{{"COMM_RENDEZVOUS", path}, {"COMM_RANK", rank}};
  };
  // They meet, and find different GPUs; the double's NCCL does not let them
  // go on.
  for (const std::string &said :
       run({get("0"), get("1")}, {2}, milliseconds(1000)))
    EXPECT_THAT(said, HasSubstr("ncclCommInitRankConfig: timeout after 1 s"));
  EXPECT_FALSE(std::ifstream(path)) << "the file is there still";
}

TEST_F(NcclProcesses, OneIsKilledInACollective) {
  std::vector<std::string> said = killOne(1);
  for (int64_t rank : {0, 2})
    EXPECT_EQ("the process of rank 1 has ended without a word; it was last "
              "seen in comm.all_reduce at test.mlir:1",
              said[rank]);
}

TEST_F(NcclProcesses, TheOneThatListensIsKilledInACollective) {
  std::vector<std::string> said = killOne(0);
  for (int64_t rank : {1, 2})
    EXPECT_THAT(said[rank],
                MatchesRegex("the connection to rank 0 at 127.0.0.1:[0-9]+ has "
                             "ended"));
}

/// As one that hangs on its own, or is stopped.
TEST_F(NcclProcesses, OneDoesNotComeToACollective) {
  std::vector<Environment> processes = getThreeThatWait();
  processes[1]["TEST_IS_LATE"] = "1";
  std::vector<std::string> said = run(processes, {3}, seconds(3));
  std::string start =
      "comm.all_reduce sum of 1 x f32 at test.mlir:1: timeout after 3 s in a "
      "group over [\"a\"], of which ranks [0, 2] have come\n"
      "  rank 1 is missing: ";
  std::vector<std::string> waiting{said[0], said[2]};
  EXPECT_THAT(waiting, testing::Each(testing::StartsWith(start)));
  // So says who finds it first: rank 1 then gives up, which the other may see.
  EXPECT_THAT(waiting, testing::Contains(
                           start + "computing before its first communication"));
}
