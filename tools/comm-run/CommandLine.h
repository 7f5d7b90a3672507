//===- CommandLine.h - What the user asks of comm-run -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_COMMANDLINE_H
#define COMM_TOOLS_COMMRUN_COMMANDLINE_H

#include "comm/Runner/Compare.h"
#include "comm/Runner/Launch.h"
#include "comm/Runner/Print.h"

namespace mlir::comm::runner {

class KernelCache;
struct CompileOptions;

/// The flags, parsed and checked as far as they can be without the program.
struct CommandLine {
  /// "-" is standard input.
  std::string file;
  /// Empty: the program's own choice.
  std::string function;

  std::vector<ValueSpec> inputs;
  std::vector<ValueSpec> seeds;
  std::vector<ValueSpec> expected;
  std::vector<OutputSpec> outputs;
  uint64_t randomSeed = 0;
  ToleranceOptions tolerance;

  bool grad = false;
  bool checkGrad = false;
  /// What a gradient check compares with: functions by their names without the
  /// at sign; empty: none.
  std::string reference, vjp;
  /// Where its report goes as JSON: a file, "-" for standard output in place of
  /// the table, empty for nowhere.
  std::string json;
  /// Whether it takes data that are the same on all ranks.
  bool allowSymmetric = false;
  /// Names or positions of arguments; empty: all that have a gradient.
  std::vector<std::string> wrt;

  LaunchOptions launch;
  bool checkReplicated = true;
  bool time = false;
  /// Whether the run checks sizes and indices of local ops.
  bool verifyRuntime = false;
  bool keepGroupsOfOne = false;
  PrintOptions print;
  /// The folder where compiled kernels are kept; empty: for this process alone.
  std::string kernelCache;

  /// How to compile for the backend; `cache` may be null.
  CompileOptions getCompileOptions(KernelCache *cache) const;
};

/// Parses the command line. Ends the process after --help and --version. A
/// failure without a message has been reported already.
Result<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_COMMANDLINE_H
