//===- CudaKernelTest.cpp - Kernels, their images and errors --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTesting.h"

using namespace mlir::comm::runtime;
using testing::HasSubstr;
using testing::StartsWith;

namespace {
/// fill(memory, value): one element for each thread.
constexpr char image[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 memory, .param .f32 value)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [memory];
  ld.param.f32 %f1, [value];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.f32 [%rd3], %f1;
  ret;
}
)";

class CudaKernel : public CudaTest {
protected:
  static int32_t fill(const Rank &rank, void *memory, float value,
                      int64_t blocks = 3, int64_t threads = 2,
                      const CommKernel &kernel = fillKernel) {
    static const CommSite site = siteAt("linalg.fill", 3);
    void *arguments[] = {&memory, &value};
    return commLaunch(rank.context, &kernel, blocks, threads, arguments, &site);
  }

  static std::string
  failOnOneRank(const std::function<void(const Rank &)> &program) {
    std::unique_ptr<World> world = makeWorld({1});
    std::optional<Failure> failure = run(*world, program);
    return failure ? failure->message : "no failure";
  }

  static constexpr CommKernel fillKernel = {"fill", image, sizeof image};
};
} // namespace

TEST_F(CudaKernel, Runs) {
  comm_double_reset_counts();
  for (int repetition = 0; repetition < 2; ++repetition)
    spawn({3}, [&](const Rank &rank) {
      Buffer buffer(rank.context, encode(COMM_F32, Values(6, -1)));
      float value = rank.rank + 0.5f;
      EXPECT_EQ(COMM_SUCCESS, fill(rank, buffer.data(), value));
      EXPECT_EQ(Values(6, value), decode(COMM_F32, buffer.read()));
      EXPECT_EQ(COMM_SUCCESS, fill(rank, buffer.data(), 9, /*blocks=*/0));
      EXPECT_EQ(Values(6, value), decode(COMM_F32, buffer.read()));
    });
  // For all ranks of all runs.
  EXPECT_EQ(1u, comm_double_count("cudaLibraryLoadData"));
  EXPECT_EQ(6u, comm_double_count("cudaLaunchKernelExC"));
}

TEST_F(CudaKernel, ThatCannotBeLoadedIsNamed) {
  static const char text[] = "no PTX at all";
  static const CommKernel wrong = {"fill", text, sizeof text};
  EXPECT_THAT(failOnOneRank([&](const Rank &rank) {
                fill(rank, commAllocate(rank.context, 24), 1, 3, 2, wrong);
              }),
              StartsWith("linalg.fill at test.mlir:3: cudaLibraryLoadData: "
                         "kernel 'fill': "));
  static const CommKernel missing = {"spill", image, sizeof image};
  EXPECT_THAT(failOnOneRank([&](const Rank &rank) {
                fill(rank, commAllocate(rank.context, 24), 1, 3, 2, missing);
              }),
              StartsWith("linalg.fill at test.mlir:3: cudaLibraryGetKernel: "
                         "kernel 'spill': "));
  comm_double_clear_reports();
}

TEST_F(CudaKernel, OfWrongSizeIsRefused) {
  EXPECT_EQ("linalg.fill at test.mlir:3: cudaLaunchKernelExC: kernel 'fill' on "
            "3 blocks of 2000 threads",
            failOnOneRank([&](const Rank &rank) {
              fill(rank, commAllocate(rank.context, 24), 1, 3, 2000);
            }));
}

TEST_F(CudaKernel, ThatDoesNotStartIsAFailure) {
  comm_double_fail("cudaLaunchKernelExC:2=cudaErrorLaunchOutOfResources");
  EXPECT_EQ("linalg.fill at test.mlir:3: cudaLaunchKernelExC: too many "
            "resources requested for launch",
            failOnOneRank([&](const Rank &rank) {
              void *memory = commAllocate(rank.context, 24);
              EXPECT_EQ(COMM_SUCCESS, fill(rank, memory, 1));
              EXPECT_EQ(COMM_INVALID, fill(rank, memory, 2));
              EXPECT_EQ(COMM_INVALID, fill(rank, memory, 3));
              commRelease(rank.context, memory);
            }));
}

TEST_F(CudaKernel, ThatFailsLaterIsFoundByWhatComesNext) {
  static const CommSite site = siteAt("linalg.copy", 7);
  // In a process of its own: the device cannot be used any more.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto breakDevice = [&] {
    comm_double_fail("cudaLaunchKernelExC:2=async:cudaErrorIllegalAddress");
    std::cerr << failOnOneRank([&](const Rank &rank) {
      void *memory = commAllocate(rank.context, 24);
      fill(rank, memory, 1);
      fill(rank, memory, 2);
      float number;
      commRead(rank.context, memory, &number, 4, &site);
    });
    std::_Exit(0);
  };
  EXPECT_EXIT(breakDevice(), testing::ExitedWithCode(0),
              "linalg.copy at test.mlir:7: cuda[A-Za-z]*: an illegal memory "
              "access was encountered; the last kernels that were started: "
              "'fill' of linalg.fill at test.mlir:3, 'fill' of");
}
