//===- AllToAll.cpp - comm.all_to_all -------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult AllToAllOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true)) ||  // all_to_all_c4
      failed(verifyDim(*this, getSplitDim(), "split"))) // all_to_all_c1
    return failure();
  return verifyDim(*this, getConcatDim(), "concat"); // all_to_all_c1
}

LogicalResult AllToAllOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyDivisible(*this, getSplitDim(), groupSize))) // all_to_all_c2
    return failure();
  if (getSplitDim() == getConcatDim()) // all_to_all_c3
    return verifyResized(*this, groupSize, {}, {});
  return verifyResized(*this, groupSize, getSplitDim(), getConcatDim());
}

// chunk j of y_i = chunk i of x_j  =>  chunk i of x̄_j = chunk j of ȳ_i:
// all_to_all with split and concat swapped
SmallVector<Value> AllToAllOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                           ValueRange cotangents) {
  return {AllToAllOp::create(builder, getLoc(), getInput().getType(),
                             cotangents[0], getConcatDim(), getSplitDim(),
                             getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// the chunks sent there and back: all_to_all(its swap x) = x
static LogicalResult swapBack(AllToAllOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<AllToAllOp>();
  if (!inner || inner.getAxes() != op.getAxes() ||
      inner.getSplitDim() != op.getConcatDim() ||
      inner.getConcatDim() != op.getSplitDim())
    return failure();
  replaceWithValue(rewriter, op, inner.getInput());
  return success();
}

void comm::populateAllToAllLaws(RewritePatternSet &patterns) {
  patterns.add(swapBack);
}
