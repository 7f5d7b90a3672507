//===- Reducer.h - Small programs that fail alike ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_REDUCER_H
#define COMM_TEST_ORACLE_REDUCER_H

#include "Checker.h"

#include <functional>

namespace mlir::comm::oracle {

/// What a trial of a sequence of choices gave.
struct Trial {
  /// What it failed with; empty where it did not.
  std::string fault;
  /// The numbers that were taken, and which belong together.
  std::vector<int64_t> numbers;
  std::vector<std::pair<size_t, size_t>> spans;
};

using RunTrial = std::function<Trial(const std::vector<int64_t> &)>;

/// Drops and lowers numbers as long as the program still fails with the fault
/// of `failing`, trying at most `maxTrials` programs.
Trial reduce(Trial failing, const RunTrial &run, int64_t maxTrials);

/// Erases the ops of @f and of its helpers that no result needs, and unused
/// helpers.
void eraseUnused(ModuleOp module);

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_REDUCER_H
