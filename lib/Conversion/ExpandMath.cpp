//===- ExpandMath.cpp - Math ops without a lowering of their own ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

// In f64: LLVM does so too, but narrows by a function of compilers' libraries.
struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF16() && !op.getType().isBF16())
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> wide;
    for (Value operand : op->getOperands())
      wide.push_back(
          arith::ExtFOp::create(rewriter, loc, rewriter.getF64Type(), operand));
    Value result =
        math::FmaOp::create(rewriter, loc, wide[0], wide[1], wide[2]);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

// f64 to f16 or bf16 is a library function too, and f64 to f32 to f16 rounds
// twice. Rounding to odd first makes the second rounding the only one: if the
// f32 is not exact, take the one nearer to zero and set its last bit.
struct ExpandTrunc : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    if (!x.getType().isF64() || op.getType().isF32() ||
        !isa<FloatType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    Value nearest = arith::TruncFOp::create(rewriter, loc, f32, x);
    Value back = arith::ExtFOp::create(rewriter, loc, x.getType(), nearest);
    Value isInexact = arith::CmpFOp::create(rewriter, loc,
                                            arith::CmpFPredicate::ONE, back, x);
    Value isLarger =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, x));
    Value bits = arith::BitcastOp::create(rewriter, loc, i32, nearest);
    // Magnitudes are ordered as their bits are.
    Value towardsZero = arith::SubIOp::create(
        rewriter, loc, bits,
        arith::ExtUIOp::create(rewriter, loc, i32, isLarger));
    Value odd = arith::OrIOp::create(
        rewriter, loc, towardsZero,
        arith::ExtUIOp::create(rewriter, loc, i32, isInexact));
    Value rounded = arith::BitcastOp::create(rewriter, loc, f32, odd);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), rounded);
    return success();
  }
};

// b^p = prod_i (b^(2^i))^(p_i), p_i the bits of p, modulo 2^width. 1/b is an
// integer for b = 1 and b = -1, and b itself; else b^p is 0 for p < 0, also for
// b = 0.
struct ExpandPower : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isIntOrIndex())
      return failure();
    Location loc = op.getLoc();
    Value base = op.getLhs(), power = op.getRhs();
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          rewriter, loc,
          rewriter.getIntegerAttr(type, APInt(64, value, true).trunc(width)));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      return arith::CmpIOp::create(rewriter, loc, predicate, a, b);
    };
    if (width == 1) {
      Value isZero = arith::XOrIOp::create(rewriter, loc, power, number(-1));
      rewriter.replaceOpWithNewOp<arith::OrIOp>(op, base, isZero);
      return success();
    }
    Value zero = number(0), one = number(1);
    Value isNegative = compare(arith::CmpIPredicate::slt, power, zero);
    // |b| <= 1
    Value isSmall =
        compare(arith::CmpIPredicate::ule,
                arith::AddIOp::create(rewriter, loc, base, one), number(2));
    Value isNone = arith::AndIOp::create(
        rewriter, loc, isNegative,
        arith::XOrIOp::create(rewriter, loc, isSmall,
                              arith::ConstantOp::create(
                                  rewriter, loc, rewriter.getBoolAttr(true))));
    base = arith::SelectOp::create(rewriter, loc, isNone, zero, base);

    // A negative power's last bit is all that matters; all of them end.
    auto loop = scf::WhileOp::create(
        rewriter, loc, TypeRange{type, type, type},
        ValueRange{one, base, power},
        [&](OpBuilder &, Location, ValueRange values) {
          scf::ConditionOp::create(
              rewriter, loc, compare(arith::CmpIPredicate::ne, values[2], zero),
              values);
        },
        [&](OpBuilder &, Location, ValueRange values) {
          Value product =
              arith::MulIOp::create(rewriter, loc, values[0], values[1]);
          Value isOdd = compare(
              arith::CmpIPredicate::ne,
              arith::AndIOp::create(rewriter, loc, values[2], one), zero);
          Value result =
              arith::SelectOp::create(rewriter, loc, isOdd, product, values[0]);
          Value square =
              arith::MulIOp::create(rewriter, loc, values[1], values[1]);
          Value rest = arith::ShRUIOp::create(rewriter, loc, values[2], one);
          scf::YieldOp::create(rewriter, loc, ValueRange{result, square, rest});
        });
    rewriter.replaceOp(op, loop.getResult(0));
    return success();
  }
};

struct ExpandMath : comm::impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<ExpandFma, ExpandIsInf, ExpandIsNormal, ExpandPower, ExpandTrunc>(
            &getContext());
    math::populateExpansionPatterns(patterns, {"clampf"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
