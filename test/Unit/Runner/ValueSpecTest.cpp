//===- ValueSpecTest.cpp - Tests of the grammar of value flags ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/ValueSpec.h"
#include "RunnerTesting.h"
#include "comm/Runner/Npy.h"

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// "name/rank/type/value" of a flag, or the failure.
std::string split(const std::string &text) {
  Result<ValueSpec> spec = parseValueSpec("--input", text);
  if (!spec)
    return spec.getFailure().message;
  EXPECT_EQ(spec->flag, "--input=" + text);
  return spec->name + "/" + (spec->rank ? std::to_string(*spec->rank) : "") +
         "/" +
         (spec->type ? formatType(spec->type->type, spec->type->shape) : "") +
         "/" + spec->value;
}

TEST(ValueSpec, SplitsAFlag) {
  EXPECT_EQ(split("x=1,2"), "x///1,2");
  EXPECT_EQ(split("%x@3=rand"), "%x/3//rand");
  EXPECT_EQ(split("0=4x2xf32=iota"), "0//4x2xf32/iota");
  EXPECT_EQ(split("n@1=index=5"), "n/1/i64/5");
  EXPECT_EQ(split("grad.x=0x2xbf16=1"), "grad.x//0x2xbf16/1");
  EXPECT_EQ(split("x=@a=b.npy"), "x///@a=b.npy");
  EXPECT_EQ(split("x=2xf32=@a=b@c.npy"), "x//2xf32/@a=b@c.npy");
  EXPECT_EQ(split("x="), "x///");
}

TEST(ValueSpec, RefusesOtherFlags) {
  EXPECT_EQ(split("x"),
            "--input=x: expected --input=NAME[@RANK]=[SHAPExTYPE=]VALUE");
  EXPECT_THAT(split("=1"), HasSubstr("expected --input=NAME"));
  EXPECT_THAT(split("@1=1"), HasSubstr("expected --input=NAME"));
  EXPECT_EQ(split("x@a=1"),
            "--input=x@a=1: expected a rank after '@', got 'a'");
  EXPECT_THAT(split("x@-1=1"), HasSubstr("expected a rank after '@'"));
  EXPECT_THAT(split("x@=1"), HasSubstr("expected a rank after '@', got ''"));
  EXPECT_EQ(split("x=4x2=1"), "--input=x=4x2=1: expected a type such as "
                              "4x2xf32 before the second '=', got '4x2'");
  for (const char *type : {"", "f31", "4f32", "?xf32", "-1xf32", "4xxf32",
                           "tensor<4xf32>", "99999999999999999999xf32"})
    EXPECT_THAT(split("x=" + std::string(type) + "=1"),
                HasSubstr("expected a type such as"))
        << type;
}

/// The failure of a flag for a value of this type, or its elements.
std::string evaluate(const std::string &text, CommDataType type, Shape shape,
                     int64_t rank = 0) {
  ValueInfo info;
  info.type = type;
  info.shape = std::move(shape);
  Result<ValueSpec> spec = parseValueSpec("--input", "x=" + text);
  Result<HostTensor> tensor =
      evaluateValueSpec(*spec, {info, "argument 'x'", rank, 1});
  if (!tensor) {
    EXPECT_EQ(tensor.getFailure().code, ExitCode::Usage);
    return tensor.getFailure().message;
  }
  EXPECT_TRUE(info.acceptsShape(tensor->getShape()));
  std::string elements = tensor->formatType() + ":";
  for (int64_t i = 0; i < tensor->getElementCount(); ++i)
    elements += " " + formatElement(type, tensor->getElement(i));
  return elements;
}

TEST(ValueSpec, FillsByWords) {
  EXPECT_EQ(evaluate("iota", COMM_F32, {2, 2}), "2x2xf32: 0 1 2 3");
  EXPECT_EQ(evaluate("ones", COMM_BF16, {2}), "2xbf16: 1 1");
  EXPECT_EQ(evaluate("zeros", COMM_I8, {}), "i8: 0");
  EXPECT_EQ(evaluate("rank", COMM_F64, {2}, 3), "2xf64: 3 3");
  EXPECT_EQ(evaluate("ones", COMM_I1, {1}), "1xi1: true");
}

