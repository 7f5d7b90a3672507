//===- Flags.h - The command lines of the tools -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TOOL [--flag] [--flag=VALUE] [--flag VALUE] [-o VALUE] FILE
//
// One dash is as good as two. "--" ends the flags; "-" is a file.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_FLAGS_H
#define COMM_RUNNER_FLAGS_H

#include "comm/Runner/Result.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace mlir::comm::runner {

/// Splits `text` at blanks as a shell does: quotes and backslashes keep them.
std::vector<std::string> splitWords(const std::string &text);

/// What a tool's command line may hold: one file and any of its flags. The
/// variables that it sets must outlive it.
class FlagTable {
public:
  /// `overview` is what --help begins with, `version` what --version prints.
  FlagTable(std::string tool, std::string overview, std::string version);

  /// What the tool's file is called, such as "file.mlir", and where its path
  /// goes.
  void setFile(std::string name, std::string &path);

  /// A flag without a value.
  void addSwitch(std::string name, std::string help, bool &variable);
  /// A flag that may be given once.
  void addText(std::string name, std::string value, std::string help,
               std::string &variable);
  /// A flag that may be given again and again.
  void addTexts(std::string name, std::string value, std::string help,
                std::vector<std::string> &variable);
  void addInteger(std::string name, std::string value, std::string help,
                  int64_t &variable);
  void addInteger(std::string name, std::string value, std::string help,
                  uint64_t &variable);
  void addNumber(std::string name, std::string value, std::string help,
                 std::optional<double> &variable);

  /// Reads the words of the environment variable that is called after the tool,
  /// such as COMM_RUN_OPTIONS, then the arguments. Prints what --help and
  /// --version ask for and ends the process.
  MaybeFailure parse(int argc, const char *const *argv);

  /// Whether the flag was given.
  bool wasGiven(std::string_view name) const;

private:
  struct Flag {
    /// Without dashes.
    std::string name;
    /// What --help calls the value; empty for a switch.
    std::string value;
    std::string help;
    bool repeats;
    std::function<MaybeFailure(const std::string &value)> set;
    bool given = false;
  };

  template <typename T>
  void addParsed(std::string name, std::string value, std::string help,
                 const char *noun, T &variable);
  const Flag *find(std::string_view name) const;
  MaybeFailure set(Flag &flag, const std::string &value);
  MaybeFailure parseWords(const std::vector<std::string> &words);
  Failure unknownFlag(const std::string &word, const std::string &name) const;
  std::string getEnvironmentVariable() const;
  std::string formatHelp() const;

  std::string tool, overview, version;
  std::string fileName;
  std::string *file = nullptr;
  std::vector<Flag> flags;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_FLAGS_H
