//===- InputsTest.cpp - Tests of names and of the ranks' inputs -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTesting.h"
#include "comm/Runner/Npy.h"

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The inputs of makeSignature's arguments, with one more flag for %d, which
/// has a dynamic size.
Result<RankValues> build(std::vector<std::string> texts, uint64_t seed = 1) {
  texts.push_back("d=1x2xf16=ones");
  InputOptions options;
  options.randomSeed = seed;
  return buildInputs(makeSignature(), parseSpecs("--input", texts), options);
}

/// Why there are no inputs.
std::string getFailure(const std::vector<std::string> &texts) {
  Result<RankValues> values = build(texts);
  if (values)
    return "there are inputs";
  EXPECT_EQ(values.getFailure().code, ExitCode::Usage);
  return values.getFailure().message;
}

TEST(Signature, FindsReplicaClasses) {
  Mesh mesh = {{"dp", 2}, {"tp", 3}};
  std::vector<int64_t> overDp, overTp, overBoth, overNone;
  for (int64_t rank = 0; rank < 6; ++rank) {
    overDp.push_back(getReplicaClass(mesh, {0}, rank));
    overTp.push_back(getReplicaClass(mesh, {1}, rank));
    overBoth.push_back(getReplicaClass(mesh, {1, 0}, rank));
    overNone.push_back(getReplicaClass(mesh, {}, rank));
  }
  EXPECT_THAT(overDp, ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(overTp, ElementsAre(0, 0, 0, 3, 3, 3));
  EXPECT_THAT(overBoth, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(overNone, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(getReplicaClass({}, {}, 0), 0);
}

TEST(Signature, FindsValues) {
  FunctionSignature signature = makeSignature();
  auto find = [&](ValueKind kind, const std::string &name) {
    Result<unsigned> position = findValue(signature, kind, name);
    return position ? std::to_string(*position) : position.getFailure().message;
  };
  EXPECT_EQ(find(ValueKind::Argument, "w"), "1");
  EXPECT_EQ(find(ValueKind::Argument, "%w"), "1");
  EXPECT_EQ(find(ValueKind::Argument, "3"), "3");
  EXPECT_EQ(find(ValueKind::Result, "0"), "0");
  EXPECT_EQ(find(ValueKind::Result, "grad.w"), "1");
  EXPECT_EQ(find(ValueKind::Result, "grad.%w"), "1");
  EXPECT_EQ(find(ValueKind::Result, "grad.1"), "1");
  std::string arguments = ": the arguments of '@f' are x (2x2xf32), w (3xf32), "
                          "n (i32), d (?x2xf16)";
  std::string results = ": the results of '@f' are 0 (2xf32), grad.w (3xf32)";
  EXPECT_EQ(find(ValueKind::Argument, "y"), "no argument 'y'" + arguments);
  EXPECT_EQ(find(ValueKind::Argument, "%0"), "no argument '%0'" + arguments);
  EXPECT_EQ(find(ValueKind::Argument, "4"),
            "argument position 4 is out of range" + arguments);
  EXPECT_EQ(find(ValueKind::Argument, "99999999999999999999"),
            "no argument '99999999999999999999'" + arguments);
  EXPECT_EQ(find(ValueKind::Result, "w"), "no result 'w'" + results);
  EXPECT_EQ(find(ValueKind::Result, "%"), "no result '%'" + results);
  EXPECT_EQ(find(ValueKind::Result, "grad.x"),
            "no gradient of argument 'x'" + results);
  EXPECT_EQ(find(ValueKind::Result, "grad.y"), "no argument 'y'" + arguments);
  signature.arguments.clear();
  EXPECT_EQ(find(ValueKind::Argument, "x"),
            "no argument 'x': the arguments of '@f' are none");
}

TEST(Inputs, MissingOnesAreRandomAndDiffer) {
  Result<RankValues> values = build({});
  ASSERT_TRUE(bool(values)) << values.getFailure().message;
  ASSERT_EQ(values->size(), 6u);
  for (int64_t rank = 0; rank < 6; ++rank) {
    EXPECT_EQ((*values)[rank][0].formatType(), "2x2xf32");
    for (int64_t other = 0; other < rank; ++other) {
      EXPECT_FALSE((*values)[rank][0].isIdenticalTo((*values)[other][0]));
      // w is replicated over dp: equal on ranks that differ by 3.
      EXPECT_EQ((*values)[rank][1].isIdenticalTo((*values)[other][1]),
                rank == other + 3);
    }
  }
  EXPECT_TRUE((*build({}, 1))[4][0].isIdenticalTo((*values)[4][0]));
  EXPECT_FALSE((*build({}, 2))[4][0].isIdenticalTo((*values)[4][0]));
  EXPECT_TRUE((*build({"x=rand"}))[4][0].isIdenticalTo((*values)[4][0]));
}

TEST(Inputs, SpecificBeforeGeneral) {
  Result<RankValues> values = build({"n@2=7", "n=5", "2@0=rank"});
  ASSERT_TRUE(bool(values)) << values.getFailure().message;
  std::vector<int64_t> n;
  for (const auto &rank : *values)
    n.push_back(rank[2].getInt64(0));
  EXPECT_THAT(n, ElementsAre(0, 5, 7, 5, 5, 5));
}

TEST(Inputs, ReplicatedTakesOneValuePerClass) {
  Result<RankValues> values = build({"w=1", "w@4=1,2,3", "w@5=9", "w@2=9"});
  ASSERT_TRUE(bool(values)) << values.getFailure().message;
  std::vector<double> last;
  for (const auto &rank : *values)
    last.push_back(rank[1].getDouble(2));
  EXPECT_THAT(last, ElementsAre(1, 3, 9, 1, 3, 9));
}

TEST(Inputs, RefusesDifferentValuesInAClass) {
  EXPECT_EQ(getFailure({"w@1=1,2,3", "w@4=1,2,4"}),
            "argument 'w' is replicated over [\"dp\"]: ranks 1 and 4 must get "
            "one value, and get 3 and 4 at index [2]");
  EXPECT_THAT(getFailure({"w=rank"}),
              HasSubstr("ranks 0 and 3 must get one value"));
  std::string path = testing::TempDir() + "comm-inputs-{rank}.npy";
  for (int64_t rank = 0; rank < 6; ++rank)
    ASSERT_FALSE(writeNpy(
        expandRank(path, rank),
        makeTensor(COMM_F32, {3}, {1.0 * (rank % 3), 2, rank == 5 ? 4. : 3})));
  EXPECT_THAT(getFailure({"w=@" + path}),
              HasSubstr("ranks 2 and 5 must get one value, and get 3 and 4"));
}

TEST(Inputs, RefusesWrongFlags) {
  EXPECT_THAT(getFailure({"y=1"}),
              HasSubstr("--input=y=1: no argument 'y': the arguments"));
  EXPECT_EQ(getFailure({"x@6=1"}), "--input=x@6=1: rank 6 is out of range: the "
                                   "mesh has 6 ranks");
  EXPECT_EQ(getFailure({"x=1", "0=2"}),
            "--input=0=2: argument 'x' is given already by --input=x=1");
  EXPECT_EQ(getFailure({"x@1=1", "x@1=1"}),
            "--input=x@1=1: argument 'x' is given already by --input=x@1=1");
  EXPECT_THAT(getFailure({"x@5=1,2"}),
              HasSubstr("--input=x@5=1,2: 2 literals"));
}

TEST(Inputs, DynamicShapesAreGivenAndEqual) {
  FunctionSignature signature = makeSignature();
  auto getMessage = [&](const std::vector<std::string> &texts) {
    return buildInputs(signature, parseSpecs("--input", texts), {})
        .getFailure()
        .message;
  };
  EXPECT_EQ(getMessage({}),
            "missing --input=d: argument 'd' is ?x2xf16 and 'rand' has no "
            "size: write the shape, such as '4x2xf16=rand'");
  EXPECT_EQ(getMessage({"d=1x2xf16=1", "d@3=2x2xf16=1"}),
            "argument 'd' has shape [1, 2] on rank 0 and [2, 2] on rank 3: "
            "shapes must be the same on all ranks");
}

TEST(Inputs, SeedsGoToTheNamedResults) {
  InputOptions options;
  options.missing = "ones";
  options.flag = "--seed";
  auto seed = [&](const std::vector<std::string> &texts) {
    return buildInputs(makeSignature(), ValueKind::Result, {0},
                       parseSpecs("--seed", texts), options);
  };
  Result<RankValues> ones = seed({});
  ASSERT_TRUE(bool(ones));
  ASSERT_EQ((*ones)[5].size(), 1u);
  EXPECT_THAT(getElements((*ones)[5][0]), ElementsAre(1, 1));
  Result<RankValues> given = seed({"0@4=3,4"});
  ASSERT_TRUE(bool(given));
  // The result is replicated over tp.
  EXPECT_THAT(getElements((*given)[3][0]), ElementsAre(3, 4));
  EXPECT_THAT(getElements((*given)[2][0]), ElementsAre(1, 1));
  EXPECT_EQ(seed({"grad.w=1"}).getFailure().message,
            "--seed=grad.w=1: result 'grad.w' takes no --seed");
}

} // namespace
