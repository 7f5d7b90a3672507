//===- PrintTest.cpp - Tests of printing and writing results --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Print.h"
#include "RunnerTesting.h"
#include "comm/Runner/Npy.h"

#include <cmath>
#include <fstream>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
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

/// @f on three ranks with the results y: 2xf32, an unnamed i32 and the gradient
/// of x: f32.
FunctionSignature makePrinted() {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"tp", 3}};
  signature.arguments.resize(1);
  signature.arguments[0].name = "x";
  signature.results.resize(3);
  signature.results[0] = {"y", COMM_F32, {2}, false, {}, {}};
  signature.results[1] = {"", COMM_I32, {}, true, {}, {}};
  signature.results[2] = {"", COMM_F32, {}, false, {}, 0u};
  return signature;
}

RankValues makeResults() {
  RankValues results(3);
  for (double rank : {0, 1, 2}) {
    results[rank].push_back(
        makeTensor(COMM_F32, {2}, {rank == 1 ? 0.5 : 4, NAN}));
    results[rank].push_back(makeTensor(COMM_I32, {}, {rank}));
    results[rank].push_back(makeTensor(COMM_F32, {}, {7}));
  }
  return results;
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

/// Writes the results; the failure's message, or nothing.
std::string write(const std::string &text) {
  Result<OutputSpec> spec = parseOutputSpec("--output", text);
  MaybeFailure failure = writeOutputs(makePrinted(), makeResults(), {*spec});
  return failure ? failure->message : "";
}

TEST(Print, WritesFiles) {
  std::string folder = testing::TempDir() + "comm-print-";
  EXPECT_EQ(write("1=@" + folder + "n.{rank}.npy"), "");
  for (int64_t rank : {0, 1, 2}) {
    Result<HostTensor> read =
        readNpy(folder + "n." + std::to_string(rank) + ".npy");
    ASSERT_TRUE(bool(read));
    EXPECT_THAT(getElements(*read), ElementsAre(rank));
  }
  EXPECT_EQ(write("1@2=@" + folder + "n2.npy"), "");
  EXPECT_THAT(getElements(*readNpy(folder + "n2.npy")), ElementsAre(2));
  EXPECT_EQ(write("grad.x=@" + folder + "g.npy"), "");
  EXPECT_THAT(getElements(*readNpy(folder + "g.npy")), ElementsAre(7));
}

TEST(Print, RefusesOutputsThatCannotBe) {
  EXPECT_EQ(write("1=@n.npy"),
            "--output=1=@n.npy: ranks 0 and 1 have different values: write "
            "{rank} into the name of the file, or name a rank");
  EXPECT_FALSE(std::ifstream("n.npy").good());
  EXPECT_THAT(write("z=@z.npy"), HasSubstr("no result 'z'"));
  EXPECT_THAT(write("y@3=@z.npy"), HasSubstr("rank 3 is out of range"));
  EXPECT_EQ(write("1@0=@/nonexistent/n.npy"),
            "--output=1@0=@/nonexistent/n.npy: cannot write "
            "'/nonexistent/n.npy': No such file or directory");
}

} // namespace
