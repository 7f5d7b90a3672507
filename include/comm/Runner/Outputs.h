//===- Outputs.h - Results as files -----------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_OUTPUTS_H
#define COMM_RUNNER_OUTPUTS_H

#include "comm/Runner/Inputs.h"

namespace mlir::comm::runner {

/// Checks before a run what the output flags name: results and ranks that there
/// are, files that can be written, and no file twice. Leaves the files as they
/// are.
MaybeFailure checkOutputs(const FunctionSignature &signature,
                          const std::vector<OutputSpec> &specs);

/// Writes the .npy files. A path without {rank} takes a value of all ranks only
/// if they are identical. Ranks of other processes are written there, and a
/// value of all ranks where the first of them is. Returns a line for each flag,
/// such as "wrote result 'y' of ranks 0..3 to y.{rank}.npy".
Result<std::vector<std::string>>
writeOutputs(const FunctionSignature &signature, const RankValues &results,
             const std::vector<OutputSpec> &specs);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_OUTPUTS_H
