//===- CudaStep.h - A step as a CUDA graph ----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_CUDASTEP_H
#define COMM_LIB_RUNTIME_CUDA_CUDASTEP_H

#include "comm/Runtime/Communicator.h"

#include <cuda_runtime_api.h>

namespace mlir::comm::runtime {

class CudaContext;
class CudaStreams;

/// A step of one rank that is called again and again. The first call is done as
/// it comes: it takes memory, loads kernels and chooses algorithms. The second
/// is recorded, and launched at once; so are all that follow. A step in which
/// the host reads from the device or that takes more memory than the first one
/// is not recorded, and a note says so.
class CudaStep {
public:
  CudaStep(CudaContext &context, CudaStreams &streams)
      : context(context), streams(streams) {}
  ~CudaStep() { forget(); }

  Status run(const std::string &key, const std::function<Status()> &step);
  bool isRecorded() const { return graph != nullptr; }
  void forget();
  const std::string &getNote() const { return note; }
  /// Not to be recorded at all.
  void refuse(std::string reason) { note = refusal = std::move(reason); }

  /// The host reads from, or writes to, the device. Fails where that cannot be,
  /// because the step is being recorded.
  Status meetHost(const CommSite *site);

private:
  Status runFirst(const std::function<Status()> &step);
  Status record(const std::function<Status()> &step);
  Status launch();

  CudaContext &context;
  CudaStreams &streams;
  std::string key;
  bool isKnown = false, hasMetHost = false;
  cudaGraphExec_t graph = nullptr;
  std::string note, refusal;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_CUDASTEP_H
