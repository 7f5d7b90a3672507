//===- PtxControlTests.cpp - Branches, calls and memory of PTX ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

#include <numeric>

using namespace ptx;
using namespace ptx::testing;

namespace {

/// Runs one thread; p0 are 64 numbers 0, 1, ..., p1 the results.
std::vector<uint32_t> compute(const std::string &body,
                              const std::string &before = "") {
  Runner runner(makeKernel(body, before));
  std::vector<uint32_t> numbers(64), results(64);
  std::iota(numbers.begin(), numbers.end(), 0u);
  runner.run("k", 1, 1, numbers, results, 5);
  return results;
}

const std::string kStore =
    "ld.param.b64 %rd1, [p1]; st.global.b32 [%rd1], %r1;";

TEST(PtxControl, Loop) {
  EXPECT_EQ(compute(R"(
    mov.b32 %r1, 0; mov.b32 %r2, 0;
    $loop:
    add.s32 %r1, %r1, %r2; add.s32 %r2, %r2, 1;
    setp.lt.s32 %p1, %r2, 100;
    @%p1 bra $loop;)" +
                    kStore)[0],
            4950u);
}

TEST(PtxControl, NegatedGuard) {
  EXPECT_EQ(compute("mov.b32 %r1, 1; setp.eq.s32 %p1, %r1, 2;"
                    "@!%p1 mov.b32 %r1, 3; @%p1 mov.b32 %r1, 4;" +
                    kStore)[0],
            3u);
}

TEST(PtxControl, LabelsOfScopes) {
  EXPECT_EQ(compute("mov.b32 %r1, 0;"
                    "{ .reg .b32 t; mov.b32 t, 1; bra.uni end; mov.b32 t, 9;"
                    "end: add.s32 %r1, %r1, t; }"
                    "{ .reg .b32 t; mov.b32 t, 2; bra.uni end; mov.b32 t, 9;"
                    "end: add.s32 %r1, %r1, t; }" +
                    kStore)[0],
            3u);
}

TEST(PtxControl, BranchByTable) {
  for (unsigned index : {0u, 1u, 2u}) {
    std::string body = "mov.b32 %r2, " + std::to_string(index) + R"(;
      $targets: .branchtargets $a, $b, $c;
      brx.idx %r2, $targets;
      $a: mov.b32 %r1, 10; bra $end;
      $b: mov.b32 %r1, 20; bra $end;
      $c: mov.b32 %r1, 30;
      $end:
    )";
    EXPECT_EQ(compute(body + kStore)[0], 10 * (index + 1));
  }
}

const std::string kFactorial = R"(
.func (.param .b32 r) factorial(.param .b32 n)
{
  .reg .b32 %a, %b; .reg .pred %q;
  ld.param.b32 %a, [n];
  setp.lt.u32 %q, %a, 2;
  mov.b32 %b, 1;
  @%q bra $done;
  sub.s32 %b, %a, 1;
  {
    .param .b32 x; .param .b32 y;
    st.param.b32 [x], %b;
    call.uni (y), factorial, (x);
    ld.param.b32 %b, [y];
  }
  mul.lo.s32 %b, %a, %b;
$done:
  st.param.b32 [r], %b;
  ret;
})";

TEST(PtxControl, CallsWithinCalls) {
  EXPECT_EQ(compute("{ .param .b32 x; .param .b32 y; st.param.b32 [x+0], 6;"
                    "call (y), factorial, (x); ld.param.b32 %r1, [y+0]; }" +
                        kStore,
                    kFactorial)[0],
            720u);
}

TEST(PtxControl, StructsAreReturnedByValue) {
  const char *swap = R"(
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 v[16])
{
  .reg .b64 %a, %b;
  ld.param.v2.b64 {%a, %b}, [v];
  st.param.b64 [r+8], %a;
  st.param.b64 [r], %b;
})";
  EXPECT_EQ(compute("{ .param .align 8 .b8 x[16]; .param .align 8 .b8 y[16];"
                    "st.param.b64 [x], 1; st.param.b64 [x+8], 2;"
                    "call (y), swap, (x); ld.param.b32 %r1, [y]; }" +
                        kStore,
                    swap)[0],
            2u);
}

TEST(PtxControl, LocalMemory) {
  EXPECT_EQ(compute(R"(
    .local .align 4 .b8 depot[32]; .reg .b64 %SP, %SPL;
    mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
    st.b32 [%SP+4], 7; ld.local.b32 %r1, [%SPL+4];
    add.u64 %rd2, %SPL, 8; st.local.v2.b32 [%rd2], {%r1, 5};
    ld.local.b32 %r2, [depot+12]; add.s32 %r1, %r1, %r2;)" +
                    kStore)[0],
            12u);
}

