//===- Reference.h - A serial twin to compare with --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_REFERENCE_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_REFERENCE_H

#include "../Differentiate.h"
#include "Code.h"
#include "Report.h"

namespace mlir::comm::runner {

/// A function without collectives that takes and gives the same whole values as
/// the one that is checked, run by one rank in f64.
class Reference {
public:
  /// `program` holds the twin as it was loaded, with nothing resolved.
  /// `expected` is the signature of the function that is checked, `flag` what
  /// named the twin. Fails where the signatures differ, an argument of the
  /// checked function is not one value for all ranks, or the twin holds a
  /// collective.
  static Result<Reference> create(Program program,
                                  const FunctionSignature &expected,
                                  const std::vector<std::string> &wrt,
                                  const std::string &flag,
                                  const CodeOptions &options);

  /// Runs the twin on the same inputs. The seed of a result is the sum of its
  /// seeds over replica classes, since the twin's one value stands for all.
  MaybeFailure run(const FunctionSignature &checked, const RankValues &inputs,
                   const RankValues &seeds);

  /// Compares result or gradient `position` of the checked function on every
  /// rank with the twin's; adds that to the report.
  void compare(const RankValues &results, unsigned position,
               ValueReport &report) const;

private:
  Reference(Vjp vjp, Code code) : vjp(std::move(vjp)), code(std::move(code)) {}

  Vjp vjp;
  Code code;
  /// Results, then gradients, of the one rank.
  RankValues results;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_REFERENCE_H
