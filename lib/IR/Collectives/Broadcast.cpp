//===- Broadcast.cpp - comm.broadcast -------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"
#include "comm/IR/Scaling.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult BroadcastOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false))) // broadcast_c3
    return failure();
  return verifySameType(*this); // broadcast_c2
}

LogicalResult BroadcastOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // broadcast_c1
}

// y = x_root  =>  x̄_root = ȳ, 0 elsewhere = root_mask ȳ
SmallVector<Value> BroadcastOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                            ValueRange cotangents) {
  return {
      RootMaskOp::create(builder, getLoc(), cotangents[0], getRoot(), getAxes())
          .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// the root has x: broadcast(root_mask x) = x, for the same root
static LogicalResult broadcastMasked(BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto mask = op.getInput().getDefiningOp<RootMaskOp>();
  if (!mask || mask.getAxes() != op.getAxes() || mask.getRoot() != op.getRoot())
    return failure();
  rewriter.replaceOp(op, mask.getInput());
  // What uses x now may be the only one that does.
  if (mask->use_empty())
    rewriter.eraseOp(mask);
  return success();
}

// the root is not the one that keeps x: broadcast_k(root_mask_j x) = 0
static LogicalResult broadcastZeros(BroadcastOp op, PatternRewriter &rewriter) {
  auto mask = op.getInput().getDefiningOp<RootMaskOp>();
  if (!mask || mask.getAxes() != op.getAxes() || mask.getRoot() == op.getRoot())
    return failure();
  rewriter.replaceOp(op, emitZeroLike(rewriter, op.getLoc(), mask.getInput()));
  return success();
}

// every root has the same x: broadcast_S(vary_B x) = vary_{B-S} x, S ⊆ B
static LogicalResult broadcastVaried(BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto vary = op.getInput().getDefiningOp<VaryOp>();
  if (!vary || !containsAxes(vary.getAxes(), op.getAxes()))
    return failure();
  rewriter.replaceOp(op, emitVaried(rewriter, op, vary,
                                    subtractAxes(vary.getAxes(), op.getAxes()),
                                    [](Value x) { return x; }));
  return success();
}

// the root has sum_j x_j: broadcast(reduce x) = all_reduce x, for the same root
static LogicalResult broadcastReduced(BroadcastOp op,
                                      PatternRewriter &rewriter) {
  auto reduce = getOnlyUsed<ReduceOp>(op.getInput());
  if (!reduce || reduce.getAxes() != op.getAxes() ||
      reduce.getRoot() != op.getRoot() || reduce->getBlock() != op->getBlock())
    return failure();
  rewriter.setInsertionPoint(reduce);
  rewriter.replaceOp(op, createAllReduce(rewriter, reduce.getLoc(),
                                         reduce.getInput(),
                                         reduce.getReduction(), op.getAxes()));
  return success();
}

void comm::populateBroadcastLaws(RewritePatternSet &patterns) {
  patterns.add(broadcastMasked)
      .add(broadcastZeros)
      .add(broadcastVaried)
      .add(broadcastReduced);
}
