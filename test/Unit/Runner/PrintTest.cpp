//===- PrintTest.cpp - Tests of printing results --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Print.h"
#include "RunnerTesting.h"

#include <cmath>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::HasSubstr;

namespace {

HostTensor makeIota(CommDataType type, Shape shape) {
  HostTensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.getElementCount(); ++i)
    tensor.setInt64(i, i);
  return tensor;
}

TEST(Print, FormatsTensors) {
  auto format = [](CommDataType type, Shape shape,
                   std::vector<double> elements) {
    return formatTensor(makeTensor(type, shape, elements), {});
  };
  EXPECT_EQ(format(COMM_F32, {}, {0.1}), "0.1");
  EXPECT_EQ(format(COMM_F32, {2, 2}, {1, -2.5, NAN, INFINITY}),
            "[[1, -2.5], [nan, inf]]");
  EXPECT_EQ(format(COMM_I1, {2}, {1, 0}), "[true, false]");
  EXPECT_EQ(format(COMM_F32, {0}, {}), "[]");
  EXPECT_EQ(format(COMM_F32, {2, 0}, {}), "[[], []]");
}

TEST(Print, BreaksLongMatricesIntoRows) {
  EXPECT_EQ(formatTensor(makeIota(COMM_F64, {3, 10}), {}, 2),
            "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],\n"
            "   [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],\n"
            "   [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]]");
}

TEST(Print, CutsLargeTensors) {
  EXPECT_EQ(formatTensor(makeIota(COMM_I32, {101}), {}),
            "[0, 1, 2, ..., 98, 99, 100]");
  EXPECT_EQ(formatTensor(makeIota(COMM_I32, {2, 60}), {}),
            "[[0, 1, 2, ..., 57, 58, 59], [60, 61, 62, ..., 117, 118, 119]]");
  EXPECT_EQ(
      formatTensor(makeIota(COMM_I32, {60, 2}), {}),
      "[[0, 1], [2, 3], [4, 5], ..., [114, 115], [116, 117], [118, 119]]");
  EXPECT_EQ(formatTensor(makeIota(COMM_I32, {60, 4}), {}),
            "[[0, 1, 2, 3],\n [4, 5, 6, 7],\n [8, 9, 10, 11],\n ...,\n"
            " [228, 229, 230, 231],\n [232, 233, 234, 235],\n"
            " [236, 237, 238, 239]]");
  std::string all = formatTensor(makeIota(COMM_I32, {101}), {true});
  EXPECT_THAT(all, HasSubstr("49, 50, 51"));
  EXPECT_THAT(all, testing::Not(HasSubstr("...")));
}

TEST(Print, WhatIsPrintedCanBeRead) {
  HostTensor tensor(COMM_BF16, {3, 4});
  fillRandom(tensor, 5);
  ValueInfo info;
  info.type = COMM_BF16;
  info.shape = {kDynamic, 4};
  Result<ValueSpec> spec =
      parseValueSpec("--input", "x=" + formatTensor(tensor, {}));
  Result<HostTensor> read = evaluateValueSpec(*spec, {info, "x", 0, 0});
  ASSERT_TRUE(bool(read)) << read.getFailure().message;
  EXPECT_TRUE(read->isIdenticalTo(tensor));
}

TEST(Print, FoldsRanks) {
  EXPECT_EQ(formatRanks({3}), "rank 3");
  EXPECT_EQ(formatRanks({0, 1}), "ranks 0, 1");
  EXPECT_EQ(formatRanks({0, 1, 2, 3}), "ranks 0..3");
  EXPECT_EQ(formatRanks({0, 2, 3, 4, 7}), "ranks 0, 2..4, 7");
}

TEST(Print, FormatsResults) {
  EXPECT_EQ(formatResults(makePrinted(), makeResults(), {}),
            "y: 2xf32\n"
            "  ranks 0, 2: [4, nan]\n"
            "  rank 1: [0.5, nan]\n"
            "result 1: i32\n"
            "  rank 0: 0\n"
            "  rank 1: 1\n"
            "  rank 2: 2\n"
            "grad.x: f32\n"
            "  ranks 0..2: 7\n");
}

TEST(Print, FormatsResultsOfThisProcess) {
  RankValues results = makeResults();
  results[0].clear();
  EXPECT_EQ(formatResults(makePrinted(), results, {}), "y: 2xf32\n"
                                                       "  rank 1: [0.5, nan]\n"
                                                       "  rank 2: [4, nan]\n"
                                                       "result 1: i32\n"
                                                       "  rank 1: 1\n"
                                                       "  rank 2: 2\n"
                                                       "grad.x: f32\n"
                                                       "  ranks 1, 2: 7\n");
}

} // namespace
