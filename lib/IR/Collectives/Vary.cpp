//===- Vary.cpp - comm.vary -----------------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult VaryOp::verify() {
  return verifySameType(*this); // vary_c1
}

LogicalResult VaryOp::verifyGroup(int64_t) { return success(); }

StringRef VaryOp::getVaryingAlternative() {
  return "it is each rank's own already: drop the op, or name only the axes "
         "over which the operand is replicated";
}

// y_i = x  =>  x̄ = sum_j ȳ_j = all_reduce sum ȳ
SmallVector<Value> VaryOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                       ValueRange cotangents) {
  return {AllReduceOp::create(builder, getLoc(), cotangents[0],
                              ReductionKind::Sum, getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// the same x over B, then over A: vary_A(vary_B x) = vary_{A∪B} x
static LogicalResult varyVaried(VaryOp op, PatternRewriter &rewriter) {
  VaryOp inner = getVaryBeside(op.getInput(), op);
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<VaryOp>(op, inner.getInput(),
                                      uniteAxes(inner.getAxes(), op.getAxes()));
  return success();
}

// ranks that differ in B only do the same: op_S(vary_B(f x)) =
// vary_B(op_S(f x)) for disjoint S and B, so that op_S and a collective f meet
template <typename OpT>
static LogicalResult moveVaryOutward(OpT op, PatternRewriter &rewriter) {
  VaryOp vary = getVaryBeside(op.getInput(), op);
  if (!vary || !vary->hasOneUse() ||
      !areDisjoint(op.getAxes(), vary.getAxes()) ||
      !vary.getInput().getDefiningOp<CollectiveOpInterface>())
    return failure();
  Operation *moved = rewriter.clone(*op);
  moved->setOperand(0, vary.getInput());
  rewriter.replaceOp(op, createVary(rewriter, vary.getLoc(),
                                    moved->getResult(0), vary.getAxes()));
  return success();
}

void comm::populateVaryLaws(RewritePatternSet &patterns) {
  patterns.add(varyVaried);
  // The ops that have laws with others than vary; all_reduce has its own.
  patterns.add(moveVaryOutward<AllGatherOp>)
      .add(moveVaryOutward<AllSliceOp>)
      .add(moveVaryOutward<AllToAllOp>)
      .add(moveVaryOutward<BroadcastOp>)
      .add(moveVaryOutward<PermuteOp>)
      .add(moveVaryOutward<RootMaskOp>)
      .add(moveVaryOutward<ScatterOp>);
}
