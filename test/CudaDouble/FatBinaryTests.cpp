//===- FatBinaryTests.cpp - What the host code that nvcc makes calls ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

#include <fatbinary_section.h>

#include <cstring>

using namespace mlir::comm::cudadouble;

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int threads, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int isExternal, size_t bytes,
                       int isConstant, int isGlobal);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *sharedBytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t sharedBytes,
                               cudaStream_t stream);
}

/// y[0] = x[0] + 1, and two numbers.
static const char *const text = R"(
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 numbers[8] = {0, 0, 192, 63, 0, 0, 0, 64};
.visible .entry next(.param .u64 x, .param .u64 y)
{
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f1, 0f3F800000;
  st.global.f32 [%rd2], %f2;
  ret;
}
)";

namespace {

/// A program's device code, as nvcc lays it out, and the host's names.
class FatBinaries : public DoubleTest {
protected:
  std::vector<uint64_t> image;
  __fatBinC_Wrapper_t wrapper{FATBINC_MAGIC, FATBINC_VERSION, nullptr, nullptr};
  void **handle = nullptr;
  char kernel = 0, variable = 0;
  cudaStream_t stream = makeStream();

  /// Two entries: one of another kind, and the text.
  void start(uint64_t flags) {
    constexpr size_t header = 16, entry = 64, other = 8;
    size_t bytes = (std::strlen(text) + 8) / 8 * 8;
    image.assign((header + 2 * entry + other + bytes) / 8, 0);
    image[0] = 0xba55ed50 | uint64_t(1) << 32 | uint64_t(header) << 48;
    image[1] = image.size() * 8 - header;
    image[2] = 2 | uint64_t(entry) << 32;
    image[3] = other;
    size_t second = (header + entry + other) / 8;
    image[second] = 1 | uint64_t(entry) << 32;
    image[second + 1] = bytes;
    image[second + 5] = flags;
    std::memcpy(&image[second + entry / 8], text, std::strlen(text));
    wrapper.data = reinterpret_cast<const unsigned long long *>(image.data());
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &kernel, nullptr, "next", -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &variable, nullptr, "numbers", 0, 8, 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~FatBinaries() override {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    __cudaUnregisterFatBinary(handle);
  }
};

} // namespace

TEST_F(FatBinaries, KernelsRun) {
  start(/*flags=*/0x11);
  float *x = upload<float>({3}, stream), *y = allocate<float>(1);
  void *arguments[] = {&x, &y};
  EXPECT_EQ(__cudaPushCallConfiguration(dim3(1), dim3(1), 0, stream), 0u);
  dim3 grid, block;
  size_t sharedBytes = 1;
  cudaStream_t on = nullptr;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &on),
            cudaSuccess);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &on),
            cudaErrorMissingConfiguration);
  cudaKernel_t found = nullptr;
  EXPECT_EQ(__cudaGetKernel(&found, &kernel), cudaSuccess);
  EXPECT_EQ(__cudaLaunchKernel(found, grid, block, arguments, sharedBytes, on),
            cudaSuccess);
  EXPECT_EQ(download(y, 1, stream), std::vector<float>{4});
  EXPECT_EQ(__cudaGetKernel(&found, &variable), cudaErrorInvalidDeviceFunction);
}

TEST_F(FatBinaries, VariablesAreOnEachDevice) {
  start(/*flags=*/0x11);
  void *first = nullptr, *again = nullptr, *second = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&first, &variable), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolAddress(&again, &variable), cudaSuccess);
  EXPECT_EQ(first, again);
  EXPECT_EQ(download(static_cast<float *>(first), 2, stream),
            (std::vector<float>{1.5, 2}));
  cudaSetDevice(1);
  EXPECT_EQ(cudaGetSymbolAddress(&second, &variable), cudaSuccess);
  EXPECT_NE(first, second);
  EXPECT_EQ(cudaGetSymbolAddress(&second, &kernel), cudaErrorInvalidSymbol);
}

TEST_F(FatBinaries, WhatIsCompressedIsReported) {
  start(/*flags=*/0x2011);
  cudaKernel_t found = nullptr;
  EXPECT_EQ(__cudaGetKernel(&found, &kernel), cudaErrorNoKernelImageForDevice);
  expectReport("kernel", "a fat binary: no PTX that is not compressed");
}
