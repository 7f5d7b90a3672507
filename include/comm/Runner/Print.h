//===- Print.h - Results as text ---------------------------------*- C++
//-*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_PRINT_H
#define COMM_RUNNER_PRINT_H

#include "comm/Runner/Inputs.h"

namespace mlir::comm::runner {

struct PrintOptions {
  /// Tensors with more elements are shown by the ends of their dimensions.
  bool printAll = false;
};

/// `tensor` in brackets, such as "[[1, 2], [3, 4]]", or a number for rank 0:
/// what the value flags read. Long matrices take a line for each row, which
/// begins with `indent` blanks.
std::string formatTensor(const HostTensor &tensor, const PrintOptions &options,
                         unsigned indent = 0);

/// "rank 1", "ranks 0..3" or "ranks 0, 2..4".
std::string formatRanks(const std::vector<int64_t> &ranks);

/// The values of all results of all ranks that have some, ranks with equal
/// values together:
///
///   y: 4xf32
///     ranks 0..2: [1, 2, 3, 4]
///     rank 3: [0, 0, 0, 0]
std::string formatResults(const FunctionSignature &signature,
                          const RankValues &results,
                          const PrintOptions &options);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_PRINT_H
