//===- StreamsTests.cpp - Streams, events and the host --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleTesting.h"

using namespace mlir::comm::cudadouble;

namespace {

class Streams : public DoubleTest {
protected:
  cudaStream_t a = makeStream(), b = makeStream();
  cudaEvent_t event = makeEvent();
  int *memory = allocate<int>(4);

  ~Streams() override {
    cudaStreamSynchronize(a);
    cudaStreamSynchronize(b);
    cudaFree(memory);
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  }

  void write(cudaStream_t stream) {
    EXPECT_EQ(cudaMemsetAsync(memory, 1, 16, stream), cudaSuccess);
  }
};

} // namespace

TEST_F(Streams, KeepTheirOrder) {
  int *from = upload<int>({1, 2, 3, 4}, a);
  cudaMemcpyAsync(memory, from, 16, cudaMemcpyDeviceToDevice, a);
  EXPECT_EQ(download(memory, 4, a), (std::vector<int>{1, 2, 3, 4}));
  cudaFree(from);
}

TEST_F(Streams, RaceWhenNothingOrdersThem) {
  write(a);
  write(b);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  expectReport("race", "cudaMemsetAsync #");
}

TEST_F(Streams, RaceOfAReadAndAWriteOfTheSameBytesOnly) {
  int *other = allocate<int>(4);
  cudaMemsetAsync(other, 0, 16, a);
  cudaMemsetAsync(memory, 0, 8, a);
  cudaMemsetAsync(memory + 2, 0, 8, b);
  cudaDeviceSynchronize();
  EXPECT_EQ(getReports(), "");
  cudaMemcpyAsync(other, memory, 16, cudaMemcpyDeviceToDevice, a);
  cudaMemsetAsync(memory + 3, 0, 4, b);
  cudaDeviceSynchronize();
  expectReport("race", "cudaMemcpyAsync #");
  cudaFree(other);
}

TEST_F(Streams, ReadsDoNotRace) {
  write(a);
  cudaStreamSynchronize(a);
  int *x = allocate<int>(4), *y = allocate<int>(4);
  cudaMemcpyAsync(x, memory, 16, cudaMemcpyDeviceToDevice, a);
  cudaMemcpyAsync(y, memory, 16, cudaMemcpyDeviceToDevice, b);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

TEST_F(Streams, AnEventOrdersThem) {
  write(a);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  write(b);
  cudaStreamSynchronize(b);
}

TEST_F(Streams, AnEventOrdersOnlyWhatWasBeforeIt) {
  cudaEventRecord(event, a);
  write(a);
  cudaStreamWaitEvent(b, event, 0);
  write(b);
  cudaDeviceSynchronize();
  expectReport("race", "nothing orders it");
}

TEST_F(Streams, AWaitThatIsForgotten) {
  comm_double_fail("cudaStreamWaitEvent:1=cudaSuccess");
  write(a);
  cudaEventRecord(event, a);
  EXPECT_EQ(cudaStreamWaitEvent(b, event, 0), cudaSuccess);
  write(b);
  cudaDeviceSynchronize();
  expectReport("race", "nothing orders it");
}

TEST_F(Streams, AnEventThatIsRecordedAgainOrdersWhatTheWaitSaw) {
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  write(a);
  cudaEventRecord(event, a);
  write(b);
  cudaDeviceSynchronize();
  expectReport("race", "nothing orders it");
}

TEST_F(Streams, TheHostOrdersThem) {
  write(a);
  cudaStreamSynchronize(a);
  write(b);
  cudaEventRecord(event, b);
  cudaEventSynchronize(event);
  write(a);
  cudaEventRecord(event, a);
  while (cudaEventQuery(event) == cudaErrorNotReady)
    std::this_thread::yield();
  write(b);
  while (cudaStreamQuery(b) == cudaErrorNotReady)
    std::this_thread::yield();
  write(a);
}

TEST_F(Streams, AreAsynchronous) {
  comm_double_fail("cudaMemsetAsync:1=never");
  // On a device of its own, which nobody can wait for any more.
  cudaSetDevice(3);
  cudaStream_t stuck = makeStream();
  cudaEvent_t recorded = makeEvent();
  int *other = allocate<int>(4);
  EXPECT_EQ(cudaMemsetAsync(other, 0, 16, stuck), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stuck), cudaErrorNotReady);
  cudaEventRecord(recorded, stuck);
  EXPECT_EQ(cudaEventQuery(recorded), cudaErrorNotReady);
  cudaSetDevice(0);
  // Another stream goes on.
  write(a);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stuck), cudaErrorNotReady);
  cudaStreamDestroy(stuck);
  cudaEventDestroy(recorded);
}

TEST_F(Streams, TheDefaultStreamWaitsForBlockingOnes) {
  cudaStream_t blocking;
  cudaStreamCreateWithFlags(&blocking, cudaStreamDefault);
  write(blocking);
  cudaMemset(memory, 2, 16);
  write(blocking);
  cudaStreamSynchronize(blocking);
  EXPECT_EQ(getReports(), "");
  // Not for the others.
  write(a);
  cudaMemset(memory, 2, 16);
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(nullptr);
  expectReport("race", "nothing orders it");
  cudaStreamDestroy(blocking);
}

TEST_F(Streams, HandlesMustBeAlive) {
  cudaStream_t gone = makeStream();
  cudaStreamDestroy(gone);
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 16, gone),
            cudaErrorInvalidResourceHandle);
  expectReport("handle", "cudaMemsetAsync: the stream is not alive");
  cudaEvent_t lost = makeEvent();
  cudaEventDestroy(lost);
  EXPECT_EQ(cudaEventRecord(lost, a), cudaErrorInvalidResourceHandle);
  expectReport("handle", "cudaEventRecord: the event is not alive");
}

TEST_F(Streams, AnEventBelongsToADevice) {
  cudaSetDevice(1);
  cudaStream_t other = makeStream();
  EXPECT_EQ(cudaEventRecord(event, other), cudaErrorInvalidResourceHandle);
  expectReport("handle", "device");
  cudaStreamDestroy(other);
}

TEST_F(Streams, ErrorsAreRemembered) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidDevice),
               "cudaErrorInvalidDevice");
}

TEST_F(Streams, LeaksAreReported) {
  uint64_t before = comm_double_check_leaks();
  comm_double_clear_reports();
  cudaStream_t lost = makeStream();
  EXPECT_EQ(comm_double_check_leaks(), before + 1);
  comm_double_clear_reports();
  cudaStreamDestroy(lost);
}

TEST_F(Streams, CallsAreCounted) {
  comm_double_reset_counts();
  write(a);
  write(a);
  cudaStreamSynchronize(a);
  EXPECT_EQ(comm_double_count("cudaMemsetAsync"), 2u);
  EXPECT_EQ(comm_double_count("host waits"), 1u);
  EXPECT_EQ(comm_double_count("cudaFree"), 0u);
}

TEST_F(Streams, FailuresArePlanned) {
  void *pointer;
  EXPECT_EQ(comm_double_fail("cudaMalloc:2=cudaErrorMemoryAllocation,"
                             "cudaMemsetAsync:1@device1=cudaErrorUnknown"),
            0);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  cudaFree(pointer);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
  cudaFree(pointer);
  write(a);
  EXPECT_EQ(comm_double_fail("cudaMalloc"), -1);
  EXPECT_EQ(comm_double_fail("cudaMalloc:x=never"), -1);
  EXPECT_EQ(comm_double_fail("cudaMalloc:1@home=never"), -1);
}