TEST(ValueSpec, TakesLiterals) {
  EXPECT_EQ(evaluate("1,2,3,4", COMM_F32, {2, 2}), "2x2xf32: 1 2 3 4");
  EXPECT_EQ(evaluate("[[1,2],[3,4]]", COMM_I32, {2, 2}), "2x2xi32: 1 2 3 4");
  EXPECT_EQ(evaluate("2.5", COMM_F16, {3}), "3xf16: 2.5 2.5 2.5");
  EXPECT_EQ(evaluate("2xi1=true,false", COMM_I1, {2}), "2xi1: true false");
  EXPECT_EQ(evaluate("-7", COMM_I64, {}), "i64: -7");
}

TEST(ValueSpec, DynamicSizesComeFromTheFlag) {
  Shape dynamic = {kDynamic, 2};
  EXPECT_EQ(evaluate("3x2xf32=iota", COMM_F32, dynamic),
            "3x2xf32: 0 1 2 3 4 5");
  EXPECT_EQ(evaluate("[[1,2]]", COMM_F32, dynamic), "1x2xf32: 1 2");
  EXPECT_EQ(evaluate("1,2,3,4", COMM_F32, dynamic), "2x2xf32: 1 2 3 4");
  EXPECT_EQ(evaluate("0x2xf32=1", COMM_F32, dynamic), "0x2xf32:");
  EXPECT_EQ(evaluate("1,2", COMM_F32, {kDynamic}), "2xf32: 1 2");
  EXPECT_EQ(evaluate("2x1xf32=1,2", COMM_F32, {kDynamic, kDynamic}),
            "2x1xf32: 1 2");
}

TEST(ValueSpec, RefusesUnknownSizes) {
  EXPECT_EQ(evaluate("rand", COMM_F32, {kDynamic, 2}),
            "--input=x=rand: argument 'x' is ?x2xf32 and 'rand' has no size: "
            "write the shape, such as '4x2xf32=rand'");
  EXPECT_THAT(evaluate("5", COMM_F32, {kDynamic}),
              HasSubstr("'5' has no size: write the shape, such as '4xf32=5'"));
  EXPECT_THAT(evaluate("1,2", COMM_F32, {kDynamic, kDynamic}),
              HasSubstr("has no size"));
  EXPECT_EQ(evaluate("1,2,3", COMM_F32, {kDynamic, 2}),
            "--input=x=1,2,3: 3 literals, and argument 'x' is ?x2xf32");
  EXPECT_EQ(evaluate("[1,2]", COMM_F32, {kDynamic, 2}),
            "--input=x=[1,2]: the literals have shape [2], and argument 'x' is "
            "?x2xf32");
}

TEST(ValueSpec, RefusesOtherTypesAndShapes) {
  EXPECT_EQ(evaluate("2xf64=1", COMM_F32, {2}),
            "--input=x=2xf64=1: the flag's type is 2xf64, and argument 'x' is "
            "2xf32");
  EXPECT_THAT(evaluate("3xf32=1", COMM_F32, {2}), HasSubstr("is 3xf32, and"));
  EXPECT_THAT(evaluate("3x3xf32=1", COMM_F32, {kDynamic, 2}),
              HasSubstr("is 3x3xf32, and"));
  EXPECT_THAT(evaluate("1,2,3", COMM_F32, {2}),
              HasSubstr("3 literals, expected 2 for 2xf32"));
  EXPECT_THAT(evaluate("1.5", COMM_I32, {}), HasSubstr("expected an integer"));
  EXPECT_THAT(evaluate("", COMM_F32, {2}), HasSubstr("expected a value"));
  EXPECT_EQ(evaluate("random", COMM_F32, {2}),
            "--input=x=random: 'random' is not a value of type f32: expected a "
            "number, rand, iota, ones, zeros, rank or @FILE.npy");
  EXPECT_THAT(evaluate("4611686018427387904x4xf32=1", COMM_F32, {kDynamic, 4}),
              HasSubstr("does not fit in memory"));
}

