//===- Differentiate.h - A program and its gradients ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_DIFFERENTIATE_H
#define COMM_TOOLS_COMMRUN_DIFFERENTIATE_H

#include "LoadProgram.h"
#include "comm/Runner/Inputs.h"

namespace mlir::comm::runner {

/// Proves the marks of the program's functions, makes their changes of state
/// explicit and turns the derivative ops that they hold into calls. Unless
/// `warn`, results that could be marked are not worth a warning.
LogicalResult resolveProgram(Program &program, bool warn = true);

/// What a program's vector-Jacobian product takes and gives.
struct Vjp {
  /// Arguments, then a seed for each float result; results, then gradients.
  FunctionSignature signature;
  /// The positions of the float results.
  std::vector<unsigned> seeded;
  /// The positions of the arguments that have a gradient, ascending.
  std::vector<unsigned> wrt;
};

/// Describes the derivative with respect to the arguments named in `wrt`; where
/// that is empty, to all of floats. Fails where there is nothing to
/// differentiate.
Result<Vjp> describeVjp(const FunctionSignature &signature,
                        const std::vector<std::string> &wrt);

/// Adds that function to the program's module and tells `vjp` its name.
LogicalResult addVjp(const Program &program, Vjp &vjp);

/// Adds the Jacobian-vector product with respect to the arguments of `vjp` to
/// the program's module and returns its signature: arguments, then a tangent
/// for each of those; results, then a tangent for each float result.
FailureOr<FunctionSignature> addJvp(const Program &program, const Vjp &vjp);

/// The inputs with the seeds behind them.
RankValues joinValues(RankValues inputs, const RankValues &seeds);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_DIFFERENTIATE_H
