//===- AdjointIdentity.h - A gradient against forward mode ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_ADJOINTIDENTITY_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_ADJOINTIDENTITY_H

#include "Derivatives.h"
#include "Report.h"

namespace mlir::comm::runner {

/// Checks the adjoint identity of differentiated argument `number`,
///
///   <J x', y~> = <x', J^T y~>
///
/// in the inner product that counts each replica class once, for a random
/// direction x' and the seeds y~. J x' is by forward mode and J^T y~ is the
/// gradient in `results`, which runVjp gave: both sides are exact to rounding
/// in f64. Where the identity does not hold, the element of the gradient that
/// is furthest off is looked for along unit directions.
MaybeFailure checkAdjointIdentity(const Derivatives &code,
                                  const RankValues &inputs,
                                  const RankValues &seeds,
                                  const RankValues &results, unsigned number,
                                  uint64_t seed, ValueReport &report);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_ADJOINTIDENTITY_H
