//===- CudaStreams.h - The streams of one rank ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDASTREAMS_H
#define COMM_LIB_RUNTIME_CUDA_CUDASTREAMS_H

#include "CudaResult.h"
#include "comm/Runtime/Arena.h"

#include <memory>
#include <string>

namespace mlir::comm::runtime {

/// What a rank has on its device: a stream for what it computes, one for what
/// it communicates, and who waits for whom. The two wait for each other only
/// where one has been given work since: collectives that follow each other need
/// no event between them. Used by one thread at a time.
class CudaStreams {
public:
  /// Those of world rank `rank`. Null, with `error` set, where there is no such
  /// device or it does not work.
  static std::shared_ptr<CudaStreams> create(int device, int64_t rank,
                                             std::string &error);
  /// What a rank's device says: "CUDA device 0 of rank 1: cudaEventCreate...".
  static std::string describe(int device, int64_t rank,
                              const CudaResult &result);
  CudaStreams(const CudaStreams &) = delete;
  CudaStreams &operator=(const CudaStreams &) = delete;
  /// Waits as waitForAll does.
  ~CudaStreams();

  int getDevice() const { return device; }
  cudaStream_t getCompute() const { return compute; }
  cudaStream_t getCommunication() const { return communication; }

  /// Makes the device the one that the calling thread talks to. Cheap where it
  /// is already.
  CudaResult makeCurrent() const;

  // What comes between `begin` and `end` is enqueued on the stream, after all
  // that has been given to the other one before.
  CudaResult beginCompute();
  CudaResult beginCommunication();
  void endCommunication() { computeMustWait = true; }
  /// Whether `beginCommunication` would make the stream wait for something.
  bool mustCommunicationWait() const { return communicationMustWait; }

  /// Whether all that was enqueued on both streams is done (cudaSuccess), or
  /// not yet (cudaErrorNotReady). To be asked again after `markEnd`, which
  /// marks what there is now.
  CudaResult markEnd();
  cudaError_t queryEnd() const;
  /// What both streams are given between the two is recorded, and not done.
  CudaResult beginCapture();
  /// Null, with an error, if something spoilt it.
  CudaResult endCapture(cudaGraph_t &graph);
  bool isCapturing() const { return capturing; }

  /// Waits until all is done, well or not, before memory goes away; but not for
  /// ever: what hangs is abandoned.
  void waitForAll();
  /// From now on nothing is given back: the device may still be using it.
  void abandon() { abandoned = true; }
  bool isAbandoned() const { return abandoned; }

private:
  explicit CudaStreams(int device) : device(device) {}
  CudaResult open();

  const int device;
  cudaStream_t compute = nullptr, communication = nullptr;
  cudaEvent_t computeEvent = nullptr, communicationEvent = nullptr,
              endEvent = nullptr;
  /// Whether a stream has work that the other has not waited for.
  bool communicationMustWait = false, computeMustWait = false;
  bool abandoned = false;
  bool capturing = false;
};

/// Memory of the device's stream-ordered pool, which keeps all that it ever
/// had: ordered with the compute stream. While that is captured, memory of
/// nobody's order.
std::unique_ptr<MemorySource>
createPoolSource(std::shared_ptr<CudaStreams> streams);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDASTREAMS_H
