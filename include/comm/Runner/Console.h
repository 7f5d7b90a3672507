//===- Console.h - What a tool says to its user -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_CONSOLE_H
#define COMM_RUNNER_CONSOLE_H

#include "comm/Runner/Result.h"

namespace mlir::comm::runner {

/// Standard output and standard error of a tool.
class Console {
public:
  /// `tool` is what messages begin with.
  explicit Console(std::string tool) : tool(std::move(tool)) {}

  /// `text` and a line break, on standard output.
  void print(const std::string &text) const;
  /// `text`, whose lines have ends already.
  void printText(const std::string &text) const;
  /// "comm-run: error: text" on standard error, behind all that was printed.
  void printError(const std::string &text) const;
  /// The failure's message, if it has one.
  void printFailure(const Failure &failure) const;

  /// Ends the process at once: a rank's thread may still be at work on what a
  /// normal exit would free.
  [[noreturn]] void exitWith(const Failure &failure) const;

  /// Runs a tool: reports what it fails with, what it throws and output that
  /// could not be written, and returns what its process is to exit with.
  int run(MaybeFailure (*tool)(int argc, char **argv, const Console &console),
          int argc, char **argv) const;

private:
  std::string tool;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_CONSOLE_H
