//===- Literals.h - Nested lists of numbers ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_LITERALS_H
#define COMM_RUNNER_LITERALS_H

#include "comm/Runner/HostTensor.h"

namespace mlir::comm::runner {

/// `1,2,3` or `[[1,2],[3,4]]`, read but not converted yet.
struct LiteralList {
  /// In row-major order, views of the text that was parsed.
  std::vector<std::string_view> elements;
  /// Sizes by the brackets; empty where there are none.
  Shape shape;
  /// Whether there are brackets.
  bool isNested = false;
};

/// Reads `text`; blanks between the parts do not matter. Uneven lists and stray
/// or missing brackets are failures.
Result<LiteralList> parseLiterals(std::string_view text);

/// Converts the list to a tensor of `type` and `shape`: a list with brackets
/// has exactly that shape, one without has as many elements, and a single
/// element without brackets fills the tensor.
Result<HostTensor> convertLiterals(const LiteralList &list, CommDataType type,
                                   const Shape &shape);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_LITERALS_H
