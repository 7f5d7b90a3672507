//===- CudaStepTest.cpp - Steps as CUDA graphs ----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"
#include "comm/Runner/Launch.h"

using namespace mlir::comm;
using namespace mlir::comm::runtime;

namespace {
/// One rank that records steps.
class CudaStep : public CudaTest {
protected:
  void runOnOneRank(const std::function<void(const Rank &)> &program,
                    int64_t numRanks = 1) {
    Options options;
    options.captureSteps = true;
    spawn({numRanks}, program, options);
  }

  static Status repeat(const Rank &rank, const std::string &key,
                       const std::function<void()> &step) {
    return context(rank).runStep(key, [&] {
      step();
      return context(rank).getStatus();
    });
  }
  static Context &context(const Rank &rank) {
    return *static_cast<Context *>(rank.context);
  }

  const CommSite gather = siteAt("comm.all_gather", 5);
  const CommSite copy = siteAt("linalg.copy", 7);
};
} // namespace

TEST_F(CudaStep, IsDoneAgainWithoutBeingCalled) {
  runOnOneRank([&](const Rank &rank) {
    Buffer in(rank.context, encode(COMM_F32, {1, 2, 3, 4}));
    Buffer out(rank.context, encode(COMM_F32, Values(4)));
    int numCalls = 0;
    auto step = [&] {
      ++numCalls;
      void *product = commAllocate(rank.context, 16);
      commGemm(rank.context, COMM_F32, 0, 0, 1, 2, 2, 2, in.data(), 2, 4,
               in.data(), 2, 4, 0, product, 2, 4, nullptr);
      commAllGather(rank.context, rank.group({0}), product, out.data(), 4,
                    COMM_F32, &gather);
      commGemm(rank.context, COMM_F32, 0, 0, 1, 2, 2, 2, in.data(), 2, 4,
               out.data(), 2, 4, 0, product, 2, 4, nullptr);
      commAllGather(rank.context, rank.group({0}), product, out.data(), 4,
                    COMM_F32, &gather);
      commRelease(rank.context, product);
    };
    for (int i = 1; i <= 5; ++i) {
      double d = i;
      std::vector<char> next = encode(COMM_F32, {d, 0, 0, 1});
      context(rank).write(next.data(), in.data(), 16);
      comm_double_reset_counts();
      EXPECT_EQ(COMM_SUCCESS, repeat(rank, "key", step));
      EXPECT_EQ(i == 1 ? 0u : 1u, comm_double_count("cudaGraphLaunch"));
      EXPECT_EQ(i < 3 ? 2u : 0u, comm_double_count("cublasLtMatmul"));
      EXPECT_EQ(0u, comm_double_count("host waits"));
      EXPECT_EQ((Values{d * d * d, 0, 0, 1}), decode(COMM_F32, out.read()));
    }
    EXPECT_EQ(2, numCalls);
    EXPECT_EQ("", context(rank).getStepNote());
    EXPECT_TRUE(context(rank).hasRecordedStep());
    // Other arguments are another step.
    repeat(rank, "other", step);
    EXPECT_EQ(3, numCalls);
    EXPECT_FALSE(context(rank).hasRecordedStep());
  });
}

TEST_F(CudaStep, InWhichTheHostReadsIsNotRecorded) {
  runOnOneRank([&](const Rank &rank) {
    Buffer in(rank.context, encode(COMM_F32, {7}));
    for (int i = 0; i < 3; ++i) {
      float number = 0;
      EXPECT_EQ(COMM_SUCCESS, repeat(rank, "key", [&] {
                  commRead(rank.context, in.data(), &number, 4, &copy);
                }));
      EXPECT_EQ(7, number);
    }
    EXPECT_EQ("the step is not recorded: the host reads from the device in it",
              context(rank).getStepNote());
  });
}

TEST_F(CudaStep, ThatReadsOnlyLaterFails) {
  Options options;
  options.captureSteps = true;
  std::unique_ptr<World> world = makeWorld({1}, options);
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    Buffer in(rank.context, encode(COMM_F32, {7}));
    int numCalls = 0;
    for (int i = 0; i < 2; ++i)
      repeat(rank, "key", [&] {
        float number = 1;
        if (++numCalls == 2)
          commRead(rank.context, in.data(), &number, 4, &copy);
        EXPECT_EQ(numCalls == 2 ? 0 : 1, number);
      });
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(
      "linalg.copy at test.mlir:7: cudaStreamBeginCapture: the host reads "
      "from the device in a step that is being recorded, and did not "
      "when it was called before: run without capture",
      failure->message);
}

