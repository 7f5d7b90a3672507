//===- Inputs.h - The values that all ranks start with ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_INPUTS_H
#define COMM_RUNNER_INPUTS_H

#include "comm/Runner/ValueSpec.h"

namespace mlir::comm::runner {

/// Values of all ranks: [rank][argument or result]. A rank that lives in
/// another process has no results here.
using RankValues = std::vector<std::vector<HostTensor>>;

/// The ranks that have values here, in order.
std::vector<int64_t> getPresentRanks(const RankValues &values);

/// Which flag gives each value to each rank.
class SpecTable {
public:
  /// Finds the value that each flag is for. An unknown name, a rank that the
  /// mesh does not have and a value given twice are failures.
  static Result<SpecTable> create(const FunctionSignature &signature,
                                  ValueKind kind,
                                  const std::vector<ValueSpec> &specs);

  /// The flag for the value and the rank: one with @RANK before one without;
  /// null where there is none.
  const ValueSpec *lookup(unsigned position, int64_t rank) const;
  /// The flag with @RANK for the value and the rank, or null.
  const ValueSpec *lookupSpecific(unsigned position, int64_t rank) const;

private:
  /// By position; then the flag for all ranks and those for one.
  struct Row {
    std::optional<ValueSpec> general;
    std::vector<std::pair<int64_t, ValueSpec>> specific;
  };
  std::vector<Row> rows;
};

/// How buildInputs fills what no flag gives.
struct InputOptions {
  uint64_t randomSeed = 0;
  /// "rand" for arguments; "ones" for the seeds of results.
  std::string missing = "rand";
  /// The flag's name, for messages.
  std::string flag = "--input";
};

/// The values of all arguments (or the seeds of the results named in
/// `positions`) on all ranks: result[rank][i] belongs to positions[i].
///
/// A replicated value takes one value per replica class: from the flags with
/// @RANK of the class's ranks if there is one, else from the flag without, else
/// the missing one. Two different values in a class are a failure, as are
/// shapes that are not the same on all ranks.
Result<RankValues> buildInputs(const FunctionSignature &signature,
                               ValueKind kind,
                               const std::vector<unsigned> &positions,
                               const std::vector<ValueSpec> &specs,
                               const InputOptions &options);
/// The ranks on which that fills the value with random numbers: whose flag says
/// "rand", or which no flag reaches where options.missing does.
std::vector<int64_t> getRandomRanks(const FunctionSignature &signature,
                                    ValueKind kind, unsigned position,
                                    const SpecTable &table,
                                    const InputOptions &options);
/// The values of all arguments.
Result<RankValues> buildInputs(const FunctionSignature &signature,
                               const std::vector<ValueSpec> &specs,
                               const InputOptions &options);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_INPUTS_H
