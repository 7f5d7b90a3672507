//===- PtxInstructionTests.cpp - Instructions of PTX one by one -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

using namespace ptx;
using namespace ptx::testing;

namespace {

/// Loads %rd1, %rd2 and %rd3 from the elements of p0, runs the instructions and
/// stores %rd4.
uint64_t compute(const std::string &instructions, uint64_t a, uint64_t b = 0,
                 uint64_t c = 0) {
  std::vector<uint64_t> operands = {a, b, c}, results(1);
  Runner runner(makeKernel(R"(
    ld.param.b64 %rd10, [p0];
    ld.param.b64 %rd11, [p1];
    ld.global.b64 %rd1, [%rd10];
    ld.global.b64 %rd2, [%rd10+8];
    ld.global.b64 %rd3, [%rd10+16];
    cvt.u32.u64 %r1, %rd1; cvt.u32.u64 %r2, %rd2; cvt.u32.u64 %r3, %rd3;
    cvt.u16.u64 %rs1, %rd1; cvt.u16.u64 %rs2, %rd2; cvt.u16.u64 %rs3, %rd3;
    mov.b64 %rd4, 0; mov.b32 %r4, 0; mov.b16 %rs4, 0;
    )" + instructions + R"(
    st.global.b64 [%rd11], %rd4;)"));
  runner.run("k", 1, 1, operands, results, 0);
  return results[0];
}

/// The same, of which the result is in %r4.
uint64_t compute32(const std::string &instructions, uint64_t a, uint64_t b = 0,
                   uint64_t c = 0) {
  return compute(instructions + "\ncvt.u64.u32 %rd4, %r4;", a, b, c);
}

/// And in %rs4.
uint64_t compute16(const std::string &instructions, uint64_t a, uint64_t b = 0,
                   uint64_t c = 0) {
  return compute(instructions + "\ncvt.u64.u16 %rd4, %rs4;", a, b, c);
}

constexpr uint64_t kMinus1 = ~uint64_t(0);

TEST(PtxInstructions, Sums) {
  EXPECT_EQ(compute32("add.s32 %r4, %r1, %r2;", 0xffffffff, 2), 1);
  EXPECT_EQ(compute("add.s64 %rd4, %rd1, %rd2;", kMinus1, 2), 1);
  EXPECT_EQ(compute16("add.s16 %rs4, %rs1, %rs2;", 0xffff, 2), 1);
  EXPECT_EQ(compute16("sub.s16 %rs4, %rs1, %rs2;", 0, 1), 0xffff);
  EXPECT_EQ(compute32("add.sat.s32 %r4, %r1, %r2;", 0x7fffffff, 2), 0x7fffffff);
  EXPECT_EQ(compute32("sub.sat.s32 %r4, %r1, %r2;", 0x80000000, 2), 0x80000000);
  EXPECT_EQ(compute32("add.u16x2 %r4, %r1, %r2;", 0xffff0001, 0x0001ffff), 0);
  EXPECT_EQ(compute32("add.s32 %r4, %r1, -1;", 0), 0xffffffff);
}

TEST(PtxInstructions, Carries) {
  const char *sum = "add.cc.u32 %r4, %r1, %r2; addc.u32 %r4, %r3, 0;";
  EXPECT_EQ(compute32(sum, 0xffffffff, 1, 7), 8);
  EXPECT_EQ(compute32(sum, 0xffffffff, 0, 7), 7);
  const char *difference = "sub.cc.u32 %r4, %r1, %r2; subc.u32 %r4, %r3, 0;";
  EXPECT_EQ(compute32(difference, 0, 1, 7), 6);
  EXPECT_EQ(compute32(difference, 1, 1, 7), 7);
  const char *product = "mad.lo.cc.u32 %r4, %r1, %r2, %r3; "
                        "madc.hi.u32 %r4, %r1, %r2, 0;";
  EXPECT_EQ(compute32(product, 0xffffffff, 2, 2), 2);
  EXPECT_EQ(compute32(product, 0xffffffff, 2, 1), 1);
}

TEST(PtxInstructions, Products) {
  EXPECT_EQ(compute32("mul.lo.s32 %r4, %r1, %r2;", 0x10001, 0x10001), 0x20001);
  EXPECT_EQ(compute32("mul.hi.s32 %r4, %r1, %r2;", 0xffffffff, 1), 0xffffffff);
  EXPECT_EQ(compute32("mul.hi.u32 %r4, %r1, %r2;", 0xffffffff, 2), 1);
  EXPECT_EQ(compute("mul.hi.u64 %rd4, %rd1, %rd2;", kMinus1, kMinus1),
            kMinus1 - 1);
  EXPECT_EQ(compute("mul.hi.s64 %rd4, %rd1, %rd2;", kMinus1, 5), kMinus1);
  EXPECT_EQ(compute("mul.wide.s32 %rd4, %r1, %r2;", 0xffffffff, 3), -3);
  EXPECT_EQ(compute("mul.wide.u32 %rd4, %r1, %r2;", 0xffffffff, 3),
            0x2fffffffd);
  EXPECT_EQ(compute32("mul.wide.s16 %r4, %rs1, %rs2;", 0xffff, 3), 0xfffffffd);
  EXPECT_EQ(compute16("mul.lo.s16 %rs4, %rs1, %rs2;", 0xffff, 0xffff), 1);
  EXPECT_EQ(compute16("mul.hi.u16 %rs4, %rs1, %rs2;", 0xffff, 0xffff), 0xfffe);
  EXPECT_EQ(compute("mad.wide.s32 %rd4, %r1, %r2, %rd3;", 0xffffffff, 3, 10),
            7);
  EXPECT_EQ(compute("mad.lo.s64 %rd4, %rd1, %rd2, %rd3;", 5, 6, 7), 37);
  EXPECT_EQ(compute32("mad.hi.u32 %r4, %r1, %r2, %r3;", 0xffffffff, 2, 7), 8);
  EXPECT_EQ(compute32("mul24.lo.s32 %r4, %r1, %r2;", 0xffffff, 3), 0xfffffffd);
  EXPECT_EQ(compute32("mul24.lo.u32 %r4, %r1, %r2;", 0x1000003, 3), 9);
}

TEST(PtxInstructions, Quotients) {
  EXPECT_EQ(compute32("div.s32 %r4, %r1, %r2;", 0xfffffff9, 2), 0xfffffffd);
  EXPECT_EQ(compute32("rem.s32 %r4, %r1, %r2;", 0xfffffff9, 2), 0xffffffff);
  EXPECT_EQ(compute32("div.u32 %r4, %r1, %r2;", 0xfffffff9, 2), 0x7ffffffc);
  EXPECT_EQ(compute32("div.s32 %r4, %r1, %r2;", 0x80000000, 0xffffffff),
            0x80000000);
  EXPECT_EQ(compute("rem.s64 %rd4, %rd1, %rd2;", uint64_t(1) << 63, kMinus1),
            0);
  EXPECT_EQ(compute16("div.s16 %rs4, %rs1, %rs2;", 0x8000, 0xffff), 0x8000);
}

TEST(PtxInstructions, SignsAndExtrema) {
  EXPECT_EQ(compute32("abs.s32 %r4, %r1;", 0xffffffff), 1);
  EXPECT_EQ(compute32("abs.s32 %r4, %r1;", 0x80000000), 0x80000000);
  EXPECT_EQ(compute("neg.s64 %rd4, %rd1;", 5), -5);
  EXPECT_EQ(compute32("min.s32 %r4, %r1, %r2;", 0xffffffff, 1), 0xffffffff);
  EXPECT_EQ(compute32("min.u32 %r4, %r1, %r2;", 0xffffffff, 1), 1);
  EXPECT_EQ(compute32("max.s16x2 %r4, %r1, %r2;", 0xffff0002, 0x00010001),
            0x00010002);
  EXPECT_EQ(compute32("sad.u32 %r4, %r1, %r2, %r3;", 3, 5, 10), 12);
  EXPECT_EQ(compute32("sad.s32 %r4, %r1, %r2, %r3;", 5, 0xffffffff, 10), 16);
}

TEST(PtxInstructions, SumsOfProducts) {
  const uint64_t a = 0xffff0003, b = 0x05ff0207;
  EXPECT_EQ(compute32("dp2a.lo.u32.u32 %r4, %r1, %r2, %r3;", a, b, 10),
            10 + 3 * 7 + 0xffff * 2);
  EXPECT_EQ(compute32("dp2a.hi.u32.s32 %r4, %r1, %r2, %r3;", a, b, 10),
            10 - 3 + 0xffff * 5);
  EXPECT_EQ(compute32("dp2a.lo.s32.u32 %r4, %r1, %r2, %r3;", a, b, 10),
            10 + 3 * 7 - 2);
  EXPECT_EQ(compute32("dp4a.u32.u32 %r4, %r1, %r2, %r3;", a, b, 1),
            1 + 3 * 7 + 0xff * 0xff + 0xff * 5);
  EXPECT_EQ(compute32("dp4a.s32.s32 %r4, %r1, %r2, %r3;", a, b, 1),
            1 + 3 * 7 + 1 - 5);
}

TEST(PtxInstructions, Shifts) {
  EXPECT_EQ(compute32("shl.b32 %r4, %r1, %r2;", 3, 31), 0x80000000);
  EXPECT_EQ(compute32("shl.b32 %r4, %r1, %r2;", 3, 32), 0);
  EXPECT_EQ(compute32("shr.s32 %r4, %r1, %r2;", 0x80000000, 4), 0xf8000000);
  EXPECT_EQ(compute32("shr.s32 %r4, %r1, %r2;", 0x80000000, 100), 0xffffffff);
  EXPECT_EQ(compute32("shr.u32 %r4, %r1, %r2;", 0x80000000, 32), 0);
  EXPECT_EQ(compute16("shr.u16 %rs4, %rs1, %r2;", 0x8000, 15), 1);
  EXPECT_EQ(compute16("shr.s16 %rs4, %rs1, %r2;", 0x8000, 15), 0xffff);
  EXPECT_EQ(compute16("shl.b16 %rs4, %rs1, %r2;", 0xffff, 15), 0x8000);
  EXPECT_EQ(compute("shr.s64 %rd4, %rd1, %r2;", kMinus1, 64), kMinus1);
  EXPECT_EQ(
      compute32("shf.l.wrap.b32 %r4, %r1, %r2, %r3;", 0x80000001, 0x10, 33),
      0x21);
  EXPECT_EQ(
      compute32("shf.r.clamp.b32 %r4, %r1, %r2, %r3;", 0x80000001, 0x10, 40),
      0x10);
  EXPECT_EQ(
      compute32("shf.r.wrap.b32 %r4, %r1, %r2, %r3;", 0x80000001, 0x10, 4),
      0x08000000);
}

TEST(PtxInstructions, BitFields) {
  EXPECT_EQ(compute32("bfe.u32 %r4, %r1, %r2, %r3;", 0xabcd1234, 8, 8), 0x12);
  EXPECT_EQ(compute32("bfe.s32 %r4, %r1, %r2, %r3;", 0xabcd1234, 24, 8),
            0xffffffab);
  EXPECT_EQ(compute32("bfe.s32 %r4, %r1, %r2, %r3;", 0xabcd1234, 28, 16),
            0xfffffffa);
  EXPECT_EQ(compute32("bfe.s32 %r4, %r1, %r2, %r3;", 0xabcd1234, 0, 0), 0);
  EXPECT_EQ(
      compute("bfe.u64 %rd4, %rd1, %r2, %r3;", uint64_t(0xab) << 40, 40, 8),
      0xab);
  EXPECT_EQ(compute32("bfi.b32 %r4, %r1, %r2, 8, 4;", 0xff, 0xabcd0000),
            0xabcd0f00);
  EXPECT_EQ(compute32("bfi.b32 %r4, %r1, %r2, 28, 40;", 0xff, 0), 0xf0000000);
  EXPECT_EQ(compute32("brev.b32 %r4, %r1;", 1), 0x80000000);
  EXPECT_EQ(compute("brev.b64 %rd4, %rd1;", 2), uint64_t(1) << 62);
  EXPECT_EQ(compute32("clz.b32 %r4, %r1;", 0), 32);
  EXPECT_EQ(compute32("clz.b64 %r4, %rd1;", 1), 63);
  EXPECT_EQ(compute32("popc.b64 %r4, %rd1;", kMinus1), 64);
  EXPECT_EQ(compute32("bfind.u32 %r4, %r1;", 0x100), 8);
  EXPECT_EQ(compute32("bfind.s32 %r4, %r1;", 0xffffff00), 7);
  EXPECT_EQ(compute32("bfind.u32 %r4, %r1;", 0), 0xffffffff);
  EXPECT_EQ(compute32("bfind.shiftamt.u32 %r4, %r1;", 0x100), 23);
  EXPECT_EQ(
      compute32("prmt.b32 %r4, %r1, %r2, %r3;", 0x33221100, 0x77665544, 0x7510),
      0x77551100);
  EXPECT_EQ(compute32("prmt.b32 %r4, %r1, %r2, %r3;", 0x80, 0, 0x0008),
            0x808080ff);
  EXPECT_EQ(
      compute32("lop3.b32 %r4, %r1, %r2, %r3, 0x96;", 0xf0f0, 0xff00, 0xffff),
      0xf0f0 ^ 0xff00 ^ 0xffff);
}

TEST(PtxInstructions, Logic) {
  EXPECT_EQ(compute("not.b64 %rd4, %rd1;", 5), ~uint64_t(5));
  EXPECT_EQ(compute16("not.b16 %rs4, %rs1;", 5), 0xfffa);
  EXPECT_EQ(compute32("cnot.b32 %r4, %r1;", 0), 1);
  EXPECT_EQ(compute32("xor.b32 %r4, %r1, %r2;", 5, 6), 3);
  const char *predicates =
      "setp.ne.s32 %p1, %r1, 0; setp.ne.s32 %p2, %r2, 0; xor.pred %p3, %p1, "
      "%p2; not.pred %p4, %p3; selp.b32 %r4, 7, 8, %p4;";
  EXPECT_EQ(compute32(predicates, 1, 1), 7);
  EXPECT_EQ(compute32(predicates, 0, 1), 8);
}

TEST(PtxInstructions, Moves) {
  EXPECT_EQ(compute("mov.b64 %rd4, {%r1, %r2};", 5, 6), 0x600000005);
  EXPECT_EQ(compute32("mov.b64 {%r5, %r4}, %rd1;", 0x600000005), 6);
  EXPECT_EQ(compute32("mov.b64 {_, %r4}, %rd1;", 0x600000005), 6);
  EXPECT_EQ(compute16("mov.b32 {%rs5, %rs4}, %r1;", 0x60005), 6);
  EXPECT_EQ(compute32("mov.b32 %r4, 0f3F800000;", 0), 0x3f800000);
  EXPECT_EQ(compute("mov.b64 %rd4, 0d3FF0000000000000;", 0),
            0x3ff0000000000000);
  EXPECT_EQ(compute32("mov.u32 %r4, %ntid.x;", 0), 1);
  EXPECT_EQ(compute32("mov.u32 %r4, %nctaid.x;", 0), 1);
}

TEST(PtxInstructions, Selections) {
  EXPECT_EQ(compute32("slct.b32.s32 %r4, %r1, %r2, %r3;", 5, 6, 0), 5);
  EXPECT_EQ(compute32("slct.b32.s32 %r4, %r1, %r2, %r3;", 5, 6, kMinus1), 6);
  EXPECT_EQ(compute32("slct.b32.f32 %r4, %r1, %r2, %r3;", 5, 6, 0x7fc00000), 6);
  EXPECT_EQ(compute32("set.lt.u32.s32 %r4, %r1, %r2;", kMinus1, 6), 0xffffffff);
  EXPECT_EQ(compute32("set.lt.f32.s32 %r4, %r1, %r2;", kMinus1, 6), 0x3f800000);
  EXPECT_EQ(compute32("set.lt.u32.u32 %r4, %r1, %r2;", kMinus1, 6), 0);
  const char *pair = "setp.lt.and.s32 %p1|%p2, %r1, %r2, %p0; "
                     "selp.b32 %r4, 1, 0, %p1; @%p2 add.s32 %r4, %r4, 2;";
  EXPECT_EQ(compute32("setp.eq.s32 %p0, %r3, 0;" + std::string(pair), 1, 2, 0),
            1);
  EXPECT_EQ(compute32("setp.eq.s32 %p0, %r3, 0;" + std::string(pair), 2, 2, 0),
            2);
  EXPECT_EQ(compute32("setp.eq.s32 %p0, %r3, 0;" + std::string(pair), 2, 2, 1),
            0);
}

} // namespace
