//===- Result.h - Exit codes and failures of the runners --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runner library knows neither MLIR nor LLVM and throws nothing but
// std::bad_alloc: whatever can fail returns one of these.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_RESULT_H
#define COMM_RUNNER_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mlir::comm::runner {

/// What a runner's process returns.
enum class ExitCode : int {
  /// The program ran, and everything that was checked is right.
  Success = 0,
  /// The program ran, and a value is not the expected one, a gradient is wrong,
  /// or ranks that must agree do not.
  Mismatch = 1,
  /// The command line or a file that it names is wrong; nothing ran.
  Usage = 2,
  /// The program was refused by the compiler.
  Compile = 3,
  /// A rank failed, hung or disagreed with the others while it ran, or an
  /// output could not be written.
  Runtime = 4,
};

/// Why something could not be done: one message, lower case, no full stop,
/// further lines being notes.
struct Failure {
  ExitCode code;
  std::string message;
};

/// A failure that the user's command line is to blame for.
inline Failure usageFailure(std::string message) {
  return {ExitCode::Usage, std::move(message)};
}

/// What a function with nothing to return gives back: nothing, or why not.
using MaybeFailure = std::optional<Failure>;

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Failure failure) : content(std::move(failure)) {}

  /// Whether there is a value.
  explicit operator bool() const { return std::holds_alternative<T>(content); }
  /// The value; only if there is one.
  T &operator*() { return *std::get_if<T>(&content); }
  const T &operator*() const { return *std::get_if<T>(&content); }
  T *operator->() { return std::get_if<T>(&content); }
  const T *operator->() const { return std::get_if<T>(&content); }
  /// Why there is none; only if there is none.
  const Failure &getFailure() const { return *std::get_if<Failure>(&content); }

private:
  std::variant<T, Failure> content;
};

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_RESULT_H
