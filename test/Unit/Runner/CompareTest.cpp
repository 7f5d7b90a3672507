//===- CompareTest.cpp - Tests of comparing results -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Compare.h"
#include "RunnerTesting.h"

#include <cmath>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// @f on three ranks with the results y: 2xf32 and n: i64.
FunctionSignature makeChecked() {
  FunctionSignature signature;
  signature.name = "f";
  signature.mesh = {{"tp", 3}};
  signature.results.resize(2);
  signature.results[0] = {"y", COMM_F32, {2}, false, {0}, {}};
  signature.results[1] = {"n", COMM_I64, {}, true, {}, {}};
  return signature;
}

/// Rank r's y is [1, 10 r], its n is r.
RankValues makeResults() {
  RankValues results(3);
  for (double rank : {0, 1, 2}) {
    results[rank].push_back(makeTensor(COMM_F32, {2}, {1, 10 * rank}));
    results[rank].push_back(makeTensor(COMM_I64, {}, {rank}));
  }
  return results;
}

ComparisonReport check(const RankValues &results,
                       const std::vector<std::string> &texts,
                       ToleranceOptions tolerance = {}) {
  Result<ComparisonReport> report = checkExpected(
      makeChecked(), results, parseSpecs("--expect", texts), tolerance);
  if (report)
    return *report;
  ADD_FAILURE() << report.getFailure().message;
  return {};
}

TEST(Compare, PassesWhatIsRight) {
  ComparisonReport report =
      check(makeResults(), {"y@0=1,0", "y@1=1,10", "y@2=[1,20]", "n=rank"});
  EXPECT_TRUE(report.passed);
  EXPECT_THAT(report.lines, ElementsAre("result 'y': as expected",
                                        "result 'n': as expected"));
  EXPECT_TRUE(check(makeResults(), {}).lines.empty());
}

TEST(Compare, NamesTheWorstElement) {
  ComparisonReport report = check(makeResults(), {"y=1,10"});
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(report.lines,
              ElementsAre("result 'y': rank 0, index [1]: got 0, expected 10; "
                          "2 of 6 elements differ, on 2 of 3 ranks; tolerance "
                          "1e-05 + 1e-05 * |expected|"));
  report = check(makeResults(), {"y@1=1.25,-30", "n@2=3", "n=rank"});
  EXPECT_THAT(report.lines[0],
              HasSubstr("rank 1, index [1]: got 10, expected -30; 2 of 2"));
  EXPECT_EQ(report.lines[1],
            "result 'n': rank 2: got 2, expected 3; 1 of 3 elements differ, on "
            "1 of 3 ranks");
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
  auto passes = [&](double got, const std::string &expected,
                    ToleranceOptions tolerance) {
    RankValues results = makeResults();
    results[1][0].setDouble(1, got);
    return check(results, {"y@1=1," + expected}, tolerance).passed;
  };
  EXPECT_TRUE(passes(100.0005, "100", {}));
  EXPECT_FALSE(passes(100.005, "100", {}));
  EXPECT_TRUE(passes(100.9, "100", {0.0, 0.01}));
  EXPECT_FALSE(passes(100.9, "100", {0.0, 0.008}));
  EXPECT_TRUE(passes(0.5, "0", {0.5, 0.0}));
  EXPECT_FALSE(passes(0.5, "0", {0.25, 100.0}));
  EXPECT_TRUE(passes(10, "10", {0.0, 0.0}));
  EXPECT_FALSE(passes(std::nextafterf(10, 11), "10", {0.0, 0.0}));
}

TEST(Compare, NaNNeverPasses) {
  RankValues results = makeResults();
  results[2][0].setDouble(0, NAN);
  for (const char *expected : {"1", "nan", "inf"}) {
    ComparisonReport report =
        check(results, {"y@2=" + std::string(expected) + ",20"},
              {INFINITY, INFINITY});
    EXPECT_FALSE(report.passed);
    EXPECT_THAT(report.lines[0], HasSubstr("rank 2, index [0]: got nan"));
  }
  EXPECT_FALSE(check(makeResults(), {"y@0=nan,0"}).passed);
}

TEST(Compare, InfinityPassesWhereExpected) {
  RankValues results = makeResults();
  results[0][0].setDouble(1, -INFINITY);
  EXPECT_TRUE(check(results, {"y@0=1,-inf"}).passed);
  EXPECT_FALSE(check(results, {"y@0=1,inf"}).passed);
  EXPECT_FALSE(check(results, {"y@0=1,0"}).passed);
  EXPECT_FALSE(check(makeResults(), {"y@0=1,inf"}).passed);
}

