//===- Report.h - Counts, reports and failures ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_REPORT_H
#define COMM_CUDADOUBLE_ENGINE_REPORT_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::comm::cudadouble {

/// Counts a call, or what it did.
void count(const std::string &name);

/// Reports a mistake of the program under test: see comm_double_reports. Equal
/// texts are printed once.
void report(const char *kind, const std::string &text);

/// An environment variable as a number.
uint64_t getNumber(const char *variable, uint64_t otherwise);

/// What an entry point is told to do wrong.
struct Injection {
  enum class How { Return, Async, Never } how;
  /// The name of an error; none for Never.
  std::string error;
};
/// Counts the call against the plan. `rank` and `device` are -1 where they are
/// not known.
std::optional<Injection> findInjection(const char *entry, int rank, int device);

/// The calling thread, for reports.
struct Caller {
  unsigned number;
  /// The rank that it has initialized a communicator for, or -1.
  int rank = -1;
  /// The current device.
  int device = 0;
};
Caller &getCaller();

/// What comm_double_check_leaks calls; each library adds its own. Returns how
/// many it has reported.
void addLeakCheck(uint64_t (*check)());

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_REPORT_H
