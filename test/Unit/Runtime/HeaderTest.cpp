//===- HeaderTest.cpp - The C header and the table of functions -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/CommRuntime.h"

#include "gtest/gtest.h"

extern "C" int32_t commHeaderIsValidC(void);

namespace {
/// Which word of the table a parameter is: what other users of it do, in small.
enum Word {
  Context,
  Communicator,
  Send,
  Recv,
  Site,
  Int64s,
  Memory,
  Kernel,
  Arguments,
  I64,
  I32,
  Bool,
  DataType,
  Reduction,
  Status
};

struct Function {
  const char *name;
  Word result;
  std::vector<Word> parameters;
};
} // namespace

TEST(Header, IsValidC) { EXPECT_TRUE(commHeaderIsValidC()); }

TEST(Header, TableExpands) {
#define WORD(Word) Word
  const std::vector<Function> functions = {
#define COMM_RUNTIME_FUNCTION(Name, Result, ...)                               \
  {#Name, WORD(Result), {COMM_ABI_MAP(WORD, __VA_ARGS__)}},
#include "comm/Runtime/RuntimeFunctions.def"
  };
  auto find = [&](const std::string &name) {
    for (const Function &function : functions)
      if (function.name == name)
        return function.parameters;
    ADD_FAILURE() << "no " << name;
    return std::vector<Word>();
  };
  EXPECT_EQ(find("commStatus"), std::vector<Word>{Context});
  EXPECT_EQ(find("commBroadcast"),
            (std::vector<Word>{Context, Communicator, Send, Recv, I64, DataType,
                               I64, Site}));
  EXPECT_EQ(find("commGemm").size(), 19u);
  for (const Function &function : functions)
    EXPECT_EQ(function.parameters[0], Context) << function.name;
}
