//===- KernelTests.cpp - Kernels started on streams -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

using namespace mlir::comm::cudadouble;

/// x[i] += y for the first n of all threads.
static const char *const add = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .f32 y, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  ld.param.f32 %f1, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra $done;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f2, [%rd3];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%rd3], %f3;
$done:
  ret;
}
)";

namespace {

class Kernels : public DoubleTest {
protected:
  cudaStream_t stream = makeStream();
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;

  Kernels() {
    EXPECT_EQ(load(add), cudaSuccess);
    EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "add"), cudaSuccess);
  }
  ~Kernels() override {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaLibraryUnload(library);
  }

  cudaError_t load(const void *image) {
    return cudaLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr,
                               nullptr, 0);
  }
  cudaError_t launch(float *x, uint32_t n, cudaStream_t on, unsigned blocks = 2,
                     unsigned threads = 2) {
    float y = 10;
    void *arguments[] = {&x, &y, &n};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = on;
    cudaError_t error = cudaLaunchKernelExC(
        &config, reinterpret_cast<const void *>(kernel), arguments);
    // The arguments were read at the call.
    x = nullptr, y = 0, n = 0;
    return error;
  }
};

} // namespace

TEST_F(Kernels, Run) {
  float *x = upload<float>({1, 2, 3, 4}, stream);
  EXPECT_EQ(launch(x, 3, stream), cudaSuccess);
  EXPECT_EQ(download(x, 4, stream), (std::vector<float>{11, 12, 13, 4}));
}

TEST_F(Kernels, RaceWithWhatIsNotOrdered) {
  float *x = upload<float>({1, 2, 3, 4}, stream);
  cudaStreamSynchronize(stream);
  cudaStream_t other = makeStream();
  // The kernel uses the first three.
  cudaMemsetAsync(x + 3, 0, 4, other);
  launch(x, 3, stream);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(getReports(), "");
  launch(x, 3, stream);
  cudaMemsetAsync(x + 2, 0, 4, other);
  cudaStreamSynchronize(stream);
  cudaStreamSynchronize(other);
  cudaStreamDestroy(other);
  expectReport("race", "cudaLaunchKernelExC #");
}

TEST_F(Kernels, ImagesAndNamesAreChecked) {
  const char elf[] = "\177ELF";
  cudaLibrary_t known = library;
  EXPECT_EQ(load(elf), cudaErrorNoKernelImageForDevice);
  char log[64] = "";
  cudaJitOption options[] = {cudaJitErrorLogBuffer,
                             cudaJitErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  EXPECT_EQ(cudaLibraryLoadData(&library, ".version 8.0\nnonsense", options,
                                values, 2, nullptr, nullptr, 0),
            cudaErrorInvalidPtx);
  EXPECT_THAT(log, testing::HasSubstr("line 2"));
  expectReport("kernel", "cudaLibraryLoadData");
  library = known;
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "nobody"),
            cudaErrorSymbolNotFound);
}

TEST_F(Kernels, SizesAreChecked) {
  float *x = upload<float>({1, 2, 3, 4}, stream);
  EXPECT_EQ(launch(x, 4, stream, 0, 2), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(x, 4, stream, 1, 1025), cudaErrorInvalidConfiguration);
}

TEST_F(Kernels, TheDeviceIsTheStreams) {
  float *x = upload<float>({1, 2, 3, 4}, stream);
  cudaSetDevice(1);
  EXPECT_EQ(launch(x, 4, stream), cudaErrorInvalidResourceHandle);
  cudaSetDevice(0);
  expectReport("handle", "the stream is of device 0, the current device is 1");
}

/// What a kernel did wrong breaks its device: these run on the last one, in a
/// process of their own.
static int breakDevice(const std::function<float *(cudaStream_t)> &makeMemory,
                       const std::function<cudaError_t(float *)> &launch) {
  cudaStream_t stream = makeStream();
  float *x = makeMemory(stream);
  launch(x);
  bool isBroken = cudaStreamSynchronize(stream) == cudaErrorIllegalAddress &&
                  cudaDeviceSynchronize() == cudaErrorIllegalAddress;
  return isBroken ? 0 : 1;
}

TEST_F(Kernels, BoundsAndLifetimes) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  auto run = [&](const std::function<float *(cudaStream_t)> &makeMemory) {
    cudaStream_t own = makeStream();
    std::exit(breakDevice(makeMemory, [&](float *x) {
      cudaError_t error = launch(x, 4, own);
      cudaStreamSynchronize(own);
      return error;
    }));
  };
  EXPECT_EXIT(run([](cudaStream_t) { return allocate<float>(3); }),
              testing::ExitedWithCode(0), "beyond the end of an allocation");
  EXPECT_EXIT(run([](cudaStream_t on) {
                float *x = allocate<float>(4);
                cudaStreamSynchronize(on);
                cudaFree(x);
                return x;
              }),
              testing::ExitedWithCode(0), "lifetime: .*after its release");
  float host[4];
  EXPECT_EXIT(run([&](cudaStream_t) { return host; }),
              testing::ExitedWithCode(0), "which is no memory");
  EXPECT_EXIT(run([](cudaStream_t) {
                cudaSetDevice(1);
                float *x = allocate<float>(4);
                cudaSetDevice(0);
                return x;
              }),
              testing::ExitedWithCode(0), "memory of another device");
}
