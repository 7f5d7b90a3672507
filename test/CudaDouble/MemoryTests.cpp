//===- MemoryTests.cpp - Pointers, directions and lifetimes ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

#include <cmath>

using namespace mlir::comm::cudadouble;

namespace {

class MemoryUse : public DoubleTest {
protected:
  cudaStream_t a = makeStream(), b = makeStream();
  cudaEvent_t event = makeEvent();

  ~MemoryUse() override {
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }

  float *allocateOn(cudaStream_t stream, size_t count = 4) {
    void *memory = nullptr;
    EXPECT_EQ(cudaMallocAsync(&memory, count * 4, stream), cudaSuccess);
    return static_cast<float *>(memory);
  }
  void write(float *memory, cudaStream_t stream) {
    cudaMemsetAsync(memory, 0, 16, stream);
  }
};

} // namespace

TEST_F(MemoryUse, NewMemoryIsNotANumber) {
  float *memory = allocateOn(a);
  for (float value : download(memory, 4, a))
    EXPECT_TRUE(std::isnan(value));
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, TheHostCannotFollowDevicePointers) {
  float *memory = allocateOn(a);
  EXPECT_DEATH(*static_cast<volatile float *>(memory) = 1, "");
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, DirectionsAreChecked) {
  float host[4] = {};
  float *memory = allocateOn(a);
  EXPECT_EQ(cudaMemcpyAsync(host, memory, 16, cudaMemcpyHostToDevice, a),
            cudaErrorInvalidValue);
  expectReport("pointer", "the direction is HostToDevice, but the copy is from "
                          "device to host memory");
  EXPECT_EQ(cudaMemcpyAsync(memory, host, 16, cudaMemcpyDeviceToDevice, a),
            cudaErrorInvalidValue);
  expectReport("pointer", "from host to device");
  EXPECT_EQ(cudaMemcpyAsync(host, host + 2, 8, cudaMemcpyDeviceToHost, a),
            cudaErrorInvalidValue);
  expectReport("pointer", "from host to host");
  EXPECT_EQ(cudaMemsetAsync(host, 0, 16, a), cudaErrorInvalidValue);
  expectReport("pointer", "no memory that a device can reach");
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, BoundsAreChecked) {
  float *memory = allocateOn(a);
  EXPECT_EQ(cudaMemsetAsync(memory + 1, 0, 16, a), cudaErrorInvalidValue);
  expectReport("pointer", "go beyond the end of 16 bytes");
  EXPECT_EQ(cudaMemsetAsync(memory - 1, 0, 4, a), cudaErrorInvalidValue);
  expectReport("pointer", "no memory that a device can reach");
  EXPECT_EQ(cudaMemcpyAsync(memory, memory + 1, 8, cudaMemcpyDeviceToDevice, a),
            cudaErrorInvalidValue);
  expectReport("pointer", "overlap");
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, UseAfterRelease) {
  float *memory = allocateOn(a);
  cudaFreeAsync(memory, a);
  write(memory, a);
  cudaStreamSynchronize(a);
  expectReport("lifetime", "cudaFreeAsync");
}

TEST_F(MemoryUse, UseNotOrderedWithTheRelease) {
  float *memory = allocateOn(a);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  write(memory, b);
  cudaFreeAsync(memory, a);
  cudaDeviceSynchronize();
  expectReport("lifetime", "order");
}

TEST_F(MemoryUse, UseNotOrderedWithTheAllocation) {
  float *memory = allocateOn(a);
  write(memory, b);
  cudaDeviceSynchronize();
  expectReport("lifetime", "not ordered after its allocation by "
                           "cudaMallocAsync");
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, UseOrderedByEvents) {
  float *memory = allocateOn(a);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  write(memory, b);
  cudaEventRecord(event, b);
  cudaStreamWaitEvent(a, event, 0);
  cudaFreeAsync(memory, a);
  cudaStreamSynchronize(a);
}

TEST_F(MemoryUse, TwoReleases) {
  float *memory = allocateOn(a);
  EXPECT_EQ(cudaFreeAsync(memory, a), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, a), cudaErrorInvalidValue);
  expectReport("lifetime", "released already");
  EXPECT_EQ(cudaFree(memory + 1), cudaErrorInvalidValue);
  expectReport("pointer", "not what an allocation gave");
}

TEST_F(MemoryUse, MemoryEnds) {
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  EXPECT_LE(free, total);
  void *memory;
  EXPECT_EQ(cudaMallocAsync(&memory, total + 1, a), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocAsync(&memory, 0, a), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(MemoryUse, PageableSourcesAreReadAtTheCall) {
  float *memory = allocateOn(a);
  std::vector<float> host{1, 2, 3, 4};
  cudaMemcpyAsync(memory, host.data(), 16, cudaMemcpyHostToDevice, a);
  host.assign(4, 0);
  EXPECT_EQ(download(memory, 4, a), (std::vector<float>{1, 2, 3, 4}));
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, CopiesToPageableMemoryWait) {
  float *memory = allocateOn(a);
  write(memory, a);
  comm_double_reset_counts();
  float host[4] = {1, 1, 1, 1};
  cudaMemcpyAsync(host, memory, 16, cudaMemcpyDeviceToHost, a);
  EXPECT_EQ(host[3], 0);
  EXPECT_EQ(comm_double_count("host waits"), 1u);
  EXPECT_EQ(comm_double_count("copy DeviceToHost"), 1u);
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, PointersKnowWhatTheyAre) {
  float *memory = allocateOn(a), host = 0;
  void *pinned;
  cudaMallocHost(&pinned, 16);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, memory + 3);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  cudaPointerGetAttributes(&attributes, &host);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  cudaPointerGetAttributes(&attributes, pinned);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  cudaFreeHost(pinned);
  cudaFreeAsync(memory, a);
}

TEST_F(MemoryUse, TheHostSeesPinnedMemoryWhenItHasWaited) {
  float *memory = allocateOn(a);
  void *pinned;
  cudaMallocHost(&pinned, 16);
  auto *host = static_cast<float *>(pinned);
  host[0] = 5;
  write(memory, a);
  cudaMemcpyAsync(host, memory, 16, cudaMemcpyDeviceToHost, a);
  // Long done, but nobody has waited.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(host[0], 5);
  cudaStreamSynchronize(a);
  EXPECT_EQ(host[0], 0);
  // Devices see it in the order of streams.
  float *other = allocateOn(a);
  cudaMemsetAsync(memory, 1, 16, a);
  cudaMemcpyAsync(host, memory, 16, cudaMemcpyDeviceToHost, a);
  cudaMemcpyAsync(other, host, 16, cudaMemcpyHostToDevice, a);
  EXPECT_NE(download(other, 4, a)[0], 0);
  EXPECT_EQ(getReports(), "");
  // Other streams do not.
  cudaMemcpyAsync(host, memory, 16, cudaMemcpyDeviceToHost, a);
  cudaMemcpyAsync(other, host, 16, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  expectReport("race", "cudaMemcpyAsync #");
  cudaFreeHost(pinned);
  cudaFreeAsync(other, a);
  cudaFreeAsync(memory, a);
}
