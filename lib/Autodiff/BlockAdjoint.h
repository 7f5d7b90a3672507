//===- BlockAdjoint.h - The adjoint of a block ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_BLOCKADJOINT_H
#define COMM_LIB_AUTODIFF_BLOCKADJOINT_H

#include "Residuals.h"
#include "comm/Autodiff/ReverseMode.h"

namespace mlir::comm {

/// The forward of a call or region op on a path, by the op that took its place.
struct ReplacedOp {
  RegionForward rule;
  /// The original's; the forward op has results of its own behind them.
  unsigned numResults;
};
using RegionForwards = DenseMap<Operation *, ReplacedOp>;

/// The calls on a path of a block.
SmallVector<RegionAdjointOpInterface>
getRegionOps(Block &block, const ActivityAnalysis &activity);

/// Replaces these calls in the forward function. All that cannot be replaced
/// are reported.
FailureOr<RegionForwards>
emitRegionForwards(ArrayRef<RegionAdjointOpInterface> ops,
                   AdjointDriver &driver);

/// Gathers what the backward reads of the ops on a path.
void gatherResiduals(Block &block, const ActivityAnalysis &activity,
                     const RegionForwards &regionForwards,
                     Residuals &residuals);

/// Pulls the cotangents back through every op on a path, last op first.
void emitBackward(OpBuilder &builder, Block &block,
                  const ActivityAnalysis &activity,
                  const RegionForwards &regionForwards,
                  const Residuals &residuals, ReverseMode &reverse);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_BLOCKADJOINT_H
