//===- CudaTesting.h - Tests on the double of CUDA --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_RUNTIME_CUDATESTING_H
#define COMM_TEST_UNIT_RUNTIME_CUDATESTING_H

#include "CommCudaDouble.h"
#include "Model.h"

#include "gmock/gmock.h"
#include <thread>

namespace mlir::comm::runtime {

/// A memref descriptor of rank 1.
struct Vector {
  float *allocated, *aligned;
  int64_t offset, size, stride;
};
/// What a program returns that has one result.
struct OneVector {
  int32_t status;
  Vector result;
};

/// All that the double has reported, a line each.
inline std::string getReports() {
  std::string all;
  for (uint64_t i = 0; const char *text = comm_double_report_text(i); ++i)
    all += std::string(text) + "\n";
  return all;
}

/// Starts with no failures planned, and ends with nothing reported.
class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    comm_double_clear_failures();
    comm_double_clear_reports();
  }
  void TearDown() override {
    comm_double_clear_failures();
    EXPECT_EQ(getReports(), "");
  }

  /// Runs a program that fails, before the timeout is over.
  Failure fail(const std::vector<int64_t> &sizes,
               const std::function<void(const Rank &)> &program,
               std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    Options options;
    options.timeout = timeout;
    std::unique_ptr<World> world = makeWorld(sizes, options);
    std::optional<Failure> failure = run(*world, program);
    EXPECT_TRUE(failure);
    return failure.value_or(Failure{-1, COMM_SUCCESS, ""});
  }

  /// Runs `step` on three ranks twice, each with State(rank), and looks at the
  /// counts of the second time.
  template <typename State>
  void countAgain(const std::function<void(const Rank &, State &)> &step,
                  const std::function<void()> &check) {
    std::atomic<int> come{0};
    auto meet = [&](int round) {
      ++come;
      while (come < round * 3)
        std::this_thread::yield();
    };
    spawn({3}, [&](const Rank &rank) {
      auto *context = static_cast<Context *>(rank.context);
      State state(rank);
      step(rank, state);
      EXPECT_EQ(COMM_SUCCESS, context->synchronize());
      meet(1);
      if (rank.rank == 0)
        comm_double_reset_counts();
      meet(2);
      step(rank, state);
      meet(3);
      if (rank.rank == 0)
        check();
      meet(4);
      EXPECT_EQ(COMM_SUCCESS, context->synchronize());
    });
  }
};

inline Buffer makeFloats(const Rank &rank, const Values &values) {
  return Buffer(rank.context, encode(COMM_F32, values));
}
inline Values readFloats(Buffer &buffer) {
  return decode(COMM_F32, buffer.read());
}

} // namespace mlir::comm::runtime

#endif // COMM_TEST_UNIT_RUNTIME_CUDATESTING_H
