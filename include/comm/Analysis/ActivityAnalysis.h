//===- ActivityAnalysis.h - What carries a derivative -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_ANALYSIS_ACTIVITYANALYSIS_H
#define COMM_ANALYSIS_ACTIVITYANALYSIS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::comm {

/// Which values of a block carry a derivative: those of a differentiable type
/// on a path from a source (a differentiated argument) to a sink (a result).
///
/// Paths run through control flow (`isStructuredControlFlow`:
/// iteration arguments, yields, captures), whose regions are part of the block;
/// any other op with regions is one computation. They run through integers as
/// well: an integer carries no derivative, but a float that was turned into one
/// and comes back must not be lost in silence. A value that decides only which
/// region runs, or how often, is on no path. Linear in the size of the block,
/// nested regions included.
class ActivityAnalysis {
public:
  ActivityAnalysis(Block &block, ValueRange sources, ValueRange sinks);

  /// Whether a value depends on a source, through values of any type.
  bool isDependent(Value value) const { return dependent.contains(value); }
  /// Whether a value carries a derivative.
  bool isActive(Value value) const { return active.contains(value); }
  /// Whether an op has an active result, which it computes from a dependent
  /// operand or capture.
  bool isOnPath(Operation *op) const {
    return llvm::any_of(op->getResults(),
                        [&](Value result) { return isActive(result); });
  }
  /// The operands of an op on a path that a cotangent is wanted for: the active
  /// ones.
  llvm::BitVector getWantedOperands(Operation *op) const;

  /// A rewrite has put `value` in the place of `replaced`.
  void replace(Value replaced, Value value);

private:
  llvm::DenseSet<Value> dependent;
  llvm::DenseSet<Value> active;
};

/// Calls `callback` on every value that an op reads: its operands and what its
/// regions capture from above.
void forEachReadValue(Operation *op, llvm::function_ref<void(Value)> callback);

} // namespace mlir::comm

#endif // COMM_ANALYSIS_ACTIVITYANALYSIS_H
