//===- Scatter.cpp - comm.scatter -----------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult ScatterOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true))) // scatter_c5
    return failure();
  return verifyDim(*this, getDim(), "dim"); // scatter_c1
}

LogicalResult ScatterOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyRankInGroup(*this, getRoot(), groupSize,
                               "root")) ||                 // scatter_c2
      failed(verifyDivisible(*this, getDim(), groupSize))) // scatter_c3
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // scatter_c4
}

// y_i = chunk i of x_root  =>  x̄_root = the ȳ_j put together = gather ȳ
SmallVector<Value> ScatterOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                          ValueRange cotangents) {
  return {GatherOp::create(builder, getLoc(), getInput().getType(),
                           cotangents[0], getDim(), getRoot(), getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// what the root put together, taken apart: scatter(gather x) = x
static LogicalResult scatterGathered(ScatterOp op, PatternRewriter &rewriter) {
  auto gather = op.getInput().getDefiningOp<GatherOp>();
  if (!gather || gather.getAxes() != op.getAxes() ||
      gather.getDim() != op.getDim() || gather.getRoot() != op.getRoot())
    return failure();
  replaceWithValue(rewriter, op, gather.getInput());
  return success();
}

// every root has the same x: scatter_S(vary_B x) = vary_{B-S}(all_slice_S x),
// S ⊆ B
static LogicalResult scatterVaried(ScatterOp op, PatternRewriter &rewriter) {
  auto vary = op.getInput().getDefiningOp<VaryOp>();
  if (!vary || !containsAxes(vary.getAxes(), op.getAxes()))
    return failure();
  Value y =
      emitVaried(rewriter, op, vary, subtractAxes(vary.getAxes(), op.getAxes()),
                 [&](Value x) -> Value {
                   return AllSliceOp::create(rewriter, op.getLoc(),
                                             op.getResult().getType(), x,
                                             op.getDim(), op.getAxes());
                 });
  rewriter.replaceOp(op, y);
  return success();
}

void comm::populateScatterLaws(RewritePatternSet &patterns) {
  patterns.add(scatterGathered).add(scatterVaried);
}
