//===- LiteralsTest.cpp - Tests of nested lists of numbers ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Literals.h"
#include "RunnerTesting.h"

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::HasSubstr;

namespace {

/// "[2, 2]: 1 2 3 4" for "[[1,2],[3,4]]"; or the failure.
std::string parse(std::string_view text) {
  Result<LiteralList> list = parseLiterals(text);
  if (!list)
    return list.getFailure().message;
  std::string result = list->isNested ? formatIndex(list->shape) : "flat";
  result += ":";
  for (std::string_view element : list->elements)
    result += " " + std::string(element);
  return result;
}

TEST(Literals, ReadsListsAndBrackets) {
  EXPECT_EQ(parse("1"), "flat: 1");
  EXPECT_EQ(parse(" 1, -2 ,nan"), "flat: 1 -2 nan");
  EXPECT_EQ(parse("[1]"), "[1]: 1");
  EXPECT_EQ(parse("[[1,2] , [3,4],[5,6]]"), "[3, 2]: 1 2 3 4 5 6");
  EXPECT_EQ(parse("[[[1],[2]]]"), "[1, 2, 1]: 1 2");
  EXPECT_EQ(parse("[]"), "[0]:");
  EXPECT_EQ(parse("[[],[]]"), "[2, 0]:");
}

TEST(Literals, RefusesUnevenLists) {
  for (const char *text :
       {"[[1,2],[3]]", "[[1],[2,3]]", "[1,[2]]", "[[1],2]", "[[],[1]]",
        "[[],1]", "[[[1]],[2]]", "[[],[[]]]", "[[[]],[]]"})
    EXPECT_THAT(parse(text), HasSubstr("uneven lists before")) << text;
}

TEST(Literals, RefusesStrayCharacters) {
  EXPECT_EQ(parse(""), "expected a value");
  EXPECT_EQ(parse("1,"), "expected a literal after the last ','");
  EXPECT_EQ(
      parse(",1"),
      "unexpected ',' at character 1 of the literals: expected a literal");
  EXPECT_EQ(parse("1 2"), "unexpected '2' at character 3 of the literals: "
                          "expected ',' or the end");
  EXPECT_THAT(parse("[1,]"), HasSubstr("unexpected ']' at character 4"));
  EXPECT_THAT(parse("[1]]"), HasSubstr("unexpected ']' at character 4"));
  EXPECT_THAT(parse("[1],2"), HasSubstr("unexpected ',' at character 4"));
  EXPECT_THAT(parse("[1][2]"), HasSubstr("unexpected '[' at character 4"));
  EXPECT_THAT(parse("1,[2]"), HasSubstr("unexpected '[' at character 3"));
  EXPECT_EQ(parse("[[1]"), "missing ']' at the end of the literals");
  EXPECT_EQ(parse(std::string(100000, '[')),
            "missing ']' at the end of the literals");
}

/// The elements, or the failure.
std::string convert(std::string_view text, Shape shape) {
  Result<LiteralList> list = parseLiterals(text);
  Result<HostTensor> tensor = convertLiterals(*list, COMM_F32, shape);
  if (!tensor)
    return tensor.getFailure().message;
  std::string result;
  for (double element : getElements(*tensor))
    result += std::to_string(static_cast<int>(element)) + " ";
  return result;
}

TEST(Literals, FillAShape) {
  EXPECT_EQ(convert("7", {}), "7 ");
  EXPECT_EQ(convert("7", {2, 2}), "7 7 7 7 ");
  EXPECT_EQ(convert("7", {0}), "");
  EXPECT_EQ(convert("1,2,3,4", {2, 2}), "1 2 3 4 ");
  EXPECT_EQ(convert("[[1,2],[3,4]]", {2, 2}), "1 2 3 4 ");
  EXPECT_EQ(convert("[[1,2],[3,4]]", {4}),
            "the literals have shape [2, 2], expected [4]");
  EXPECT_EQ(convert("[7]", {2}), "the literals have shape [1], expected [2]");
  EXPECT_EQ(convert("1,2,3", {2, 2}), "3 literals, expected 4 for 2x2xf32");
}

} // namespace
