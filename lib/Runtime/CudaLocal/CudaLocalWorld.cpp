//===- CudaLocalWorld.cpp - All ranks on one device -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLocalWorld.h"

#include "Cuda/DeviceReductionBuffers.h"
#include "CudaLocalCommunicator.h"
#include "comm/Runtime/Backend.h"

using namespace mlir::comm::runtime;

CudaLocalContext::CudaLocalContext(World &world, int64_t rank,
                                   std::shared_ptr<CudaStreams> streams)
    : CudaContext(world, rank, std::move(streams)) {
  limitWaits(world.getOptions().timeout);
  if (world.getNumRanks() > 1)
    refuseSteps("the step is not recorded: the ranks of 'cuda-local' wait for "
                "each other on the host");
}

CudaLocalContext::~CudaLocalContext() {
  for (cudaEvent_t event : {ready, done})
    if (event)
      (void)cudaEventDestroy(event);
}

CudaResult CudaLocalContext::open() {
  for (cudaEvent_t *event : {&ready, &done})
    if (CudaResult result{
            cudaEventCreateWithFlags(event, cudaEventDisableTiming),
            "cudaEventCreateWithFlags"})
      return result;
  return {};
}

std::unique_ptr<Communicator>
CudaLocalContext::createCommunicator(Group group) {
  return std::make_unique<CudaLocalCommunicator>(
      *this, static_cast<CudaLocalWorld &>(getWorld()), std::move(group));
}

CudaLocalWorld::CudaLocalWorld(Mesh mesh, Options options, Streams streams)
    : ThreadWorld(std::move(mesh), std::move(options),
                  [&](ThreadWorld &world, int64_t rank) {
                    return std::make_unique<CudaLocalContext>(world, rank,
                                                              streams[rank]);
                  }),
      streams(streams) {}

CudaLocalWorld::~CudaLocalWorld() {
  bool allDone = true;
  for (const std::shared_ptr<CudaStreams> &rank : streams) {
    rank->waitForAll();
    allDone &= !rank->isAbandoned();
  }
  for (const std::shared_ptr<CudaStreams> &rank : streams)
    if (!allDone)
      rank->abandon();
}

std::unique_ptr<CudaLocalWorld>
CudaLocalWorld::create(Mesh mesh, Options options, std::string &error) {
  int64_t numRanks = runtime::getNumRanks(mesh);
  if (numRanks > maxReductionBuffers) {
    error = "backend 'cuda-local' runs at most " +
            std::to_string(maxReductionBuffers) + " ranks on a device, got " +
            std::to_string(numRanks);
    return nullptr;
  }
  // The first that CUDA shows: CUDA_VISIBLE_DEVICES in the environment chooses.
  constexpr int device = 0;
  Streams streams;
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    streams.push_back(CudaStreams::create(device, rank, error));
    if (!streams.back()) {
      error = "backend 'cuda-local' cannot start: " + error;
      return nullptr;
    }
  }
  std::unique_ptr<CudaLocalWorld> world(new CudaLocalWorld(
      std::move(mesh), std::move(options), std::move(streams)));
  for (int64_t rank = 0; rank < numRanks; ++rank)
    if (CudaResult result =
            static_cast<CudaLocalContext &>(world->getContext(rank)).open()) {
      error = "backend 'cuda-local' cannot start: " +
              CudaStreams::describe(device, rank, result);
      return nullptr;
    }
  return world;
}

const int32_t commBackendAbiVersion = COMM_RUNTIME_ABI_VERSION;

World *commCreateWorld(Mesh mesh, Options options, std::string &error) {
  return CudaLocalWorld::create(std::move(mesh), std::move(options), error)
      .release();
}
