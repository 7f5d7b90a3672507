//===- CheckGradientTest.cpp - Tests of what a gradient check is made of --===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/comm-run/CheckGradient/InnerProduct.h"
#include "tools/comm-run/CheckGradient/MatchSignature.h"
#include "tools/comm-run/CheckGradient/Symmetry.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir::comm;
using namespace mlir::comm::runner;

namespace {

HostTensor makeTensor(CommDataType type, const std::vector<double> &elements) {
  HostTensor tensor(type, {static_cast<int64_t>(elements.size())});
  for (size_t i = 0; i < elements.size(); ++i)
    tensor.setDouble(i, elements[i]);
  return tensor;
}

/// One value of f64 with these elements on each rank.
RankValues makeValues(const std::vector<std::vector<double>> &ranks,
                      CommDataType type = COMM_F64) {
  RankValues values;
  for (const std::vector<double> &elements : ranks)
    values.push_back({makeTensor(type, elements)});
  return values;
}

const Mesh mesh = {{"dp", 2}, {"tp", 2}};
const ValueInfo varying{"x", COMM_F64, {2}, false, {}, {}};
const ValueInfo overTp{"x", COMM_F64, {2}, false, {1}, {}};
const ValueInfo overAll{"x", COMM_F64, {2}, false, {0, 1}, {}};

TEST(CheckGradient, CountsAReplicaClassOnce) {
  RankValues a = makeValues({{1, 2}, {3, 4}, {5, 6}, {7, -8}});
  RankValues ones = makeValues({{1, 1}, {1, 1}, {1, 1}, {1, 1}});
  EXPECT_EQ(multiply(mesh, varying, {a, 0}, {ones, 0}).value, 20);
  EXPECT_EQ(multiply(mesh, varying, {a, 0}, {ones, 0}).magnitude, 36);
  EXPECT_EQ(multiply(mesh, overTp, {a, 0}, {ones, 0}).value, 14);
  EXPECT_EQ(multiply(mesh, overAll, {a, 0}, {ones, 0}).value, 3);
  EXPECT_EQ(getReplicaClasses(mesh, overTp), (std::vector<int64_t>{0, 2}));
}

TEST(CheckGradient, FindsTheWorstElement) {
  RankValues expected = makeValues({{1, 2}, {10, 4}});
  RankValues got = makeValues({{1, 2.5}, {10, 3}});
  Finding finding = compare({got, 0}, {expected, 0}, 0.05);
  EXPECT_FALSE(finding.passed());
  EXPECT_DOUBLE_EQ(finding.error, 0.1);
  EXPECT_DOUBLE_EQ(finding.getExcess(), 2);
  ASSERT_TRUE(finding.worst);
  EXPECT_EQ(formatPlace(*finding.worst), "rank 1, [1]");
  EXPECT_EQ(finding.worst->got, 3);
  EXPECT_EQ(finding.worst->expected, 4);
  EXPECT_TRUE(compare({got, 0}, {expected, 0}, 0.1).passed());
}

TEST(CheckGradient, NothingPassesThatIsNotANumber) {
  RankValues finite = makeValues({{1, 2}});
  RankValues nan = makeValues({{1, NAN}});
  RankValues infinite = makeValues({{1, INFINITY}});
  EXPECT_FALSE(compare({nan, 0}, {finite, 0}, 1).passed());
  EXPECT_FALSE(compare({finite, 0}, {nan, 0}, 1).passed());
  EXPECT_FALSE(compare({nan, 0}, {nan, 0}, 1).passed());
  EXPECT_FALSE(compare({infinite, 0}, {finite, 0}, 1).passed());
  EXPECT_TRUE(compare({infinite, 0}, {infinite, 0}, 1).passed());
  EXPECT_TRUE(std::isnan(getLargest({nan, 0})));
}

TEST(CheckGradient, ComparesIntegersAndShapesExactly) {
  RankValues a = makeValues({{1, 2}}, COMM_I32);
  RankValues b = makeValues({{1, 3}}, COMM_I32);
  EXPECT_TRUE(compare({a, 0}, {a, 0}, 0).passed());
  EXPECT_FALSE(compare({a, 0}, {b, 0}, 1).passed());
  EXPECT_FALSE(compare({a, 0}, {makeValues({{1}}, COMM_I32), 0}, 1).passed());
}

TEST(CheckGradient, ComparesReplicasBitForBit) {
  RankValues values = makeValues({{1, 2}, {1, 2}, {3, 4}, {3, 4}});
  EXPECT_TRUE(compareReplicas(mesh, overTp, {values, 0}).passed());
  Finding finding = compareReplicas(mesh, overAll, {values, 0});
  EXPECT_FALSE(finding.passed());
  ASSERT_TRUE(finding.worst);
  EXPECT_EQ(formatPlace(*finding.worst), "rank 2, [0]");
  RankValues zeros = makeValues({{0.0, 1}, {-0.0, 1}, {0.0, 1}, {0.0, 1}});
  EXPECT_FALSE(compareReplicas(mesh, overAll, {zeros, 0}).passed());
}

TEST(CheckGradient, RefusesDataThatAreEqualAlongAnAxis) {
  FunctionSignature signature;
  signature.mesh = mesh;
  signature.arguments = {varying};
  auto refuse = [&](const std::vector<std::vector<double>> &ranks) {
    MaybeFailure failure = refuseSymmetricData(
        signature, ValueKind::Argument, {0}, makeValues(ranks), "--input");
    return failure ? failure->message.substr(0, 30) : "";
  };
  EXPECT_EQ(refuse({{1}, {2}, {3}, {4}}), "");
  EXPECT_EQ(refuse({{1}, {1}, {1}, {2}}), "");
  EXPECT_EQ(refuse({{1}, {2}, {1}, {2}}), "argument 'x' varies over 'dp' ");
  EXPECT_EQ(refuse({{1}, {1}, {2}, {2}}), "argument 'x' varies over 'tp' ");
  EXPECT_EQ(refuse({{}, {}, {}, {}}), "");
  signature.arguments = {overTp};
  EXPECT_EQ(refuse({{1}, {1}, {2}, {2}}), "");
  signature.mesh = {{"dp", 1}, {"tp", 1}};
  signature.arguments = {varying};
  EXPECT_EQ(refuse({{1}}), "");
}

TEST(CheckGradient, TellsAScalarFromATensorOfRankZero) {
  FunctionSignature f, g;
  f.name = "f";
  g.name = "g";
  f.arguments = {{"x", COMM_F32, {}, true, {}, {}}};
  g.arguments = {{"a", COMM_F32, {}, false, {}, {}}};
  EXPECT_FALSE(matchSignature("--vjp=g", f, f, "'@f'"));
  MaybeFailure failure = matchSignature("--vjp=g", g, f, "'@f'");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message,
            "--vjp=g: argument 'a' of '@g' is tensor<f32>, expected f32 as of "
            "'@f'");
}

