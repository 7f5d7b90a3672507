//===- RunFlags.h - The flags of whatever runs a program --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_RUNFLAGS_H
#define COMM_RUNNER_RUNFLAGS_H

#include "comm/Runner/Compare.h"
#include "comm/Runner/Flags.h"
#include "comm/Runner/Launch.h"
#include "comm/Runner/Print.h"

namespace mlir::comm::runner {

/// What a user asks of a run.
struct RunOptions {
  /// "-" is standard input.
  std::string file;
  /// Without the at sign. Empty: the program's own choice.
  std::string function;

  std::vector<ValueSpec> inputs;
  std::vector<ValueSpec> seeds;
  std::vector<ValueSpec> expected;
  std::vector<OutputSpec> outputs;
  uint64_t randomSeed = 0;
  ToleranceOptions tolerance;

  bool grad = false;
  /// Names or positions of arguments; empty: all that have a gradient.
  std::vector<std::string> wrt;

  LaunchOptions launch;
  bool checkReplicated = true;
  bool time = false;
  PrintOptions print;
};

/// How comm-run and comm-exec tell in --help what a value may be.
extern const char *const kValueHelp;
/// What their exit codes mean.
extern const char *const kExitCodeHelp;

/// Without the at sign, which may be left out.
std::string getFunctionName(const std::string &text);

/// The flags of a run, which comm-run and comm-exec have in common.
class RunFlags {
public:
  RunFlags(FlagTable &table, RunOptions &options);

  /// Once the table has parsed: checks the flags and completes the options.
  /// `differentiates` where the tool has another flag than --grad for which
  /// --seed and --wrt are good; `others` names it, such as " or --check-grad".
  MaybeFailure finish(bool differentiates = false,
                      const std::string &others = "");

private:
  FlagTable &table;
  RunOptions &options;
  std::vector<std::string> inputs, seeds, expected, outputs;
  std::optional<double> timeout;
  bool noCheckReplicated = false;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_RUNFLAGS_H
