//===- CommandLine.h - What the user asks of comm-run -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_COMMANDLINE_H
#define COMM_TOOLS_COMMRUN_COMMANDLINE_H

#include "Compile.h"
#include "comm/Runner/RunFlags.h"

namespace mlir::comm::runner {

/// The flags, parsed and checked as far as they can be without the program.
struct CommandLine : RunOptions {
  bool checkGrad = false;
  /// What a gradient check compares with: functions by their names without the
  /// at sign; empty: none.
  std::string reference, vjp;
  /// Where its report goes as JSON: a file, "-" for standard output in place of
  /// the table, empty for nowhere.
  std::string json;
  /// Whether it takes data that are the same on all ranks.
  bool allowSymmetric = false;

  CompileOptions compile;
  /// The folder where compiled kernels are kept; empty: for this process alone.
  std::string kernelCache;

  /// How to compile for the backend; `cache` may be null.
  CompileOptions getCompileOptions(KernelCache *cache) const {
    CompileOptions options = compile;
    options.cache = cache;
    return options;
  }
};

/// Parses the command line. Ends the process after --help and --version.
Result<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_COMMANDLINE_H
