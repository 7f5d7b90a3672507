//===- PtxErrorTests.cpp - What the PTX interpreter refuses ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

using namespace ptx;
using namespace ptx::testing;

namespace {

#define EXPECT_ERROR(error, text)                                              \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, error)

/// Of a run of one thread, p0 being 16 numbers.
std::string getError(const std::string &body, const std::string &before = "") {
  Runner runner(makeKernel(body, before));
  std::vector<uint32_t> numbers(16);
  return runner.tryRun("k", 1, 1, numbers, 0, 0);
}

std::string getSyntaxError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(Module::parse(text, error));
  return error;
}

TEST(PtxErrors, Syntax) {
  EXPECT_EQ(getSyntaxError(".version 8.0\n.bogus"),
            "line 2: expected a directive of a module, got '.bogus'");
  EXPECT_EQ(getSyntaxError(makeKernel("add.s32 %r1, %r2, %r3\n")),
            "line 13: expected ';', got 'ret'");
  EXPECT_EQ(getSyntaxError(makeKernel("mov.b32 %r1, 12x;")),
            "line 11: expected a number, got '12x'");
  EXPECT_ERROR(getSyntaxError(".entry k() { ret;"), "got the end of the text");
  EXPECT_ERROR(getSyntaxError(makeKernel("a: ret;\na: ret;")),
               "line 12: expected no second label 'a'");
  EXPECT_ERROR(getSyntaxError(makeKernel(".reg .b7 %x;")),
               "line 11: unknown type '.b7'");
}

TEST(PtxErrors, UnknownInstructions) {
  EXPECT_EQ(getError("\nfrobnicate.b32 %r1, %r2;"),
            "kernel 'k': line 12: 'frobnicate.b32': unknown instruction");
  EXPECT_EQ(getError("add.wild.s32 %r1, %r2, %r3;"),
            "kernel 'k': line 11: 'add.wild.s32': unknown modifier '.wild'");
  EXPECT_ERROR(getError("add.sat.u32 %r1, %r2, %r3;"), "expected .s32");
  EXPECT_ERROR(getError("add.s32 %r1, %r2;"), "number of operands");
  EXPECT_ERROR(getError("add.s64 %r1, %r2, %r3;"),
               "expected a register of 64 bits, got 32");
  EXPECT_ERROR(getError("mov.u64 %rd1, %clock64;"), "unknown name '%clock64'");
  EXPECT_ERROR(getError("bra $nowhere;"), "unknown label '$nowhere'");
  EXPECT_ERROR(getError("ld.b32 %r1, [nothing];"), "expected a variable");
  EXPECT_ERROR(getError("cvt.s32.f32 %r1, %r2;"), "rounding to integers");
  EXPECT_ERROR(getError("fma.rn.s32 %r1, %r2, %r3, %r4;"), "float type");
}

/// Not reached, but what it would do is not known.
TEST(PtxErrors, UnknownInstructionsOfCallees) {
  EXPECT_ERROR(getError("setp.eq.s32 %p1, 0, 1; @%p1 call f;",
                        ".func f() { wild; ret; }"),
               "'wild': unknown instruction");
  EXPECT_ERROR(getError("call f;", ".extern .func f();"),
               "function 'f' is declared only");
  EXPECT_ERROR(
      getError("ld.shared.b32 %r1, [s];", ".extern .shared .align 4 .b8 s[];"),
      "'s' is declared only");
}

/// A kernel that nobody runs may be of another kind.
TEST(PtxErrors, OtherKernelsRun) {
  Runner runner(makeKernel("") + ".entry bad() { wild; ret; }");
  EXPECT_EQ(runner.tryRun("k", 1, 1, 0, 0, 0), "");
  EXPECT_EQ(runner.getModule().getProblems(),
            std::vector<std::string>{"line 14: 'wild': unknown instruction"});
}

TEST(PtxErrors, Launches) {
  Runner runner(makeKernel("") + ".entry r()\n.reqntid 64, 2, 1\n{ ret; }\n"
                                 ".entry m()\n.maxntid 96\n{ ret; }\n"
                                 ".shared .b8 s[50000];\n"
                                 ".entry s1() { st.shared.b8 [s], 0; ret; }\n");
  EXPECT_EQ(runner.tryRun("k", 1, 1025, 0, 0, 0),
            "kernel 'k': expected at most 1024 threads in a block, got 1025");
  EXPECT_EQ(runner.tryRun("r", 1, 64),
            "kernel 'r': expected 128 threads in a block, got 64");
  EXPECT_EQ(runner.tryRun("r", 1, 128), "");
  EXPECT_ERROR(runner.tryRun("m", 1, 97), "expected at most 96 threads");
  EXPECT_ERROR(runner.tryRun("k", 1, 0, 0, 0, 0),
               "expected blocks and threads");
  EXPECT_ERROR(runner.tryRun("s1", 1, 1),
               "49152 bytes of static shared memory");
}

TEST(PtxErrors, Memory) {
  EXPECT_EQ(getError("ld.param.b64 %rd1, [p0];\nld.global.b32 %r1, [%rd1+64];"),
            "kernel 'k', block 0, thread 0, line 12: no allocation is at the "
            "address");
  EXPECT_ERROR(getError("ld.param.b64 %rd1, [p0];\n"
                        "st.global.b64 [%rd1+4], %rd1;"),
               "is not a multiple of 8");
  EXPECT_ERROR(getError("ld.param.b64 %rd1, [p2+8];"), "parameter address");
  EXPECT_ERROR(getError("st.param.b64 [p1], %rd1;"), "parameter address");
  EXPECT_ERROR(
      getError("ld.const.b32 %r1, [c+16];", ".const .align 4 .b32 c[2];"),
      "constant address");
  EXPECT_ERROR(getError("mov.u64 %rd1, c; st.global.b32 [%rd1], 1;",
                        ".const .align 4 .b32 c[2];"),
               "store to constant memory");
  EXPECT_ERROR(
      getError(".local .align 8 .b8 d[16]; ld.local.b64 %rd1, [d+16];"),
      "local address");
}

TEST(PtxErrors, Execution) {
  EXPECT_ERROR(getError("mov.b32 %r2, 0; div.s32 %r1, %r3, %r2;"),
               "integer division by zero");
  EXPECT_ERROR(getError("trap;"), "line 11: the kernel trapped");
  EXPECT_ERROR(getError("$t: .branchtargets $a; mov.b32 %r1, 1;"
                        "brx.idx %r1, $t; $a:"),
               "branch to target 1 of 1");
  EXPECT_ERROR(getError("call f;", ".func f() { call f; ret; }"),
               "64 calls within each other");
}

TEST(PtxErrors, LoopsWithoutEnd) {
  EXPECT_ERROR(getError("$loop: bra $loop;"), "the loop seems to have no end");
}

TEST(PtxErrors, ArgumentsOfCalls) {
  EXPECT_ERROR(getError("{ .param .b64 x; call f, (x); }",
                        ".func f(.param .b32 a) { ret; }"),
               "argument 'x' of another size");
  EXPECT_ERROR(getError("call f;", ".func f(.param .b32 a) { ret; }"),
               "expected 1 arguments");
}

} // namespace
