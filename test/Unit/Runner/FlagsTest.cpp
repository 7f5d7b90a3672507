//===- FlagsTest.cpp - The command lines of the tools ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Flags.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace mlir::comm::runner;

namespace {

/// One flag of each kind.
struct Line {
  std::string file, name;
  std::vector<std::string> inputs;
  bool grad = false;
  int64_t repeat = 1;
  uint64_t seed = 0;
  std::optional<double> tolerance;
  FlagTable table{"comm-test", "", ""};

  Line() {
    table.setFile("file", file);
    table.addText("name", "NAME", "", name);
    table.addTexts("input", "VALUE", "", inputs);
    table.addSwitch("grad", "", grad);
    table.addInteger("repeat", "N", "", repeat);
    table.addInteger("seed", "N", "", seed);
    table.addNumber("tolerance", "T", "", tolerance);
  }

  /// The failure's message, or "".
  std::string parse(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "comm-test");
    MaybeFailure failure = table.parse(arguments.size(), arguments.data());
    if (failure) {
      EXPECT_EQ(failure->code, ExitCode::Usage);
    }
    return failure ? failure->message : "";
  }
};

} // namespace

TEST(Flags, AreReadInEveryForm) {
  Line line;
  EXPECT_EQ(
      line.parse({"--name=f", "-input", "x=1", "--input=y=2", "f.mlir",
                  "--grad", "--repeat", "-3", "-seed=7", "--tolerance=1e-3"}),
      "");
  EXPECT_EQ(line.file, "f.mlir");
  EXPECT_EQ(line.name, "f");
  EXPECT_EQ(line.inputs, (std::vector<std::string>{"x=1", "y=2"}));
  EXPECT_TRUE(line.grad);
  EXPECT_EQ(line.repeat, -3);
  EXPECT_EQ(line.seed, 7u);
  EXPECT_EQ(line.tolerance, 1e-3);
  EXPECT_TRUE(line.table.wasGiven("input"));
}

TEST(Flags, EndAtTwoDashes) {
  Line line;
  EXPECT_EQ(line.parse({"--", "--grad"}), "");
  EXPECT_EQ(line.file, "--grad");
  EXPECT_FALSE(line.grad);
  EXPECT_EQ(Line().parse({"-"}), "");
}

TEST(Flags, SayWhatIsWrong) {
  EXPECT_EQ(Line().parse({}), "no file: comm-test [flags] <file>");
  EXPECT_EQ(Line().parse({"a", "b"}), "expected one file, got 'a' and 'b'");
  EXPECT_EQ(Line().parse({"a", "--grda"}),
            "unknown flag '--grda': did you mean '--grad'?");
  EXPECT_EQ(Line().parse({"a", "--nothing=1"}),
            "unknown flag '--nothing': comm-test --help");
  EXPECT_EQ(Line().parse({"a", "--grad=1"}), "--grad takes no value");
  EXPECT_EQ(Line().parse({"a", "--name"}), "--name expects a value");
  EXPECT_EQ(Line().parse({"a", "--name="}), "--name expects a value");
  EXPECT_EQ(Line().parse({"a", "--name=b", "--name=c"}),
            "--name is given twice");
  EXPECT_EQ(Line().parse({"a", "--repeat=1x"}),
            "--repeat expects an integer, got '1x'");
  EXPECT_EQ(Line().parse({"a", "--seed=-1"}),
            "--seed expects an integer of at least 0, got '-1'");
  EXPECT_EQ(Line().parse({"a", "--tolerance="}),
            "--tolerance expects a number, got ''");
}

TEST(Flags, AreReadFromTheEnvironmentToo) {
  setenv("COMM_TEST_OPTIONS", "--grad --name='a b' --input=\\\"1", 1);
  Line line;
  std::string message = line.parse({"f", "--input=2"});
  unsetenv("COMM_TEST_OPTIONS");
  EXPECT_EQ(message, "");
  EXPECT_TRUE(line.grad);
  EXPECT_EQ(line.name, "a b");
  EXPECT_EQ(line.inputs, (std::vector<std::string>{"\"1", "2"}));
}

TEST(Flags, SplitWordsAsAShellDoes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(splitWords("  a\tb\n"), (Words{"a", "b"}));
  EXPECT_EQ(splitWords("'a \\'b\"c\\\"d\" ''"), (Words{"a \\bc\"d", ""}));
  EXPECT_EQ(splitWords(""), Words());
}