/// A gradient with an adjoint check of this error.
CheckReport makeReport(double error) {
  CheckReport report;
  report.signature.name = "f";
  report.signature.mesh = mesh;
  ValueReport value;
  value.name = "grad.x";
  value.info = overTp;
  value.info.gradientOf = 0;
  value.get(CheckKind::Adjoint) =
      Finding{error, 1e-9, Element{2, {1}, 3, 1, ""}};
  report.values = {value};
  return report;
}

TEST(CheckGradient, PrintsATable) {
  EXPECT_EQ(formatTable(makeReport(1e-12)),
            "gradient check of '@f' on 4 ranks, random seed 0\n"
            "value   type   state               adjoint  difference  precision"
            "  replicas  reference  verdict  worst\n"
            "grad.x  2xf64  replicated over tp  1.0e-12  -           -        "
            "  -         -          right    rank 2, [1]\n"
            "gradient check passed\n");
  CheckReport wrong = makeReport(0.5);
  wrong.values[0].remarks.push_back("a remark");
  std::string table = formatTable(wrong);
  EXPECT_NE(table.find("WRONG    rank 2, [1]: got 3, expected 1\n"
                       "grad.x: a remark\n"
                       "gradient check failed: 1 wrong\n"),
            std::string::npos)
      << table;
}

TEST(CheckGradient, AKinkIsNoFaultAndNoPass) {
  CheckReport report = makeReport(0);
  report.values[0].kink = "no derivative";
  EXPECT_EQ(report.values[0].getVerdict(), Verdict::Undecided);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(formatTable(report).find("gradient check failed: 1 undecided\n"),
            std::string::npos);
  report.values[0].get(CheckKind::Adjoint)->error = 1;
  EXPECT_EQ(report.values[0].getVerdict(), Verdict::Wrong);
}

TEST(CheckGradient, JsonHasNoNumberThatIsNone) {
  std::string text = llvm::formatv("{0}", toJson(makeReport(NAN))).str();
  EXPECT_NE(text.find("\"error\":\"nan\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"passed\":false"), std::string::npos) << text;
  EXPECT_TRUE(bool(llvm::json::parse(text)));
}

} // namespace
