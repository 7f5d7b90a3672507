//===- PtxWorkgroupTests.cpp - Kernels with memory of a block -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As LLVM compiles Inputs/Workgroup.mlir.
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

#include <numeric>

using namespace ptx;
using namespace ptx::testing;

namespace {

class PtxWorkgroup : public ::testing::Test {
protected:
  Runner runner{readFile(COMM_PTX_WORKGROUP)};

  static std::vector<float> makeNumbers() {
    std::vector<float> numbers(1024);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = float(i * i % 97) - 40;
    return numbers;
  }
};

TEST_F(PtxWorkgroup, TreeOfSums) {
  std::vector<float> x = makeNumbers(), y(8);
  runner.run("tree", 8, 128, x, y);
  for (int block = 0; block < 8; ++block)
    EXPECT_EQ(y[block], std::accumulate(x.begin() + 128 * block,
                                        x.begin() + 128 * (block + 1), 0.0f));
  EXPECT_EQ(runner.getModule().getKernel("tree")->sharedBytes, 512u);
}

TEST_F(PtxWorkgroup, MissingBarrier) {
  std::vector<float> x = makeNumbers(), y(8);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "race on shared address",
                      runner.tryRun("race", 1, 128, x, y));
}

TEST_F(PtxWorkgroup, TooManyThreads) {
  std::vector<float> x = makeNumbers(), y(8);
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "is outside the variables",
                      runner.tryRun("tree", 1, 256, x, y));
}

TEST_F(PtxWorkgroup, ReductionsOfAllThreads) {
  // Also where the last warp is not full.
  for (unsigned threads : {32, 128, 256, 50}) {
    std::vector<float> x = makeNumbers(), y(1024);
    runner.run("all_reduce", 1, threads, x, y);
    float sum = std::accumulate(x.begin(), x.begin() + threads, 0.0f);
    for (unsigned i = 0; i < threads; ++i)
      ASSERT_EQ(y[i], sum) << threads;
  }
}

TEST_F(PtxWorkgroup, Shuffles) {
  std::vector<float> x = makeNumbers(), y(1024);
  runner.run("shuffle", 1, 64, x, y);
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(y[i], x[i ^ 3]);
}

TEST_F(PtxWorkgroup, PrivateMemory) {
  std::vector<uint32_t> x(1024), y(1024);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint32_t(i * i % 101);
  runner.run("private", 1, 512, x, y);
  for (size_t i = 0; i < 512; ++i)
    ASSERT_EQ(y[i], x[i + (x[i] + i) % 8]);
}

TEST_F(PtxWorkgroup, NoInstructionIsUnknown) {
  EXPECT_EQ(runner.getModule().getProblems(), std::vector<std::string>());
}

} // namespace
