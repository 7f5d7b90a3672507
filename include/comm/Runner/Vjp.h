//===- Vjp.h - A function and its gradients ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_VJP_H
#define COMM_RUNNER_VJP_H

#include "comm/Runner/Inputs.h"

namespace mlir::comm::runner {

/// What a function's vector-Jacobian product takes and gives.
struct Vjp {
  /// Arguments, then a seed for each float result; results, then gradients.
  FunctionSignature signature;
  /// The positions of the float results.
  std::vector<unsigned> seeded;
  /// The positions of the arguments that have a gradient, ascending.
  std::vector<unsigned> wrt;
};

/// Describes the derivative with respect to the arguments named in `wrt`; where
/// that is empty, to all of floats. Its name is the function's own. Fails where
/// there is nothing to differentiate.
Result<Vjp> describeVjp(const FunctionSignature &signature,
                        const std::vector<std::string> &wrt);

/// The inputs with the seeds behind them.
RankValues joinValues(RankValues inputs, const RankValues &seeds);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_VJP_H
