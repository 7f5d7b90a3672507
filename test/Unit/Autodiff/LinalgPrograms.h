//===- LinalgPrograms.h - Ops of linalg to differentiate --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_AUTODIFF_LINALGPROGRAMS_H
#define COMM_TEST_UNIT_AUTODIFF_LINALGPROGRAMS_H

#include <vector>

namespace mlir::comm::testing {

/// A function `@f`, right to be differentiated where all numbers are in
/// [0.5, 1.5].
struct Program {
  const char *name;
  const char *text;
};

extern const std::vector<Program> contractions, convolutions, elementwiseOps,
    movements, reductions;

} // namespace mlir::comm::testing

#endif // COMM_TEST_UNIT_AUTODIFF_LINALGPROGRAMS_H
