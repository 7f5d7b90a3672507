//===- CudaStreams.cpp - The streams of one rank --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaStreams.h"

#include <chrono>
#include <cstdint>
#include <thread>
#include <unordered_set>

using namespace mlir::comm::runtime;

static std::string describe(const char *call, cudaError_t error) {
  return std::string(call) + ": " + cudaGetErrorString(error);
}

std::shared_ptr<CudaStreams> CudaStreams::create(int device,
                                                 std::string &error) {
  int numDevices = 0;
  if (cudaError_t failure = cudaGetDeviceCount(&numDevices)) {
    error = "no CUDA device: " + describe("cudaGetDeviceCount", failure);
    return nullptr;
  }
  if (device < 0 || device >= numDevices) {
    error = "no CUDA device " + std::to_string(device) + ": there are " +
            std::to_string(numDevices);
    return nullptr;
  }
  std::shared_ptr<CudaStreams> streams(new CudaStreams(device));
  if (cudaError_t failure = streams->open()) {
    error =
        describe(("CUDA device " + std::to_string(device)).c_str(), failure);
    return nullptr;
  }
  return streams;
}

cudaError_t CudaStreams::open() {
  cudaError_t error = cudaSetDevice(device);
  // Neither waits for the default stream, which others may use.
  for (cudaStream_t *stream : {&compute, &communication})
    if (error == cudaSuccess)
      error = cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  for (cudaEvent_t *event : {&computeEvent, &communicationEvent, &endEvent})
    if (error == cudaSuccess)
      error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  cudaMemPool_t pool = nullptr;
  if (error == cudaSuccess)
    error = cudaDeviceGetDefaultMemPool(&pool, device);
  // Else a wait for the device gives memory back to the system.
  uint64_t keep = UINT64_MAX;
  if (error == cudaSuccess)
    error =
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  return error;
}

void CudaStreams::waitForAll() {
  using Clock = std::chrono::steady_clock;
  // Much longer than what is left to do after a run that went well, or that
  // failed without the device.
  Clock::time_point end = Clock::now() + std::chrono::seconds(5);
  (void)makeCurrent();
  for (cudaStream_t stream : {communication, compute})
    while (!abandoned && stream &&
           cudaStreamQuery(stream) == cudaErrorNotReady) {
      if (Clock::now() > end)
        abandon();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

CudaStreams::~CudaStreams() {
  // Nobody is there to be told of an error.
  waitForAll();
  if (abandoned)
    return;
  for (cudaStream_t stream : {communication, compute})
    if (stream)
      (void)cudaStreamDestroy(stream);
  for (cudaEvent_t event : {computeEvent, communicationEvent, endEvent})
    if (event)
      (void)cudaEventDestroy(event);
}

cudaError_t CudaStreams::makeCurrent() const {
  int current = -1;
  cudaError_t error = cudaGetDevice(&current);
  if (error == cudaSuccess && current != device)
    error = cudaSetDevice(device);
  return error;
}

/// What is enqueued on `later` from now on comes after all that is on
/// `earlier`.
static cudaError_t order(cudaStream_t earlier, cudaEvent_t event,
                         cudaStream_t later) {
  if (cudaError_t error = cudaEventRecord(event, earlier))
    return error;
  return cudaStreamWaitEvent(later, event, /*flags=*/0);
}

cudaError_t CudaStreams::beginCompute() {
  if (cudaError_t error = makeCurrent())
    return error;
  if (computeMustWait)
    if (cudaError_t error = order(communication, communicationEvent, compute))
      return error;
  computeMustWait = false;
  communicationMustWait = true;
  return cudaSuccess;
}

cudaError_t CudaStreams::beginCommunication() {
  if (cudaError_t error = makeCurrent())
    return error;
  if (communicationMustWait)
    if (cudaError_t error = order(compute, computeEvent, communication))
      return error;
  communicationMustWait = false;
  return cudaSuccess;
}

cudaError_t CudaStreams::beginCapture() {
  // Compute has waited for all; communication joins when it next waits.
  if (cudaError_t error = beginCompute())
    return error;
  cudaError_t error =
      cudaStreamBeginCapture(compute, cudaStreamCaptureModeRelaxed);
  capturing = error == cudaSuccess;
  return error;
}

cudaError_t CudaStreams::endCapture(cudaGraph_t &graph) {
  graph = nullptr;
  // Communication ends where compute has waited for it.
  cudaError_t joined = beginCompute();
  cudaError_t error = cudaStreamEndCapture(compute, &graph);
  capturing = false;
  computeMustWait = false;
  communicationMustWait = true;
  return joined ? joined : error;
}

cudaError_t CudaStreams::markEnd() {
  // All of both: where compute need not wait, it has.
  if (cudaError_t error = beginCompute())
    return error;
  return cudaEventRecord(endEvent, compute);
}

cudaError_t CudaStreams::queryEnd() const { return cudaEventQuery(endEvent); }

namespace {
class PoolSource : public MemorySource {
public:
  explicit PoolSource(std::shared_ptr<CudaStreams> streams)
      : streams(std::move(streams)) {}

  void *allocate(int64_t bytes) override {
    void *memory = nullptr;
    if (streams->isCapturing()) {
      // The pool's would be the graph's.
      if (cudaMalloc(&memory, bytes))
        return nullptr;
      unordered.insert(memory);
      return memory;
    }
    if (streams->beginCompute() ||
        cudaMallocAsync(&memory, bytes, streams->getCompute()))
      return nullptr;
    return memory;
  }

  void free(void *memory) override {
    if (streams->isAbandoned())
      return;
    if (unordered.erase(memory))
      (void)cudaFree(memory);
    // Both streams may still use it.
    else if (streams->beginCompute() == cudaSuccess)
      (void)cudaFreeAsync(memory, streams->getCompute());
  }

private:
  std::shared_ptr<CudaStreams> streams;
  std::unordered_set<void *> unordered;
};
} // namespace

std::unique_ptr<MemorySource>
mlir::comm::runtime::createPoolSource(std::shared_ptr<CudaStreams> streams) {
  return std::make_unique<PoolSource>(std::move(streams));
}
