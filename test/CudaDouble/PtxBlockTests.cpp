//===- PtxBlockTests.cpp - Threads of a PTX block together ----------------===//
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

const std::string kShared = ".shared .align 16 .b8 buffer[512];\n"
                            ".shared .align 4 .b32 other;\n";

/// %r1 is the thread, %rd1 where its result goes; after the body, %r2 is
/// stored.
std::string makeBlockKernel(const std::string &body) {
  return makeKernel("mov.u32 %r1, %tid.x; ld.param.b64 %rd1, [p0];\n"
                    "mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
                    "shl.b32 %r10, %r1, 2; mov.u32 %r11, buffer;\n"
                    "add.s32 %r10, %r10, %r11; mov.b32 %r2, 0;\n" +
                        body + "\nst.global.b32 [%rd1], %r2;",
                    kShared);
}

std::vector<uint32_t> compute(const std::string &body, unsigned threads = 64) {
  Runner runner(makeBlockKernel(body));
  std::vector<uint32_t> results(threads);
  runner.run("k", 1, threads, results, 0, 0);
  return results;
}

std::string getError(const std::string &body, unsigned threads = 64) {
  Runner runner(makeBlockKernel(body));
  std::vector<uint32_t> results(threads);
  return runner.tryRun("k", 1, threads, results, 0, 0);
}

/// The error mentions the text.
#define EXPECT_ERROR(error, text)                                              \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, error)

TEST(PtxBlocks, SharedMemoryBetweenThreads) {
  std::vector<uint32_t> got = compute(R"(
    st.shared.b32 [%r10], %r1;
    bar.sync 0;
    xor.b32 %r3, %r10, 252; ld.shared.b32 %r2, [%r3];)");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], 63 - i);
}

TEST(PtxBlocks, GenericAddresses) {
  std::vector<uint32_t> got = compute(R"(
    .reg .pred %s;
    mov.u64 %rd2, buffer; cvta.shared.u64 %rd3, %rd2;
    mad.wide.u32 %rd4, %r1, 4, %rd3; st.b32 [%rd4], 5;
    isspacep.shared %s, %rd4; cvta.to.shared.u64 %rd5, %rd4;
    ld.shared.b32 %r2, [%rd5]; @%s add.s32 %r2, %r2, 1;)");
  EXPECT_EQ(got, std::vector<uint32_t>(64, 6));
}

TEST(PtxBlocks, BarriersReduce) {
  std::vector<uint32_t> got = compute(R"(
    setp.lt.u32 %p1, %r1, 20; setp.lt.u32 %p5, %r1, 64;
    bar.red.popc.u32 %r2, 0, %p1;
    barrier.cta.red.and.pred %p2, 1, %p1;
    barrier.red.or.pred %p3, 2, !%p5;
    @%p2 add.s32 %r2, %r2, 100; @%p3 add.s32 %r2, %r2, 1000;)");
  EXPECT_EQ(got, std::vector<uint32_t>(64, 20));
}

TEST(PtxBlocks, BarriersOfSomeWarps) {
  // The first warp arrives and goes on, the second waits for it.
  std::vector<uint32_t> got = compute(R"(
    setp.lt.u32 %p1, %r1, 32;
    @%p1 bra $first;
    bar.sync 3, 64; ld.shared.b32 %r2, [%r10+-128]; bra $end;
    $first: st.shared.b32 [%r10], %r1; barrier.arrive 3, 64;
    $end:)");
  EXPECT_EQ(got[40], 8u);
}

TEST(PtxBlocks, Shuffles) {
  std::vector<uint32_t> down = compute(
      "shfl.sync.down.b32 %r2|%p1, %r1, 4, 31, -1; @!%p1 mov.b32 %r2, 99;");
  std::vector<uint32_t> up = compute(
      "shfl.sync.up.b32 %r2|%p1, %r1, 4, 0, -1; @!%p1 mov.b32 %r2, 99;");
  std::vector<uint32_t> butterfly =
      compute("shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;");
  // Segments of eight lanes: 0x1800 | 31.
  std::vector<uint32_t> index =
      compute("shfl.sync.idx.b32 %r2, %r1, 3, 6175, -1;");
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(down[i], i % 32 < 28 ? i + 4 : 99);
    EXPECT_EQ(up[i], i % 32 >= 4 ? i - 4 : 99);
    EXPECT_EQ(butterfly[i], i ^ 5);
    EXPECT_EQ(index[i], i / 8 * 8 + 3);
  }
}

TEST(PtxBlocks, VotesAndMatches) {
  std::vector<uint32_t> ballot =
      compute("and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 1;"
              "vote.sync.ballot.b32 %r2, !%p1, -1;");
  EXPECT_EQ(ballot, std::vector<uint32_t>(64, 0x55555555));
  std::vector<uint32_t> votes = compute(
      "setp.lt.u32 %p1, %r1, 40; vote.sync.all.pred %p2, %p1, -1;"
      "vote.sync.any.pred %p3, %p1, -1; vote.sync.uni.pred %p4, %p1, -1;"
      "@%p2 add.s32 %r2, %r2, 1; @%p3 add.s32 %r2, %r2, 2;"
      "@%p4 add.s32 %r2, %r2, 4;");
  EXPECT_EQ(votes[0], 7u);
  EXPECT_EQ(votes[32], 2u);
  std::vector<uint32_t> match =
      compute("and.b32 %r3, %r1, 3; match.any.sync.b32 %r2, %r3, -1;");
  EXPECT_EQ(match[2], 0x44444444u);
  std::vector<uint32_t> all =
      compute("shr.u32 %r3, %r1, 5; match.all.sync.b32 %r2|%p1, %r3, -1;"
              "@!%p1 mov.b32 %r2, 1;");
  EXPECT_EQ(all, std::vector<uint32_t>(64, 0xffffffff));
}