TEST(PtxControl, ModuleVariables) {
  const char *variables = ".global .align 4 .u32 counter = 40;\n"
                          ".const .align 4 .b32 table[4] = {1, 2, 3, 4};\n"
                          ".global .align 8 .u64 pointer = generic(counter);\n"
                          ".global .align 4 .f32 pi = 0f40490FDB;\n";
  EXPECT_EQ(
      compute("ld.const.b32 %r2, [table+8]; ld.global.u64 %rd2, [pointer];"
              "ld.u32 %r1, [%rd2]; add.s32 %r1, %r1, %r2;"
              "st.global.u32 [counter], 0; ld.u32 %r2, [%rd2];"
              "add.s32 %r1, %r1, %r2;" +
                  kStore,
              variables)[0],
      43u);
  EXPECT_EQ(compute("ld.global.b32 %r1, [pi];" + kStore, variables)[0],
            0x40490fdbu);
}

TEST(PtxControl, VectorsAndSigns) {
  std::vector<uint32_t> got = compute(R"(
    ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
    ld.global.nc.v4.b32 {%r1, %r2, _, %r4}, [%rd1+16];
    st.global.v4.b32 [%rd2], {%r4, %r2, %r1, 9};
    mov.b32 %r5, -2; st.global.b32 [%rd2+16], %r5;
    ld.global.s8 %r6, [%rd2+16]; st.global.b32 [%rd2+20], %r6;
    ld.global.u8 %r6, [%rd2+16]; st.global.b32 [%rd2+24], %r6;
    ld.global.s16 %r6, [%rd2+16]; st.global.b32 [%rd2+28], %r6;
    ld.relaxed.sys.global.L1::no_allocate.L2::128B.b32 %r6, [%rd1+8];
    st.volatile.global.b32 [%rd2+32], %r6;
  )");
  std::vector<uint32_t> expected = {7,          5,   4,          9, 0xfffffffe,
                                    0xfffffffe, 254, 0xfffffffe, 2};
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST(PtxControl, ParametersByAddress) {
  EXPECT_EQ(
      compute("mov.b64 %rd3, p0; ld.param.b32 %r1, [%rd3+16];" + kStore)[0],
      5u);
  EXPECT_EQ(compute("mov.b64 %rd3, p2; cvta.param.u64 %rd3, %rd3; "
                    "ld.b32 %r1, [%rd3];" +
                    kStore)[0],
            5u);
}

TEST(PtxControl, ThreadsAndBlocks) {
  Runner runner(makeKernel(R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.b64 %rd1, [p0]; mad.wide.u32 %rd2, %r4, 16, %rd1;
    mov.u32 %r5, %warpid; mov.u32 %r6, %laneid; mov.u32 %r7, %nctaid.x;
    mov.u32 %r8, %lanemask_lt;
    st.global.v4.b32 [%rd2], {%r5, %r6, %r7, %r8};)"));
  std::vector<uint32_t> results(4 * 3 * 50);
  runner.run("k", 3, 50, results, 0, 0);
  for (uint32_t i = 0; i < 150; ++i) {
    uint32_t thread = i % 50;
    EXPECT_EQ(results[4 * i], thread / 32);
    EXPECT_EQ(results[4 * i + 1], thread % 32);
    EXPECT_EQ(results[4 * i + 2], 3u);
    EXPECT_EQ(results[4 * i + 3], (uint32_t(1) << thread % 32) - 1);
  }
}

TEST(PtxControl, AtomicsOfAllThreads) {
  Runner runner(makeKernel(R"(
    mov.u32 %r1, %tid.x; ld.param.b64 %rd1, [p0];
    atom.global.add.u32 %r2, [%rd1], %r1;
    red.relaxed.gpu.global.max.s32 [%rd1+4], %r1;
    atom.global.min.s32 %r2, [%rd1+8], -5;
    atom.add.f32 %r3, [%rd1+12], 0f3F000000;
    atom.global.cas.b32 %r2, [%rd1+16], 10, %r1;
    atom.global.inc.u32 %r2, [%rd1+20], 2;
    atom.global.exch.b32 %r4, [%rd1+24], %r1;
    red.global.or.b32 [%rd1+28], %r1;
    add.rn.f32 %r3, %r3, 0f00000000;)"));
  std::vector<uint32_t> data = {0, 0, 0, 0, 10, 0, 99, 0};
  runner.run("k", 1, 100, data, 0, 0);
  std::vector<uint32_t> expected = {4950, 99, uint32_t(-5), 0x42480000,
                                    0,    1,  99,           127};
  EXPECT_EQ(data, expected);
}

TEST(PtxControl, AtomicsOfHalves) {
  Runner runner(makeKernel(R"(
    ld.param.b64 %rd1, [p0]; mov.b32 %r1, 0x3c003c00; mov.b16 %rs1, 0x3f80;
    atom.global.add.noftz.f16x2 %r2, [%rd1], %r1;
    atom.global.add.noftz.bf16 %rs2, [%rd1+4], %rs1;
    red.global.add.f64 [%rd1+8], 0d3FE0000000000000;)"));
  std::vector<uint64_t> data = {0, 0};
  runner.run("k", 2, 4, data, 0, 0);
  EXPECT_EQ(data[0], 0x410048004800u);
  EXPECT_EQ(data[1], 0x4010000000000000u);
}

} // namespace
