//===- AllGather.cpp - comm.all_gather ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult AllGatherOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true))) // all_gather_c3
    return failure();
  return verifyDim(*this, getDim(), "dim"); // all_gather_c1
}

LogicalResult AllGatherOp::verifyGroup(int64_t groupSize) {
  return verifyResized(*this, groupSize, {}, getDim()); // all_gather_c2
}

// y = concatenation of x_j  =>  x̄_i = chunk i of ȳ = all_slice ȳ
SmallVector<Value> AllGatherOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                            ValueRange cotangents) {
  return {AllSliceOp::create(builder, getLoc(), getInput().getType(),
                             cotangents[0], getDim(), getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// chunk i of x, put together again: all_gather(all_slice x) = x
static LogicalResult gatherSlices(AllGatherOp op, PatternRewriter &rewriter) {
  auto slice = op.getInput().getDefiningOp<AllSliceOp>();
  if (!slice || slice.getAxes() != op.getAxes() ||
      slice.getDim() != op.getDim())
    return failure();
  replaceWithValue(rewriter, op, slice.getInput());
  return success();
}

// the chunks of sum_j x_j, put together:
// all_gather(reduce_scatter x) = all_reduce x
static LogicalResult gatherReducedChunks(AllGatherOp op,
                                         PatternRewriter &rewriter) {
  auto scatter = getOnlyUsed<ReduceScatterOp>(op.getInput());
  if (!scatter || scatter.getAxes() != op.getAxes() ||
      scatter.getDim() != op.getDim() || scatter->getBlock() != op->getBlock())
    return failure();
  rewriter.setInsertionPoint(scatter);
  replaceWithValue(rewriter, op,
                   createAllReduce(rewriter, scatter.getLoc(),
                                   scatter.getInput(), scatter.getReduction(),
                                   scatter.getAxes()));
  return success();
}

void comm::populateAllGatherLaws(RewritePatternSet &patterns) {
  patterns.add(gatherSlices).add(gatherReducedChunks);
}
