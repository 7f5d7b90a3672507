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

std::string CudaStreams::describe(int device, int64_t rank,
                                  const CudaResult &result) {
  return "CUDA device " + std::to_string(device) + " of rank " +
         std::to_string(rank) + ": " + result.describe();
}

std::shared_ptr<CudaStreams> CudaStreams::create(int device, int64_t rank,
                                                 std::string &error) {
  int numDevices = 0;
  if (CudaResult result{cudaGetDeviceCount(&numDevices),
                        "cudaGetDeviceCount"}) {
    error = "no CUDA device: " + result.describe();
    return nullptr;
  }
  if (device < 0 || device >= numDevices) {
    error = "no CUDA device " + std::to_string(device) + ": there are " +
            std::to_string(numDevices);
    return nullptr;
  }
  std::shared_ptr<CudaStreams> streams(new CudaStreams(device));
  if (CudaResult result = streams->open()) {
    error = describe(device, rank, result);
    return nullptr;
  }
  return streams;
}

CudaResult CudaStreams::open() {
  if (CudaResult result{cudaSetDevice(device), "cudaSetDevice"})
    return result;
  // Neither waits for the default stream, which others may use.
  for (cudaStream_t *stream : {&compute, &communication})
    if (CudaResult result{
            cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
            "cudaStreamCreateWithFlags"})
      return result;
  for (cudaEvent_t *event : {&computeEvent, &communicationEvent, &endEvent})
    if (CudaResult result{
            cudaEventCreateWithFlags(event, cudaEventDisableTiming),
            "cudaEventCreateWithFlags"})
      return result;
  cudaMemPool_t pool = nullptr;
  if (CudaResult result{cudaDeviceGetDefaultMemPool(&pool, device),
                        "cudaDeviceGetDefaultMemPool"})
    return result;
  // Else a wait for the device gives memory back to the system.
  uint64_t keep = UINT64_MAX;
  return {cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep),
          "cudaMemPoolSetAttribute"};
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

CudaResult CudaStreams::makeCurrent() const {
  int current = -1;
  if (CudaResult result{cudaGetDevice(&current), "cudaGetDevice"})
    return result;
  if (current == device)
    return {};
  return {cudaSetDevice(device), "cudaSetDevice"};
}

/// What is enqueued on `later` from now on comes after all that is on
/// `earlier`.
static CudaResult order(cudaStream_t earlier, cudaEvent_t event,
                        cudaStream_t later) {
  if (CudaResult result{cudaEventRecord(event, earlier), "cudaEventRecord"})
    return result;
  return {cudaStreamWaitEvent(later, event, /*flags=*/0),
          "cudaStreamWaitEvent"};
}

CudaResult CudaStreams::beginCompute() {
  if (CudaResult result = makeCurrent())
    return result;
  if (computeMustWait)
    if (CudaResult result = order(communication, communicationEvent, compute))
      return result;
  computeMustWait = false;
  communicationMustWait = true;
  return {};
}

CudaResult CudaStreams::beginCommunication() {
  if (CudaResult result = makeCurrent())
    return result;
  if (communicationMustWait)
    if (CudaResult result = order(compute, computeEvent, communication))
      return result;
  communicationMustWait = false;
  return {};
}

CudaResult CudaStreams::beginCapture() {
  // Compute has waited for all; communication joins when it next waits.
  if (CudaResult result = beginCompute())
    return result;
  CudaResult result{
      cudaStreamBeginCapture(compute, cudaStreamCaptureModeRelaxed),
      "cudaStreamBeginCapture"};
  capturing = !result;
  return result;
}

CudaResult CudaStreams::endCapture(cudaGraph_t &graph) {
  graph = nullptr;
  // Communication ends where compute has waited for it.
  CudaResult joined = beginCompute();
  CudaResult ended{cudaStreamEndCapture(compute, &graph),
                   "cudaStreamEndCapture"};
  capturing = false;
  computeMustWait = false;
  communicationMustWait = true;
  return joined ? joined : ended;
}

CudaResult CudaStreams::markEnd() {
  // All of both: where compute need not wait, it has.
  if (CudaResult result = beginCompute())
    return result;
  return {cudaEventRecord(endEvent, compute), "cudaEventRecord"};
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
    else if (!streams->beginCompute())
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
