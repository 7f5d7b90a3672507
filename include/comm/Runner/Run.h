//===- Run.h - Inputs, run, results, checks ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_RUN_H
#define COMM_RUNNER_RUN_H

#include "comm/Runner/Console.h"
#include "comm/Runner/RunFlags.h"
#include "comm/Runner/Vjp.h"

namespace mlir::comm::runner {

/// What a run takes, known before there is code.
struct RunPlan {
  FunctionSignature function;
  /// Where --grad asks for gradients. Its name is the function's until whoever
  /// has the code fills it in.
  std::optional<Vjp> vjp;
  /// The function's arguments.
  RankValues inputs;
};

/// Checks the flags against the function and builds its arguments: whatever is
/// wrong with a command line is told before a run, or anything that takes time.
Result<RunPlan> planRun(const FunctionSignature &function,
                        const RunOptions &options);

/// The code of a function, by its name.
using FunctionLookup =
    std::function<Result<PackedFunction>(const std::string &name)>;

/// Runs the function, or its vector-Jacobian product, prints what that gives
/// and checks it as the options say. `timeReport` is printed with the times;
/// may be empty.
MaybeFailure run(const RunPlan &plan, const FunctionLookup &lookup,
                 const RunOptions &options, const std::string &timeReport,
                 const Console &console);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_RUN_H
