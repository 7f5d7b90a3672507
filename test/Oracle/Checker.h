//===- Checker.h - A program against the definition -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_CHECKER_H
#define COMM_TEST_ORACLE_CHECKER_H

#include "Generator.h"

namespace mlir::comm::oracle {

struct CheckOptions {
  /// Differentiate @f_vjp again.
  bool hasSecondOrder = true;
  /// Run what is lowered, on this backend.
  bool executes = false;
  std::string backend = "threads";
  /// The seed of the values.
  uint64_t valueSeed = 0;
};

struct Verdict {
  enum class Kind {
    Right,
    /// The program has no value to compare: a division by zero, an order that
    /// a double cannot tell.
    Undefined,
    /// A claim that does not hold was refused.
    Refused,
    Wrong,
  };
  Kind kind = Kind::Right;
  /// Of a wrong one: what is wrong, the same for programs that fail alike.
  std::string fault;
  /// Expected and got.
  std::string details;
  /// How many gradients of gradients were compared, programs executed, laws and
  /// functions in forward mode compared.
  int64_t secondOrder = 0, executed = 0, laws = 0, tangents = 0;
};

/// Checks values, states, gradients and, where asked, gradients of gradients
/// and the compiled program.
Verdict check(const GeneratedProgram &program, const CheckOptions &options);

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_CHECKER_H