TEST(ValueSpec, ReadsFiles) {
  std::string path = testing::TempDir() + "comm-value-{rank}.npy";
  for (int64_t rank : {0, 1})
    ASSERT_FALSE(writeNpy(expandRank(path, rank),
                          makeTensor(COMM_F32, {2}, {1.0 + rank, 5})));
  EXPECT_EQ(evaluate("@" + path, COMM_F32, {2}, 1), "2xf32: 2 5");
  EXPECT_EQ(evaluate("@" + path, COMM_F32, {kDynamic}, 0), "2xf32: 1 5");
  EXPECT_EQ(evaluate("@" + path, COMM_BF16, {2}, 1), "2xbf16: 2 5");
  EXPECT_EQ(evaluate("2xf32=@" + path, COMM_F32, {2}, 1), "2xf32: 2 5");
  std::string file = expandRank(path, 1);
  EXPECT_EQ(evaluate("@" + file, COMM_F64, {2}),
            "--input=x=@" + file + ": '" + file +
                "' holds 2xf32, and argument 'x' is 2xf64");
  EXPECT_THAT(evaluate("@" + file, COMM_F32, {3}), HasSubstr("holds 2xf32"));
  EXPECT_THAT(evaluate("3xf32=@" + file, COMM_F32, {kDynamic}),
              HasSubstr("holds 2xf32"));
  EXPECT_THAT(evaluate("@/nonexistent.npy", COMM_F32, {3}),
              HasSubstr("cannot read '/nonexistent.npy'"));
}

TEST(ValueSpec, RandomValuesDependOnSeedPlaceAndRank) {
  std::vector<std::vector<double>> seen;
  for (uint64_t seed : {0, 1})
    for (unsigned position : {0, 1})
      for (int64_t rank : {0, 1, 2}) {
        HostTensor tensor(COMM_F64, {8});
        fillRandom(tensor, getRandomStream(seed, position, rank));
        std::vector<double> elements = getElements(tensor);
        EXPECT_THAT(elements, testing::Each(testing::AllOf(testing::Ge(-1),
                                                           testing::Lt(1))));
        for (const std::vector<double> &other : seen)
          for (size_t i = 0; i < elements.size(); ++i)
            EXPECT_NE(elements[i], other[i]);
        for (size_t i = 1; i < elements.size(); ++i)
          EXPECT_NE(elements[i], elements[0]);
        seen.push_back(elements);
      }
  HostTensor again(COMM_F64, {8});
  fillRandom(again, getRandomStream(0, 0, 0));
  EXPECT_EQ(getElements(again), seen[0]);
}

TEST(ValueSpec, RandomIntegersAreSmall) {
  HostTensor integers(COMM_I32, {1000});
  fillRandom(integers, 7);
  EXPECT_THAT(getElements(integers),
              testing::Each(testing::AllOf(testing::Ge(-8), testing::Le(7))));
  EXPECT_THAT(getElements(integers), testing::Contains(-8));
  EXPECT_THAT(getElements(integers), testing::Contains(7));
}

TEST(OutputSpec, SplitsAFlag) {
  Result<OutputSpec> spec = parseOutputSpec("--output", "grad.x@2=@a=b.npy");
  ASSERT_TRUE(bool(spec));
  EXPECT_EQ(spec->name, "grad.x");
  EXPECT_EQ(spec->rank, 2);
  EXPECT_EQ(spec->path, "a=b.npy");
  for (const char *text : {"x=a.npy", "x=@", "x="})
    EXPECT_THAT(parseOutputSpec("--output", text).getFailure().message,
                HasSubstr("expected '@' and the name of a file"));
  EXPECT_EQ(parseOutputSpec("--output", "x").getFailure().message,
            "--output=x: expected --output=NAME[@RANK]=@FILE.npy");
}

} // namespace