TEST(Compare, IntegersAreExact) {
  RankValues results = makeResults();
  int64_t large = (int64_t(1) << 60) + 1;
  results[0][1].setInt64(0, large);
  ToleranceOptions loose = {10.0, 10.0};
  EXPECT_TRUE(check(results, {"n@0=" + std::to_string(large)}, loose).passed);
  EXPECT_FALSE(
      check(results, {"n@0=" + std::to_string(large - 1)}, loose).passed);
}

TEST(Compare, RefusesWrongFlags) {
  auto getFailure = [&](const std::string &text) {
    return checkExpected(makeChecked(), makeResults(),
                         parseSpecs("--expect", {text}), {})
        .getFailure()
        .message;
  };
  EXPECT_EQ(getFailure("z=1"), "--expect=z=1: no result 'z': the results of "
                               "'@f' are y (2xf32), n (i64)");
  EXPECT_THAT(getFailure("y=1,2,3"), HasSubstr("3 literals, expected 2"));
  EXPECT_THAT(getFailure("y=rand"), HasSubstr("cannot be expected"));
}

TEST(Compare, DynamicShapes) {
  FunctionSignature signature = makeChecked();
  signature.results[0].shape = {kDynamic};
  auto run = [&](const std::string &text) {
    Result<ComparisonReport> report = checkExpected(
        signature, makeResults(), parseSpecs("--expect", {text}), {});
    return report->lines[0];
  };
  EXPECT_EQ(run("y@1=1,10"), "result 'y': as expected");
  EXPECT_EQ(run("y@1=2xf32=1,10"), "result 'y': as expected");
  EXPECT_THAT(run("y@1=1"), HasSubstr("got 10, expected 1"));
  EXPECT_EQ(run("y@1=1,10,3"),
            "result 'y': rank 1: got shape [2], expected [3]");
}

TEST(Compare, ReplicatedResultsAreIdentical) {
  FunctionSignature signature = makeChecked();
  RankValues results = makeResults();
  for (auto &rank : results)
    rank[0] = makeTensor(COMM_F32, {2}, {NAN, 2});
  EXPECT_TRUE(checkReplicated(signature, results).passed);
  results[2][0].setDouble(1, std::nextafterf(2, 3));
  ComparisonReport report = checkReplicated(signature, results);
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(report.lines,
              ElementsAre("result 'y' is replicated over [\"tp\"], but rank 2, "
                          "index [1] has 2.0000002 and rank 0 has 2"));
  results[1][0] = HostTensor(COMM_F32, {3});
  EXPECT_THAT(checkReplicated(signature, results).lines,
              ElementsAre("result 'y' is replicated over [\"tp\"], but rank 0 "
                          "has 2xf32 and rank 1 has 3xf32"));
}

TEST(Compare, WhatIsInThisProcess) {
  FunctionSignature signature = makeChecked();
  RankValues results = makeResults();
  results[0].clear();
  results[2][0] = results[1][0];
  EXPECT_TRUE(checkReplicated(signature, results).passed);
  results[2][0].setDouble(1, 77);
  EXPECT_THAT(checkReplicated(signature, results).lines,
              ElementsAre("result 'y' is replicated over [\"tp\"], but rank 2, "
                          "index [1] has 77 and rank 1 has 10"));
  auto check = [&](const std::string &text) {
    return checkExpected(signature, results, parseSpecs("--expect", {text}), {})
        ->lines;
  };
  EXPECT_THAT(check("y@0=5"), ElementsAre());
  EXPECT_THAT(check("y@1=1,10"), ElementsAre("result 'y': as expected"));
  EXPECT_THAT(check("y=1,10"), ElementsAre(HasSubstr(
                                   "1 of 4 elements differ, on 1 of 2 ranks")));
}

TEST(Compare, ReplicatedOverOneAxisOfTwo) {
  FunctionSignature signature = makeChecked();
  signature.mesh = {{"dp", 2}, {"tp", 2}};
  signature.results.resize(1);
  RankValues results(4);
  for (double rank : {0, 1, 2, 3})
    results[rank].push_back(
        makeTensor(COMM_F32, {2}, {static_cast<double>(int(rank) % 2), 5}));
  EXPECT_TRUE(checkReplicated(signature, results).passed);
  signature.results[0].replicatedAxes = {1};
  EXPECT_FALSE(checkReplicated(signature, results).passed);
}

} // namespace
