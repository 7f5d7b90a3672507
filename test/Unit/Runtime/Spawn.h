//===- Spawn.h - Runs a function on every rank of a mesh --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_RUNTIME_SPAWN_H
#define COMM_TEST_UNIT_RUNTIME_SPAWN_H

#include "comm/Runtime/Communicator.h"
#include "gtest/gtest.h"

#include <cstdlib>

namespace mlir::comm::runtime {

/// The backend that the tests of collectives and products run on.
inline std::string getTestBackend() {
  const char *given = std::getenv("COMM_TEST_BACKEND");
  return given ? given : "threads";
}

/// What one rank of a test works with.
struct Rank {
  CommContext *context;
  int64_t rank;

  CommCommunicator *group(std::vector<int64_t> axes) const {
    return commCommunicator(context, axes.data(), axes.size());
  }
};

inline CommSite siteAt(const char *op, int32_t line, const char *detail = "") {
  return {op, "test.mlir", line, 1, detail};
}

/// Bytes where a rank's program has its own: in host memory that a sanitizer
/// knows the ends of, or on the rank's device.
class Buffer {
public:
  Buffer(CommContext *handle, std::vector<char> bytes)
      : context(*static_cast<Context *>(handle)), bytes(std::move(bytes)) {
    if (context.usesHostMemory())
      return;
    device = context.allocate(this->bytes.size());
    context.write(this->bytes.data(), device, this->bytes.size());
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { context.release(device); }

  void *data() { return device ? device : bytes.data(); }
  size_t size() const { return bytes.size(); }
  std::vector<char> read() {
    if (device)
      context.read(device, bytes.data(), bytes.size(), nullptr);
    return bytes;
  }

private:
  Context &context;
  std::vector<char> bytes;
  void *device = nullptr;
};

/// The world of a test, which outlives its run so that statuses can be read.
inline std::unique_ptr<World> makeWorld(const std::vector<int64_t> &sizes,
                                        Options options = {}) {
  static const char *const names[] = {"x", "y", "z"};
  Mesh mesh;
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.push_back({names[i], sizes[i]});
  std::string error;
  std::unique_ptr<World> world =
      World::create(mesh, getTestBackend(), std::move(options), error);
  EXPECT_TRUE(world) << error;
  return world;
}

inline std::optional<Failure>
run(World &world, const std::function<void(const Rank &)> &program) {
  return world.launch(
      [&](Context &context) { program({&context, context.getRank()}); });
}

/// Runs `program` on all ranks of a mesh and expects no failure.
inline void spawn(const std::vector<int64_t> &sizes,
                  const std::function<void(const Rank &)> &program,
                  Options options = {}) {
  std::unique_ptr<World> world = makeWorld(sizes, std::move(options));
  std::optional<Failure> failure = run(*world, program);
  EXPECT_FALSE(failure) << failure->message;
}

} // namespace mlir::comm::runtime

#endif // COMM_TEST_UNIT_RUNTIME_SPAWN_H
