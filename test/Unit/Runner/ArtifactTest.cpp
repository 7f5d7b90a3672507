//===- ArtifactTest.cpp - What artifacts say of themselves ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Artifact.h"
#include "comm/Runner/Processor.h"
#include "gtest/gtest.h"

using namespace mlir::comm;
using namespace mlir::comm::runner;

static const char *const example = R"(comm-artifact 1
abi 5
target nccl
compiler "a \"b\" \\ c"
processor "zen" avx fma
axis "dp" 2
axis "tp" 4
function "layer"
argument "x" f32 [ 4 ? ] over 1
argument "" i1
argument "two\nlines" bf16 [ ]
result "y" f64 [ 0 ] over 0 1
function "layer_vjp" of "layer"
argument "x" f32 [ 4 ? ] over 1
result "x" f32 [ 4 ? ] over 1 gradient 0
)";

static ArtifactDescription parse(const std::string &text) {
  Result<ArtifactDescription> description = parseDescription(text);
  EXPECT_TRUE(bool(description)) << description.getFailure().message;
  return description ? *description : ArtifactDescription();
}

static std::string getMistake(std::string text, const std::string &from,
                              const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
  Result<ArtifactDescription> description = parseDescription(text);
  return description ? "" : description.getFailure().message;
}

TEST(Artifact, DescriptionIsReadBack) {
  ArtifactDescription description = parse(example);
  EXPECT_EQ(formatDescription(description), example);
  EXPECT_EQ(description.abiVersion, 5);
  EXPECT_EQ(description.target, runner::Target::Nccl);
  EXPECT_EQ(description.compiler, "a \"b\" \\ c");
  EXPECT_EQ(description.features, (std::vector<std::string>{"avx", "fma"}));
  ASSERT_EQ(description.functions.size(), 2u);
  const FunctionSignature &layer = description.functions[0].signature;
  EXPECT_EQ(layer.mesh[1].name, "tp");
  EXPECT_EQ(layer.mesh[1].size, 4);
  ASSERT_EQ(layer.arguments.size(), 3u);
  EXPECT_EQ(layer.arguments[0].shape, (Shape{4, kDynamic}));
  EXPECT_FALSE(layer.arguments[0].isScalar);
  EXPECT_EQ(layer.arguments[0].replicatedAxes, std::vector<int64_t>{1});
  EXPECT_TRUE(layer.arguments[1].isScalar);
  EXPECT_EQ(layer.arguments[1].type, COMM_I1);
  EXPECT_FALSE(layer.arguments[2].isScalar);
  EXPECT_EQ(layer.arguments[2].name, "two\nlines");
  EXPECT_EQ(layer.results[0].shape, Shape{0});
  EXPECT_EQ(description.functions[1].vjpOf, "layer");
  EXPECT_EQ(description.functions[1].signature.results[0].gradientOf, 0u);
}

TEST(Artifact, DamageIsToldWithItsLine) {
  EXPECT_EQ(getMistake(example, "comm-artifact 1", "comm-artifact 2"),
            "its description has version 2, expected 1: compile it again");
  EXPECT_EQ(getMistake(example, "comm-artifact 1", "ELF"),
            "line 1 of its description is damaged: 'ELF'");
  EXPECT_EQ(getMistake(example, "nccl", "tpu"),
            "line 3 of its description is damaged: 'target tpu'");
  for (auto [from, to] :
       {std::pair("f32", "f33"), std::pair("over 1", "over 2"),
        std::pair("over 1", "over"), std::pair("4 ?", "-4 ?"),
        std::pair("? ]", "?"), std::pair("\"x\"", "\"x"),
        std::pair("axis \"tp\" 4", "axis \"tp\" 0"),
        std::pair("gradient 0", "gradient 1"),
        std::pair("argument \"\" i1", "argument \"\" i1 i1")})
    EXPECT_NE(getMistake(example, from, to).find("is damaged"),
              std::string::npos)
        << from << " -> " << to;
  EXPECT_EQ(getMistake("comm-artifact 1\n", "", ""),
            "its description has no function");
}

TEST(Artifact, IsShownToPeople) {
  ArtifactDescription description = parse(example);
  EXPECT_EQ(formatFunction(description.functions[0].signature),
            "@layer(x: 4x?xf32 replicated over tp, 1: i1, two\nlines: bf16) "
            "-> (y: 0xf64 replicated over dp, tp)");
  EXPECT_EQ(formatFunction(description.functions[1].signature),
            "@layer_vjp(x: 4x?xf32 replicated over tp) -> (grad.x: 4x?xf32 "
            "replicated over tp)");
}

TEST(Artifact, OtherFilesAreRefused) {
  Result<Artifact> missing = Artifact::load("/nowhere/f.so");
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(missing.getFailure().message,
            "cannot open '/nowhere/f.so': No such file or directory");
}

TEST(Processor, LacksWhatItDoesNotKnow) {
  EXPECT_EQ(getMissingFeatures({"no-such-feature"}),
            std::vector<std::string>{"no-such-feature"});
#ifdef __x86_64__
  // Of every processor that this code runs on.
  EXPECT_FALSE(getKnownFeatures().empty());
#endif
}
