//===- Laws.h - The laws of the collectives ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_LAWS_H
#define COMM_IR_LAWS_H

#include "comm/IR/Comm.h"

namespace mlir::comm {

// A law stands in the file of its outermost op. Four rules hold for all:
// - A law that makes the work of a collective part of a new one fires only if
//   the old one has no other use; one that only steps over it always fires.
// - The new collective stands where the inner one stood. The ranks then meet in
//   the order in which they met before, and no message can be caught between.
// - No axes move into a region from above: its condition may vary over them.
// - Only the tensor form is rewritten: a memref form does not define the
//   operand of another.

void populateAllGatherLaws(RewritePatternSet &patterns);
void populateAllReduceLaws(RewritePatternSet &patterns);
void populateAllSliceLaws(RewritePatternSet &patterns);
void populateAllToAllLaws(RewritePatternSet &patterns);
void populateBroadcastLaws(RewritePatternSet &patterns);
void populatePermuteLaws(RewritePatternSet &patterns);
void populateReduceLaws(RewritePatternSet &patterns);
void populateReduceScatterLaws(RewritePatternSet &patterns);
void populateRootMaskLaws(RewritePatternSet &patterns);
void populateScatterLaws(RewritePatternSet &patterns);
void populateVaryLaws(RewritePatternSet &patterns);
/// Local sums and parts of an all_reduce.
void populateLocalSumLaws(RewritePatternSet &patterns);
/// Sums of equal collectives.
void populateSumLaws(RewritePatternSet &patterns);
/// Groups of one rank, and axes of size 1.
void populateOneRankLaws(RewritePatternSet &patterns);

/// Whether `part` is a subset of `whole`.
bool containsAxes(AxesAttr whole, AxesAttr part);

/// Whether no axis is in both.
bool areDisjoint(AxesAttr a, AxesAttr b);

/// The axes of `axes` that are not in `removed`, in the order written; null
/// where none is left.
AxesAttr subtractAxes(AxesAttr axes, AxesAttr removed);

/// The axes of `a`, then those of `b` that are not in `a`.
AxesAttr uniteAxes(AxesAttr a, AxesAttr b);

/// Whether a reduction is linear: `sum` or `avg`.
bool isAdditive(ReductionKind reduction);

/// The op that defines `value`, if it is an `OpT` with no other use.
template <typename OpT>
OpT getOnlyUsed(Value value) {
  auto op = value.getDefiningOp<OpT>();
  return op && value.hasOneUse() ? op : OpT();
}

/// The `vary` that defines `value`, if it stands in the block of `user`: what
/// varies over its axes may not move into a region that they control.
VaryOp getVaryBeside(Value value, Operation *user);

/// `vary x` over the axes; x where `axes` is null.
Value createVary(OpBuilder &builder, Location loc, Value x, AxesAttr axes);

/// `emit(x)` varying over `left`, for a law that takes the `vary` of x away
/// from under `op` but for the axes `left`; null where none is left. From
/// outside a region, x is varied where it was.
Value emitVaried(PatternRewriter &rewriter, Operation *op, VaryOp vary,
                 AxesAttr left, llvm::function_ref<Value(Value)> emit);

/// `all_reduce x` over the axes; x where `axes` is null.
Value createAllReduce(OpBuilder &builder, Location loc, Value x,
                      ReductionKind reduction, AxesAttr axes);

/// Replaces the one result of `op`; a cast bridges types that differ in which
/// sizes are static.
void replaceWithValue(PatternRewriter &rewriter, Operation *op, Value value);

} // namespace mlir::comm

#endif // COMM_IR_LAWS_H
