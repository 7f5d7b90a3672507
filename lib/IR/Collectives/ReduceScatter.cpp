//===- ReduceScatter.cpp - comm.reduce_scatter ----------------------------===//
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

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true)) || // reduce_scatter_c5
      failed(verifyDim(*this, getDim(), "dim")))       // reduce_scatter_c1
    return failure();
  return verifyAdditive(*this, getReduction()); // reduce_scatter_c4
}

LogicalResult ReduceScatterOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyDivisible(*this, getDim(), groupSize))) // reduce_scatter_c2
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // reduce_scatter_c3
}

// y_i = chunk i of sum_j x_j  =>  x̄ = vary(all_gather ȳ); avg: of ȳ/n
SmallVector<Value> ReduceScatterOp::emitAdjoint(OpBuilder &builder,
                                                const Primals &,
                                                ValueRange cotangents) {
  Value cotangent = cotangents[0];
  if (getReduction() == ReductionKind::Avg)
    cotangent = emitQuotient(builder, getLoc(), cotangent,
                             getGroupSize(*this, getAxes()));
  Value gathered = AllGatherOp::create(builder, getLoc(), getInput().getType(),
                                       cotangent, getDim(), getAxes())
                       .getResult();
  return {VaryOp::create(builder, getLoc(), gathered, getAxes())};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// n equal terms, chunk i: reduce_scatter_S(vary_B x) =
// n_S · vary_{B-S}(all_slice_S x), S ⊆ B (avg: no factor)
static LogicalResult scatterVaried(ReduceScatterOp op,
                                   PatternRewriter &rewriter) {
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
        return AllSliceOp::create(rewriter, loc, op.getResult().getType(), x,
                                  op.getDim(), op.getAxes());
      });
  rewriter.replaceOp(op, emitMultiple(rewriter, loc, y, n));
  return success();
}

void comm::populateReduceScatterLaws(RewritePatternSet &patterns) {
  patterns.add(scatterVaried);
}