TEST_F(CudaStep, ThatGrowsIsNotRecorded) {
  static const float constants[] = {5, 6};
  runOnOneRank([&](const Rank &rank) {
    Buffer out(rank.context, encode(COMM_F32, {0}));
    std::vector<void *> kept;
    int numCalls = 0;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(COMM_SUCCESS, repeat(rank, "key", [&] {
                  kept.push_back(commAllocate(rank.context, 1000));
                  // A constant that is made while it is recorded is made again.
                  const float *constant = &constants[++numCalls > 1];
                  commCopy(rank.context,
                           commConstant(rank.context, constant, 4), out.data(),
                           4, &copy);
                }));
      EXPECT_EQ(Values{i ? 6.0 : 5.0}, decode(COMM_F32, out.read()));
    }
    EXPECT_EQ(5, numCalls);
    EXPECT_EQ(
        "the step is not recorded: it takes more memory when it is called "
        "again",
        context(rank).getStepNote());
    for (void *memory : kept)
      commRelease(rank.context, memory);
  });
}

TEST_F(CudaStep, OfRanksThatMeetOnTheHostIsNotRecorded) {
  runOnOneRank(
      [&](const Rank &rank) {
        int numCalls = 0;
        for (int i = 0; i < 3; ++i)
          repeat(rank, "key", [&] { ++numCalls; });
        EXPECT_EQ(3, numCalls);
        EXPECT_EQ("the step is not recorded: the ranks of 'cuda-local' wait "
                  "for each other on the host",
                  context(rank).getStepNote());
      },
      2);
}

namespace {
std::atomic<int> numPrograms{0};
} // namespace

/// 2xf32 -> 4xf32: the gathered argument.
static void callGather(void **packed) {
  static const CommSite site = siteAt("comm.all_gather", 5);
  ++numPrograms;
  auto *results = *static_cast<OneVector **>(packed[0]);
  auto *context = *static_cast<CommContext **>(packed[1]);
  auto *argument = *static_cast<Vector **>(packed[2]);
  int64_t axis = 0;
  CommCommunicator *group = commCommunicator(context, &axis, 1);
  auto *buffer = static_cast<float *>(commAllocate(context, 16));
  commAllGather(context, group, argument->aligned, buffer, argument->size,
                COMM_F32, &site);
  results->status = commStatus(context);
  results->result = {buffer, buffer, 0, 4, 1};
}

static runner::Launch launchGather(int64_t numRanks, bool captureSteps) {
  runner::FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"x", numRanks}};
  int64_t size = 4 / numRanks;
  signature.arguments = {{"", COMM_F32, {size}, false, {}, {}}};
  signature.results = {{"", COMM_F32, {4}, false, {}, {}}};
  runner::RankValues inputs(numRanks);
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    inputs[rank].emplace_back(COMM_F32, runner::Shape{size});
    for (int64_t i = 0; i < size; ++i)
      inputs[rank][0].setDouble(i, 10 * rank + i);
  }
  runner::LaunchOptions options;
  options.backend = getTestBackend();
  options.repetitions = 5;
  options.captureSteps = captureSteps;
  numPrograms = 0;
  return runner::launch(callGather, signature, inputs, options);
}

TEST_F(CudaStep, ProgramsRunOnDevices) {
  runner::Launch launch = launchGather(2, /*captureSteps=*/false);
  ASSERT_FALSE(launch.failure) << launch.failure->message;
  EXPECT_EQ(10, numPrograms);
  EXPECT_EQ(5u, launch.times.size());
  for (int64_t rank : {0, 1})
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(i / 2 * 10 + i % 2, launch.results[rank][0].getDouble(i));
}

TEST_F(CudaStep, ProgramsAreRecorded) {
  runner::Launch launch = launchGather(1, /*captureSteps=*/true);
  ASSERT_FALSE(launch.failure) << launch.failure->message;
  EXPECT_EQ(2, numPrograms);
  EXPECT_EQ("", launch.captureNote);
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(i, launch.results[0][0].getDouble(i));
  EXPECT_NE("", launchGather(2, /*captureSteps=*/true).captureNote);
}
