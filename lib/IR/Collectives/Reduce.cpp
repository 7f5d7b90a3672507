//===- Reduce.cpp - comm.reduce -------------------------------------------===//
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

LogicalResult ReduceOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false)) || // reduce_c4
      failed(verifySameType(*this)))                    // reduce_c2
    return failure();
  return verifyAdditive(*this, getReduction()); // reduce_c3
}

LogicalResult ReduceOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // reduce_c1
}

// y_root = sum_j x_j, 0 elsewhere  =>  x̄ = vary(broadcast ȳ); avg: of ȳ/n
SmallVector<Value> ReduceOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                         ValueRange cotangents) {
  Value cotangent = cotangents[0];
  if (getReduction() == ReductionKind::Avg)
    cotangent = emitQuotient(builder, getLoc(), cotangent,
                             getGroupSize(*this, getAxes()));
  Value root =
      BroadcastOp::create(builder, getLoc(), cotangent, getRoot(), getAxes())
          .getResult();
  return {VaryOp::create(builder, getLoc(), root, getAxes())};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// n equal terms on the root: reduce_S(vary_B x) =
// n_S · vary_{B-S}(root_mask_S x), S ⊆ B (avg: no factor)
static LogicalResult reduceVaried(ReduceOp op, PatternRewriter &rewriter) {
  auto vary = op.getInput().getDefiningOp<VaryOp>();
  if (!vary || !containsAxes(vary.getAxes(), op.getAxes()))
    return failure();
  int64_t n = op.getReduction() == ReductionKind::Avg
                  ? 1
                  : getGroupSize(op, op.getAxes());
  if (!isExactFactor(getElementTypeOrSelf(op.getInput()), n))
    return failure();
  Location loc = op.getLoc();
  Value y = emitVaried(
      rewriter, op, vary, subtractAxes(vary.getAxes(), op.getAxes()),
      [&](Value x) -> Value {
        return RootMaskOp::create(rewriter, loc, x, op.getRoot(), op.getAxes());
      });
  rewriter.replaceOp(op, emitMultiple(rewriter, loc, y, n));
  return success();
}

void comm::populateReduceLaws(RewritePatternSet &patterns) {
  patterns.add(reduceVaried);
}
