//===- Cases.h - The programs whose matrices are compared -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_TRANSPOSITION_CASES_H
#define COMM_TEST_UNIT_TRANSPOSITION_CASES_H

#include "comm/Runtime/Communicator.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::comm {

/// One op over one group, as a function of one tensor.
///
/// Every tensor has one trailing dimension more than `shape` and `resultShape`
/// say: its columns are independent, so that one run yields the whole matrix.
struct Case {
  /// The op, such as "comm.all_gather"; for messages there are two.
  std::vector<std::string> ops;
  /// The lines that define %y from %x. "IN" and "OUT" stand for the tensor
  /// types, "OVER" for the group.
  std::string body;
  std::vector<int64_t> shape, resultShape;
  /// Positions of the group's axes in the mesh, in the order written.
  std::vector<int64_t> axes;
  /// Whether the argument, the result is marked replicated over the group.
  bool isArgumentMarked = false, isResultMarked = false;
  /// For an op that is not linear: the derivative of the result on a rank by
  /// the operand on a rank of the same group, given what all ranks of the group
  /// hold at an element and which of them is asked for.
  std::function<double(const std::vector<double> &, size_t)> derivative;
};

/// Every op that is known here, with every dimension, several roots and pairs,
/// over the group `axes` of n ranks; results of reductions marked and unmarked.
std::vector<Case> makeCases(const std::vector<int64_t> &axes, int64_t n);

} // namespace mlir::comm

#endif // COMM_TEST_UNIT_TRANSPOSITION_CASES_H
