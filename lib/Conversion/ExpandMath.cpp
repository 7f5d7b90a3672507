//===- ExpandMath.cpp - Math ops without a lowering of their own ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::comm {
#define GEN_PASS_DEF_EXPANDMATH
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

static Value createFloat(OpBuilder &builder, Location loc, Type type,
                         const APFloat &value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

namespace {

// |x| = infinity
struct ExpandIsInf : OpRewritePattern<math::IsInfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsInfOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return failure();
    Location loc = op.getLoc();
    Value size = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value infinity = createFloat(rewriter, loc, type,
                                 APFloat::getInf(type.getFloatSemantics()));
    rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ,
                                               size, infinity);
    return success();
  }
};

// smallest normal number <= |x| < infinity
struct ExpandIsNormal : OpRewritePattern<math::IsNormalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IsNormalOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return failure();
    Location loc = op.getLoc();
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    Value size = math::AbsFOp::create(rewriter, loc, op.getOperand());
    Value smallest = createFloat(rewriter, loc, type,
                                 APFloat::getSmallestNormalized(semantics));
    Value infinity =
        createFloat(rewriter, loc, type, APFloat::getInf(semantics));
    Value isLarge = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGE, size, smallest);
    Value isFinite = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, size, infinity);
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
    return success();
  }
};

struct ExpandMath : comm::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandIsInf, ExpandIsNormal>(&getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
