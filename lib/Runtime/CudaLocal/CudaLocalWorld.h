//===- CudaLocalWorld.h - All ranks on one device ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALWORLD_H
#define COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALWORLD_H

#include "Cuda/CudaContext.h"
#include "Threads/ThreadWorld.h"

namespace mlir::comm::runtime {

/// One rank of many on a device.
class CudaLocalContext : public CudaContext {
public:
  CudaLocalContext(World &world, int64_t rank,
                   std::shared_ptr<CudaStreams> streams);
  ~CudaLocalContext() override;

  /// Makes the events. To be called once.
  CudaResult open();

  /// Recorded on the communication stream: when others may read and write what
  /// the rank shows them, and when it has done so with theirs.
  cudaEvent_t getReady() const { return ready; }
  cudaEvent_t getDone() const { return done; }

protected:
  std::unique_ptr<Communicator> createCommunicator(Group group) override;

private:
  cudaEvent_t ready = nullptr, done = nullptr;
};

/// Ranks that are threads of this process, each with streams of its own on the
/// one device.
class CudaLocalWorld : public ThreadWorld {
public:
  /// Null, with `error` set, if it cannot start.
  static std::unique_ptr<CudaLocalWorld> create(Mesh mesh, Options options,
                                                std::string &error);
  /// Waits until the device has done all: ranks read each other's memory.
  ~CudaLocalWorld() override;

private:
  using Streams = std::vector<std::shared_ptr<CudaStreams>>;
  CudaLocalWorld(Mesh mesh, Options options, Streams streams);

  Streams streams;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALWORLD_H
