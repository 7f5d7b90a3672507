//===- GraphTests.cpp - Streams captured into graphs ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclTesting.h"

using namespace mlir::comm::cudadouble;

namespace {

class Graphs : public NcclTest {
protected:
  cudaStream_t a = makeStream(), b = makeStream();
  cudaEvent_t fork = makeEvent(), join = makeEvent();
  int *x = upload<int>({1, 2}, a), *y = upload<int>({0, 0}, a);

  Graphs() { cudaStreamSynchronize(a); }
  ~Graphs() override {
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
    for (cudaEvent_t event : {fork, join})
      cudaEventDestroy(event);
    for (cudaStream_t stream : {a, b})
      cudaStreamDestroy(stream);
  }
  void copy(int *to, const int *from, cudaStream_t stream) {
    EXPECT_EQ(cudaMemcpyAsync(to, from, 8, cudaMemcpyDeviceToDevice, stream),
              cudaSuccess);
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed) {
    EXPECT_EQ(cudaStreamBeginCapture(a, mode), cudaSuccess);
  }
};

} // namespace

TEST_F(Graphs, RunWhenTheyAreLaunched) {
  begin();
  copy(y, x, a);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(a, &status);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  EXPECT_EQ(download(y, 2, a), (std::vector<int>{0, 0}));
  EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 3; i < 6; ++i) {
    cudaMemsetAsync(x, i, 8, a);
    EXPECT_EQ(cudaGraphLaunch(executable, a), cudaSuccess);
    EXPECT_EQ(download(y, 2, a)[1], i * 0x01010101);
  }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, a), cudaErrorInvalidResourceHandle);
  expectReport("handle", "the graph is not alive");
}

TEST_F(Graphs, HaveTheStreamsThatEventsLeadTo) {
  begin();
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  cudaMemsetAsync(x, 7, 8, b);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  copy(y, x, a);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i)
    cudaGraphLaunch(executable, a);
  EXPECT_EQ(download(y, 2, a)[0], 0x07070707);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, RaceWithinAndWithout) {
  begin();
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  cudaMemsetAsync(x, 7, 8, b);
  copy(y, x, a);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  expectReport("race", "nothing orders it");
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

TEST_F(Graphs, WorkMustBeJoined) {
  begin();
  cudaEventRecord(fork, a);
  cudaStreamWaitEvent(b, fork, 0);
  cudaMemsetAsync(x, 7, 8, b);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureUnjoined);
  expectReport("order", "has not been waited for");
}

TEST_F(Graphs, ACapturedStreamCannotBeAsked) {
  begin();
  copy(y, x, a);
  EXPECT_EQ(cudaStreamSynchronize(a), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph;
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
  begin();
  cudaEventRecord(fork, a);
  EXPECT_EQ(cudaEventQuery(fork), cudaErrorStreamCaptureUnsupported);
  cudaStreamEndCapture(a, &graph);
}

TEST_F(Graphs, ModesForbidCalls) {
  cudaGraph_t graph;
  void *memory;
  auto callElsewhere = [&] {
    cudaError_t error;
    std::thread([&] { error = cudaEventQuery(join); }).join();
    return error;
  };
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(callElsewhere(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorStreamCaptureUnsupported);
  expectReport("order", "cudaMalloc: not while a stream is captured");
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
  begin(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(callElsewhere(), cudaErrorStreamCaptureUnsupported);
  expectReport("order", "cudaEventQuery: not while");
  EXPECT_EQ(cudaStreamEndCapture(a, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Graphs, WhatIsWaitedForMustBeCaptured) {
  cudaEventRecord(fork, b);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(a, fork, 0), cudaErrorStreamCaptureIsolation);
  expectReport("order", "not part of the capture");
  cudaGraph_t graph;
  cudaStreamEndCapture(a, &graph);
}

TEST_F(Graphs, HoldCollectives) {
  runComms(3, [](Rank &self) {
    float *x = self.uploadNumbers(1);
    cudaStreamBeginCapture(self.stream, cudaStreamCaptureModeThreadLocal);
    EXPECT_EQ(
        ncclAllReduce(x, x, 1, ncclFloat32, ncclSum, self.comm, self.stream),
        ncclSuccess);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    EXPECT_EQ(cudaStreamEndCapture(self.stream, &graph), cudaSuccess);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, self.stream);
    cudaGraphLaunch(executable, self.stream);
    EXPECT_EQ(download(x, 1, self.stream), std::vector<float>{909});
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  });
}
