//===- World.cpp - One run: its backend, ranks and first failure ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadBackend.h"
#include "Threads/ThreadWorld.h"
#include "comm/Runtime/Communicator.h"

#include <algorithm>
#include <system_error>
#include <thread>

using namespace mlir::comm::runtime;

/// What is wrong with a mesh, or "".
static std::string findMistake(const Mesh &mesh) {
  // More ranks than this are a slip of the pen, not a machine.
  constexpr int64_t maxRanks = 1 << 20;
  int64_t numRanks = 1;
  for (const MeshAxis &axis : mesh) {
    if (axis.size < 1)
      return "mesh axis '" + axis.name + "' has size " +
             std::to_string(axis.size) + ", expected at least 1";
    if (axis.size > maxRanks / numRanks)
      return "a mesh of more than " + std::to_string(maxRanks) + " ranks";
    numRanks *= axis.size;
  }
  return "";
}

std::unique_ptr<World> World::create(Mesh mesh, const std::string &backend,
                                     Options options, std::string &error) {
  error = findMistake(mesh);
  if (!error.empty())
    return nullptr;
  if (backend == "threads")
    return std::make_unique<ThreadWorld>(std::move(mesh), std::move(options));
  return loadWorld(std::move(mesh), backend, std::move(options), error);
}

World::World(Mesh mesh, Options options)
    : mesh(std::move(mesh)), options(std::move(options)),
      numRanks(runtime::getNumRanks(this->mesh)),
      // OpenBLAS as packaged has buffers for 64 callers.
      freeGemmSlots(std::clamp(std::thread::hardware_concurrency(), 1u, 32u)) {}

World::~World() = default;

std::optional<Failure>
World::launch(const std::function<void(Context &)> &program) {
  std::vector<std::thread> threads;
  for (int64_t rank : getLocalRanks()) {
    Context &context = getContext(rank);
    {
      std::lock_guard<std::mutex> lock(launchMutex);
      ++numRunning;
    }
    auto leave = [this] {
      std::lock_guard<std::mutex> lock(launchMutex);
      --numRunning;
      launchChanged.notify_all();
    };
    try {
      threads.emplace_back([&program, &context, leave] {
        program(context);
        context.end();
        leave();
      });
    } catch (const std::system_error &error) {
      leave();
      context.fail(COMM_INVALID, "cannot start a thread for rank " +
                                     std::to_string(rank) + ": " +
                                     error.what());
      break;
    }
  }
  waitForRanks();
  for (std::thread &thread : threads)
    thread.join();
  return getFailure();
}

void World::waitForRanks() {
  auto allDone = [&] { return numRunning == 0; };
  std::unique_lock<std::mutex> lock(launchMutex);
  launchChanged.wait(lock, [&] { return allDone() || hasFailed(); });
  // The others stop at their next call, if they come to it.
  if (launchChanged.wait_for(lock, std::chrono::seconds(1), allDone) ||
      !options.onStuck)
    return;
  lock.unlock();
  options.onStuck(*getFailure());
}

std::optional<Failure> World::getFailure() const {
  std::lock_guard<std::mutex> lock(failureMutex);
  return failure;
}

void World::fail(Failure newFailure) {
  {
    std::lock_guard<std::mutex> lock(failureMutex);
    if (failure)
      return;
    failure = std::move(newFailure);
    failed = true;
  }
  {
    // Whoever has looked and not yet slept holds the lock.
    std::lock_guard<std::mutex> lock(launchMutex);
  }
  launchChanged.notify_all();
  onFailure();
}
