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

namespace mlir::comm::runtime {

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

/// The world of a test, which outlives its run so that statuses can be read.
inline std::unique_ptr<World> makeWorld(const std::vector<int64_t> &sizes,
                                        Options options = {}) {
  static const char *const names[] = {"x", "y", "z"};
  Mesh mesh;
  for (size_t i = 0; i < sizes.size(); ++i)
    mesh.push_back({names[i], sizes[i]});
  std::string error;
  std::unique_ptr<World> world =
      World::create(mesh, "threads", std::move(options), error);
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
