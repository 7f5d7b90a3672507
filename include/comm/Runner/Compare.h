//===- Compare.h - Results against what they should be ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_COMPARE_H
#define COMM_RUNNER_COMPARE_H

#include "comm/Runner/Inputs.h"

namespace mlir::comm::runner {

/// |got - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute;
  double relative;
};

/// What rounding in a short program may cost: 1e-9 for f64, 1e-5 for f32, 2e-3
/// for f16, 2e-2 for bf16, absolute and relative; 0 for integers.
Tolerance getDefaultTolerance(CommDataType type);

/// The tolerances of the command line, each instead of the default.
struct ToleranceOptions {
  std::optional<double> absolute;
  std::optional<double> relative;

  Tolerance get(CommDataType type) const;
};

/// The element that is furthest from what it should be.
struct Difference {
  int64_t rank = 0;
  int64_t position = 0;
  /// In units of what the tolerance allows: above 1 is a mismatch, a NaN is
  /// infinite.
  double excess = 0;
  /// How many elements are mismatches.
  int64_t mismatches = 0;
};

/// Compares two tensors of one type and shape. A NaN is never right, not even
/// where one was expected; an infinity is right where it was expected.
/// Integers are compared exactly.
Difference compareTensors(const HostTensor &got, const HostTensor &expected,
                          Tolerance tolerance);

/// How the results stand to the flags.
struct ComparisonReport {
  /// One line for each result that a flag names.
  std::vector<std::string> lines;
  bool passed = true;
};

/// Holds each result that an --expect flag names against it. The report names
/// the worst rank and index. A flag that is wrong in itself is a failure.
Result<ComparisonReport> checkExpected(const FunctionSignature &signature,
                                       const RankValues &results,
                                       const std::vector<ValueSpec> &specs,
                                       const ToleranceOptions &tolerance);

/// Compares each replicated result bit for bit within its replica classes, as
/// far as their ranks are here. The report has a line for each result that
/// differs.
ComparisonReport checkReplicated(const FunctionSignature &signature,
                                 const RankValues &results);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_COMPARE_H
