//===- Differences.h - A Jacobian against differences -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_DIFFERENCES_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_DIFFERENCES_H

#include "Derivatives.h"
#include "Report.h"

namespace mlir::comm::runner {

/// Compares J x' of forward mode with central differences, element by element,
/// along a random direction x' of differentiated argument `number`:
///
///   J x' = (f(x + h x') - f(x - h x')) / (2h) + O(h^2)
///
/// The steps h are 1e-6 of an element's size and smaller where a kink lies
/// between the points. Where the differences to both sides do not come together
/// as h becomes smaller, the function has no derivative here; the report then
/// says so. `values` is f(inputs); all in f64.
MaybeFailure checkDifferences(const Derivatives &code, const RankValues &inputs,
                              const RankValues &values, unsigned number,
                              uint64_t seed, ValueReport &report);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_DIFFERENCES_H
