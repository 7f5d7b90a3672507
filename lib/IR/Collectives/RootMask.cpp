//===- RootMask.cpp - comm.root_mask --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult RootMaskOp::verify() {
  return verifySameType(*this); // root_mask_c2
}

LogicalResult RootMaskOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // root_mask_c1
}

StringRef RootMaskOp::getVaryingAlternative() {
  return "to keep one rank's own value and zeros elsewhere, write "
         "'comm.permute' with the pair (root, root)";
}

// y_root = x, 0 elsewhere  =>  x̄ = ȳ_root = broadcast ȳ
SmallVector<Value> RootMaskOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                           ValueRange cotangents) {
  return {BroadcastOp::create(builder, getLoc(), cotangents[0], getRoot(),
                              getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// sum_j x_j on the root: root_mask_S(all_reduce_A x) = reduce_S x where S and A
// are the same set. For S ⊂ A, all_reduce_{A-S}(reduce_S x) is the same value
// but two collectives in place of one, of more bytes together.
static LogicalResult maskReduced(RootMaskOp op, PatternRewriter &rewriter) {
  auto reduce = getOnlyUsed<AllReduceOp>(op.getInput());
  if (!reduce || !isAdditive(reduce.getReduction()) ||
      !haveSameAxes(reduce.getAxes(), op.getAxes()))
    return failure();
  rewriter.setInsertionPoint(reduce);
  rewriter.replaceOp(
      op, ReduceOp::create(rewriter, reduce.getLoc(), reduce.getInput(),
                           reduce.getReduction(), op.getRoot(), op.getAxes()));
  return success();
}

// the concatenation on the root: root_mask(all_gather x) = gather x
static LogicalResult maskGathered(RootMaskOp op, PatternRewriter &rewriter) {
  auto gather = getOnlyUsed<AllGatherOp>(op.getInput());
  if (!gather || gather.getAxes() != op.getAxes())
    return failure();
  rewriter.setInsertionPoint(gather);
  rewriter.replaceOp(op,
                     GatherOp::create(rewriter, gather.getLoc(), op.getType(),
                                      gather.getInput(), gather.getDim(),
                                      op.getRoot(), op.getAxes()));
  return success();
}

void comm::populateRootMaskLaws(RewritePatternSet &patterns) {
  patterns.add(maskReduced).add(maskGathered);
}
