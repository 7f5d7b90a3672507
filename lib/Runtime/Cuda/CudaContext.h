//===- CudaContext.h - One rank on a CUDA device ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDACONTEXT_H
#define COMM_LIB_RUNTIME_CUDA_CUDACONTEXT_H

#include "CudaGemm.h"
#include "CudaKernels.h"
#include "CudaStep.h"
#include "CudaStreams.h"
#include "comm/Runtime/Communicator.h"

#include <array>

namespace mlir::comm::runtime {

/// What the backends for GPUs share: memory, kernels, copies, matrix products
/// and errors of one rank. A backend adds its communicators, whose collectives
/// look like this:
///
///   if (Status status = context.beginCommunication(call.site))
///     return status;
///   ... enqueue on context.getCommunicationStream() ...
///   context.endCommunication();
///
/// No call waits for the device but `read`, `write` and `synchronize`, and
/// these stop when the run has failed.
class CudaContext : public Context {
public:
  /// Takes its buffers from `memory`; null: from the device's pool.
  CudaContext(World &world, int64_t rank, std::shared_ptr<CudaStreams> streams,
              std::unique_ptr<MemorySource> memory = nullptr);
  ~CudaContext() override;

  int getDevice() const { return streams->getDevice(); }
  cudaStream_t getComputeStream() const { return streams->getCompute(); }
  cudaStream_t getCommunicationStream() const {
    return streams->getCommunication();
  }

  /// Whether the run has ended without its device, see CudaStreams::abandon.
  bool isAbandoned() const { return streams->isAbandoned(); }

  /// Makes the device current on this thread, and the communication stream wait
  /// for what has been computed since it last did.
  Status beginCommunication(const CommSite *site);
  /// What is computed from now on, in memory that is taken again too, waits for
  /// what has been communicated.
  void endCommunication() { streams->endCommunication(); }
  /// The same for work on the compute stream, which has no end.
  Status beginCompute(const CommSite *site);

  /// COMM_SUCCESS for cudaSuccess. Else the rank fails with
  /// "<op> at <file>:<line>: <call>: <text of the error>".
  Status check(CudaResult result, const CommSite *site);
  Status check(cudaError_t error, const char *call, const CommSite *site) {
    return check({error, call}, site);
  }
  /// The same for a library whose error's text is `text`.
  Status failIn(const char *call, const std::string &text,
                const CommSite *site);

  /// Starts a kernel on one of the two streams, on which work has begun.
  Status enqueue(const KernelLaunch &launch, cudaStream_t stream);

  bool usesHostMemory() const override { return false; }
  void *allocate(int64_t bytes) override;
  /// The same, but null where there is no memory, which is then no failure.
  void *tryAllocate(int64_t bytes);
  void release(void *memory) override;
  /// Memory of the pool that stays until the run ends and is no buffer of the
  /// program; null where there is none.
  void *tryAllocatePermanent(int64_t bytes);

  /// How often memory was asked of the device.
  int64_t getNumSystemAllocations() {
    return getArena().getNumSystemAllocations() +
           permanent.getNumSystemAllocations();
  }
  /// Forgets the constants that were made since that number was `number`:
  /// their copies were recorded, and are not done.
  void forgetConstantsSince(int64_t number);

  Status runStep(const std::string &key,
                 const std::function<Status()> &function) override;
  bool hasRecordedStep() const override { return step.isRecorded(); }
  void forgetStep() override { step.forget(); }
  std::string getStepNote() const override { return step.getNote(); }

protected:
  /// For a backend that cannot record: why.
  void refuseSteps(std::string reason) { step.refuse(std::move(reason)); }

  void *makeConstant(const void *data, int64_t bytes) override;
  Status start(const KernelLaunch &launch) override;
  Status move(const void *from, void *to, int64_t bytes, Direction direction,
              const CommSite *site) override;
  Status multiply(const Gemm &gemm) override;
  Status waitForDevice() override { return waitForDevice(nullptr); }

  /// How long the rank waits for the device; 0: for ever. Where collectives are
  /// the device's own work, another rank may be what it waits for.
  void limitWaits(std::chrono::milliseconds longest) { longestWait = longest; }

private:
  /// Waits until all that was enqueued is done, or until the run has failed.
  Status waitForDevice(const CommSite *site);
  /// Which kernels were started last, for errors that are found later than they
  /// happen.
  std::string describeLastKernels() const;
  Status readSmall(const void *from, void *host, int64_t bytes,
                   const CommSite *site);

  std::shared_ptr<CudaStreams> streams;
  std::chrono::milliseconds longestWait{0};
  CudaStep step{*this, *streams};
  CudaKernels kernels;
  CudaGemm products{*this};
  Arena permanent;
  struct Constant {
    void *memory = nullptr;
    /// What getNumSystemAllocations was before it was made.
    int64_t number = 0;
  };
  /// By what the host has of them.
  std::unordered_map<const void *, Constant> constants;
  /// The last ones, from `numStarted % size` on.
  struct Started {
    const CommKernel *kernel = nullptr;
    const CommSite *site = nullptr;
  };
  std::array<Started, 4> started;
  size_t numStarted = 0;
  /// Host memory that the device writes to by itself.
  void *pinned = nullptr;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDACONTEXT_H
