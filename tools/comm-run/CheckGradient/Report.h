//===- Report.h - What a gradient check found -------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_REPORT_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_REPORT_H

#include "comm/Runner/Compare.h"
#include "llvm/Support/JSON.h"

namespace mlir::comm::runner {

/// One element of one rank's value, and what it should be.
struct Element {
  int64_t rank = 0;
  Shape index;
  double got = 0;
  double expected = 0;
  /// The result whose element it is; empty: of the value that is reported on.
  std::string result;
};

/// How one comparison came out.
struct Finding {
  /// The largest error, relative: 0 is exact, a NaN never right.
  double error = 0;
  /// How large it may be.
  double allowed = 0;
  /// The element that is furthest off, where elements were compared.
  std::optional<Element> worst;

  bool passed() const { return error <= allowed; }
  /// How much of what is allowed the error is; infinite for a NaN.
  double getExcess() const;
};

/// What a value's checks say together. Undecided: nothing is wrong, and the
/// function has no derivative where it was looked at.
enum class Verdict { Right, Wrong, Undecided };

/// The comparisons that a check makes, in the order of the table's columns.
enum class CheckKind { Adjoint, Difference, Precision, Replicas, Reference };
constexpr unsigned numCheckKinds = 5;
/// "adjoint", "difference", "precision", "replicas", "reference".
const char *getName(CheckKind kind);

/// A result of the function, or the gradient of an argument.
struct ValueReport {
  /// As flags name it: "y", "grad.x", "0".
  std::string name;
  ValueInfo info;
  /// By CheckKind; none where the comparison does not apply.
  std::optional<Finding> findings[numCheckKinds];
  /// Of a gradient: <J x', y~> and <x', J^T y~>, and whether both are sums of
  /// zeros, as where no result depends on the argument.
  double tangentSide = 0, cotangentSide = 0;
  bool isZero = false;
  /// Of a gradient: whether results depend on the argument in ways that have no
  /// gradient on purpose.
  bool hasStoppedPath = false;
  /// Why differences do not decide: the point is one without a derivative, or
  /// there are such ways; empty where they do.
  std::string kink;
  /// What more there is to say, a line each.
  std::vector<std::string> remarks;

  std::optional<Finding> &get(CheckKind kind) {
    return findings[static_cast<unsigned>(kind)];
  }
  const std::optional<Finding> &get(CheckKind kind) const {
    return findings[static_cast<unsigned>(kind)];
  }
  Verdict getVerdict() const;
  /// The comparison that is furthest from passing, of those with a worst
  /// element; none where no elements were compared.
  std::optional<CheckKind> getWorst() const;
};

/// All that a check found.
struct CheckReport {
  FunctionSignature signature;
  uint64_t randomSeed = 0;
  /// The names of the function's twin and of a hand-written derivative; empty
  /// where there is none.
  std::string reference, vjp;
  /// Results that were compared with something, then gradients.
  std::vector<ValueReport> values;

  /// Whether every value is right.
  bool passed() const;
};

/// "replicated over tp", "varying", or "one rank" where ranks cannot differ.
std::string formatState(const Mesh &mesh, const ValueInfo &info);
/// "rank 1, [0, 2]" or "y at rank 1, [0, 2]"; a scalar has no index.
std::string formatPlace(const Element &element);

/// The report for a person: a line for each value, remarks, and a verdict.
std::string formatTable(const CheckReport &report);
/// The report for programs; docs/Checking.md has the fields.
llvm::json::Value toJson(const CheckReport &report);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_REPORT_H
