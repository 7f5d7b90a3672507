//===- Permute.cpp - comm.permute -----------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"
#include "comm/IR/Scaling.h"

#include <set>

using namespace mlir;
using namespace mlir::comm;

LogicalResult PermuteOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false)) || // permute_c5
      failed(verifySameType(*this)))                    // permute_c3
    return failure();
  ArrayRef<int64_t> pairs = getPairs();
  // permute_c4
  if (pairs.size() % 2 != 0)
    return emitOpError("expects pairs of source and target, got ")
           << pairs.size() << " numbers";
  // permute_c2, of any numbers: a DenseSet has two that it does not take.
  std::set<int64_t> sources, targets;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (!sources.insert(pairs[i]).second)
      return emitOpError("source ") << pairs[i] << " is named twice";
    if (!targets.insert(pairs[i + 1]).second)
      return emitOpError("target ") << pairs[i + 1] << " is named twice";
  }
  return success();
}

LogicalResult PermuteOp::verifyGroup(int64_t groupSize) {
  ArrayRef<int64_t> pairs = getPairs();
  for (size_t i = 0; i < pairs.size(); ++i) // permute_c1
    if (failed(verifyRankInGroup(*this, pairs[i], groupSize,
                                 i % 2 == 0 ? "source" : "target")))
      return failure();
  return success();
}

// y_t = x_s  =>  x̄_s = ȳ_t: permute with the pairs inverted; none where nobody
// sends, so that nothing is communicated for it
SmallVector<Value> PermuteOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                          ValueRange cotangents) {
  if (getPairs().empty())
    return {Value()};
  SmallVector<int64_t> inverted(getPairs());
  for (size_t i = 0; i < inverted.size(); i += 2)
    std::swap(inverted[i], inverted[i + 1]);
  return {
      PermuteOp::create(builder, getLoc(), cotangents[0], inverted, getAxes())
          .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// z_u = y_t = x_s: permute(permute x) = the composed permute
static LogicalResult permutePermuted(PermuteOp op, PatternRewriter &rewriter) {
  auto inner = getOnlyUsed<PermuteOp>(op.getInput());
  if (!inner || inner.getAxes() != op.getAxes() ||
      inner->getBlock() != op->getBlock())
    return failure();
  llvm::DenseMap<int64_t, int64_t> targets;
  ArrayRef<int64_t> outerPairs = op.getPairs(), innerPairs = inner.getPairs();
  for (size_t i = 0; i < outerPairs.size(); i += 2)
    targets[outerPairs[i]] = outerPairs[i + 1];
  SmallVector<int64_t> composed;
  for (size_t i = 0; i < innerPairs.size(); i += 2)
    if (auto target = targets.find(innerPairs[i + 1]); target != targets.end())
      llvm::append_values(composed, innerPairs[i], target->second);
  rewriter.setInsertionPoint(inner);
  rewriter.replaceOp(op, PermuteOp::create(rewriter, inner.getLoc(),
                                           inner.getInput(), composed,
                                           op.getAxes()));
  return success();
}

// y_t = x_t for every t: permute x = x
static LogicalResult permuteNothing(PermuteOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> pairs = op.getPairs();
  if (!op.getResult() ||
      (int64_t)pairs.size() != 2 * getGroupSize(op, op.getAxes()))
    return failure();
  for (size_t i = 0; i < pairs.size(); i += 2)
    if (pairs[i] != pairs[i + 1])
      return failure();
  rewriter.replaceOp(op, op.getInput());
  return success();
}

// nobody sends: permute x = 0
static LogicalResult permuteNobody(PermuteOp op, PatternRewriter &rewriter) {
  if (!op.getResult() || !op.getPairs().empty())
    return failure();
  rewriter.replaceOp(op, emitZeroLike(rewriter, op.getLoc(), op.getInput()));
  return success();
}

void comm::populatePermuteLaws(RewritePatternSet &patterns) {
  patterns.add(permutePermuted).add(permuteNothing).add(permuteNobody);
}
