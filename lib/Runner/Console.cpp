//===- Console.cpp - What a tool says to its user -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Console.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <unistd.h>

using namespace mlir::comm::runner;

void Console::print(const std::string &text) const { printText(text + "\n"); }

void Console::printText(const std::string &text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void Console::printError(const std::string &text) const {
  std::fflush(stdout);
  // Red and bold, where a person reads it.
  bool colors = isatty(fileno(stderr));
  std::fprintf(stderr, "%s: %serror: %s%s\n", tool.c_str(),
               colors ? "\033[0;1;31m" : "", colors ? "\033[0m" : "",
               text.c_str());
}

void Console::printFailure(const Failure &failure) const {
  std::fflush(stdout);
  if (!failure.message.empty())
    printError(failure.message);
}

void Console::exitWith(const Failure &failure) const {
  printFailure(failure);
  std::_Exit(static_cast<int>(failure.code));
}

int Console::run(MaybeFailure (*tool)(int, char **, const Console &), int argc,
                 char **argv) const {
  MaybeFailure failure;
  try {
    failure = tool(argc, argv, *this);
  } catch (const std::bad_alloc &) {
    failure = Failure{ExitCode::Runtime, "out of memory"};
  } catch (const std::exception &exception) {
    failure = Failure{ExitCode::Runtime, exception.what()};
  }
  if ((std::fflush(stdout) || std::ferror(stdout)) && !failure)
    failure = Failure{ExitCode::Runtime, "cannot write to standard output"};
  if (!failure)
    return static_cast<int>(ExitCode::Success);
  printFailure(*failure);
  return static_cast<int>(failure->code);
}