TEST(PtxBlocks, Reductions) {
  EXPECT_EQ(compute("redux.sync.add.s32 %r2, %r1, -1;")[33], 32 * 47.5);
  EXPECT_EQ(compute("sub.s32 %r3, %r1, 3; redux.sync.min.s32 %r2, %r3, -1;")[5],
            uint32_t(-3));
  EXPECT_EQ(compute("sub.s32 %r3, %r1, 3; redux.sync.min.u32 %r2, %r3, -1;")[5],
            0u);
  EXPECT_EQ(compute("redux.sync.xor.b32 %r2, %r1, -1;")[5], 0u);
}

TEST(PtxBlocks, DivergedThreadsOfAWarp) {
  // Each half has its own mask, and those that are there are found.
  std::vector<uint32_t> got = compute(R"(
    and.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 1;
    @%p1 bra $odd;
    activemask.b32 %r4; shfl.sync.bfly.b32 %r2, %r1, 2, 31, %r4; bra $end;
    $odd: activemask.b32 %r4; shfl.sync.bfly.b32 %r2, %r1, 4, 31, %r4;
    $end: bar.warp.sync -1;)");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], i ^ (i % 2 ? 4 : 2));
  std::vector<uint32_t> elected =
      compute("elect.sync _|%p1, -1; selp.b32 %r2, 1, 0, %p1;");
  EXPECT_EQ(std::accumulate(elected.begin(), elected.end(), 0u), 2u);
}

TEST(PtxBlocks, WarpsOrderTheirMemory) {
  const char *body = "st.shared.b32 [%r10], %r1; %s"
                     "xor.b32 %r3, %r10, 4; ld.shared.b32 %r2, [%r3];";
  std::string with(body), without(body);
  with.replace(with.find("%s"), 2, "bar.warp.sync -1;");
  without.replace(without.find("%s"), 2, "");
  EXPECT_EQ(compute(with)[5], 4u);
  EXPECT_ERROR(getError(without), "race on shared address 0x4: thread 0");
}

TEST(PtxBlocks, Races) {
  EXPECT_ERROR(getError("st.shared.b32 [%r10], %r1; xor.b32 %r3, %r10, 252;"
                        "ld.shared.b32 %r2, [%r3];"),
               "race on shared address");
  EXPECT_ERROR(
      getError("ld.shared.b32 %r2, [other]; st.shared.b32 [other], %r1;"),
      "race on shared address");
  EXPECT_ERROR(getError("st.shared.b32 [other], %r1;"),
               "race on shared address");
  // All write the same.
  EXPECT_EQ(getError("st.shared.b32 [other], 7;"), "");
  EXPECT_EQ(getError("red.shared.add.u32 [other], 1; bar.sync 0;"
                     "ld.shared.b32 %r2, [other];"),
            "");
  EXPECT_ERROR(getError("red.shared.add.u32 [other], 1;"
                        "ld.shared.b32 %r2, [other];"),
               "race on shared address");
}

TEST(PtxBlocks, Deadlocks) {
  EXPECT_ERROR(getError("setp.eq.s32 %p1, %r1, 40; @%p1 exit;\nbar.sync 0;"),
               "deadlock: the thread waits for others; thread 40 ended in "
               "line 17");
  EXPECT_ERROR(getError("setp.eq.s32 %p1, %r1, 40;\n@%p1 bar.sync 0;\n"
                        "@!%p1 bar.sync 0;"),
               "threads of a warp are at different barriers: thread 39 is in "
               "line 19");
  EXPECT_ERROR(getError("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0;\n"
                        "@!%p1 bar.sync 1;"),
               "deadlock");
  EXPECT_ERROR(getError("setp.lt.u32 %p1, %r1, 8; @%p1 bra $b;\nbar.sync 0;\n"
                        "$b: bar.warp.sync -1;"),
               "deadlock: the thread waits for others; thread 8 waits in "
               "line 18");
  EXPECT_ERROR(getError("bar.sync 16;"), "there is no barrier 16");
  EXPECT_ERROR(getError("bar.sync 0, 40;"), "expected a multiple of a warp");
  EXPECT_ERROR(getError("shfl.sync.down.b32 %r2, %r1, 1, 31, 2;"),
               "the mask 0x2 of the threads lacks its own");
  EXPECT_ERROR(getError("shfl.sync.down.b32 %r2, %r1, 4, 31, -1;", 20),
               "shfl of lane 16 reads from lane 20, which takes no part");
}

TEST(PtxBlocks, OutsideSharedMemory) {
  EXPECT_ERROR(getError("st.shared.b32 [buffer+512], %r1;"),
               "line 17: shared address 0x200 (4 bytes) is outside the "
               "variables");
  EXPECT_ERROR(getError("ld.shared.b32 %r2, [buffer+-4];"),
               "is outside the variables");
  EXPECT_ERROR(getError("ld.shared.b32 %r2, [buffer+2];"),
               "shared address 0x2 is not a multiple of 4");
  EXPECT_ERROR(getError("mov.u64 %rd2, buffer; ld.b32 %r2, [%rd2];"),
               "address");
}

} // namespace
