//===- MathAdjoints.cpp - Adjoints of the math ops ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "comm/Autodiff/ExternalModels.h"
#include "comm/Interfaces/SameShapeBounds.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::comm;

namespace {

enum class Reads { Operand, Result };

/// An op of one operand and one result, whose adjoint reads one of the two:
/// `Model::adjoint(dy, x)` or `Model::adjoint(dy, y)`.
template <typename Model, typename OpType, Reads reads>
struct UnaryModel : ElementwiseModel<Model, OpType> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {reads == Reads::Operand ? Residual::operand(0)
                                    : Residual::result(0)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Value primal =
        reads == Reads::Operand ? primals.getOperand(0) : primals.getResult(0);
    return {
        Model::adjoint(Term(context, cotangents[0]), Term(context, primal))};
  }
};

template <typename Model, typename OpType>
using OfOperand = UnaryModel<Model, OpType, Reads::Operand>;
template <typename Model, typename OpType>
using OfResult = UnaryModel<Model, OpType, Reads::Result>;

constexpr double ln2 = 0.6931471805599453094;
constexpr double ln10 = 2.3025850929940456840;
constexpr double twoOverSqrtPi = 1.1283791670955125739;

// y = exp x  =>  x̄ = ȳ·y
struct Exp : OfResult<Exp, math::ExpOp> {
  static Term adjoint(Term dy, Term y) { return dy * y; }
};

// y = 2^x  =>  x̄ = ȳ·y·ln 2
struct Exp2 : OfResult<Exp2, math::Exp2Op> {
  static Term adjoint(Term dy, Term y) { return dy * (ln2 * y); }
};

// y = exp x - 1  =>  x̄ = ȳ·(y + 1)
struct ExpM1 : OfResult<ExpM1, math::ExpM1Op> {
  static Term adjoint(Term dy, Term y) { return dy * (y + 1.0); }
};

// y = ln x  =>  x̄ = ȳ/x
struct Log : OfOperand<Log, math::LogOp> {
  static Term adjoint(Term dy, Term x) { return dy / x; }
};

// y = log_2 x  =>  x̄ = ȳ/(x·ln 2)
struct Log2 : OfOperand<Log2, math::Log2Op> {
  static Term adjoint(Term dy, Term x) { return dy / (ln2 * x); }
};

// y = log_10 x  =>  x̄ = ȳ/(x·ln 10)
struct Log10 : OfOperand<Log10, math::Log10Op> {
  static Term adjoint(Term dy, Term x) { return dy / (ln10 * x); }
};

// y = ln(1 + x)  =>  x̄ = ȳ/(1 + x)
struct Log1p : OfOperand<Log1p, math::Log1pOp> {
  static Term adjoint(Term dy, Term x) { return dy / (x + 1.0); }
};

// y = √x  =>  x̄ = ȳ/(2·y)
struct Sqrt : OfResult<Sqrt, math::SqrtOp> {
  static Term adjoint(Term dy, Term y) { return dy / (2.0 * y); }
};

// y = 1/√x  =>  x̄ = -ȳ·y³/2
struct Rsqrt : OfResult<Rsqrt, math::RsqrtOp> {
  static Term adjoint(Term dy, Term y) { return dy * (-0.5 * (y * y * y)); }
};

// y = ∛x  =>  x̄ = ȳ/(3·y²)
struct Cbrt : OfResult<Cbrt, math::CbrtOp> {
  static Term adjoint(Term dy, Term y) { return dy / (3.0 * (y * y)); }
};

// y = sin x  =>  x̄ = ȳ·cos x
struct Sin : OfOperand<Sin, math::SinOp> {
  static Term adjoint(Term dy, Term x) { return dy * x.apply<math::CosOp>(); }
};

// y = cos x  =>  x̄ = -ȳ·sin x
struct Cos : OfOperand<Cos, math::CosOp> {
  static Term adjoint(Term dy, Term x) { return dy * -x.apply<math::SinOp>(); }
};

// y = tan x  =>  x̄ = ȳ·(1 + y²)
struct Tan : OfResult<Tan, math::TanOp> {
  static Term adjoint(Term dy, Term y) { return dy * (y * y + 1.0); }
};

// y = asin x  =>  x̄ = ȳ/√((1 - x)·(1 + x))
struct Asin : OfOperand<Asin, math::AsinOp> {
  static Term adjoint(Term dy, Term x) {
    return dy / ((1.0 - x) * (x + 1.0)).apply<math::SqrtOp>();
  }
};

// y = acos x  =>  x̄ = -ȳ/√((1 - x)·(1 + x))
struct Acos : OfOperand<Acos, math::AcosOp> {
  static Term adjoint(Term dy, Term x) { return -Asin::adjoint(dy, x); }
};

// y = atan x  =>  x̄ = ȳ/(1 + x²)
struct Atan : OfOperand<Atan, math::AtanOp> {
  static Term adjoint(Term dy, Term x) { return dy / (x * x + 1.0); }
};

// y = sinh x  =>  x̄ = ȳ·cosh x
struct Sinh : OfOperand<Sinh, math::SinhOp> {
  static Term adjoint(Term dy, Term x) { return dy * x.apply<math::CoshOp>(); }
};

// y = cosh x  =>  x̄ = ȳ·sinh x
struct Cosh : OfOperand<Cosh, math::CoshOp> {
  static Term adjoint(Term dy, Term x) { return dy * x.apply<math::SinhOp>(); }
};

// y = tanh x  =>  x̄ = ȳ·(1 - y²)
struct Tanh : OfResult<Tanh, math::TanhOp> {
  static Term adjoint(Term dy, Term y) { return dy * (1.0 - y * y); }
};

// y = asinh x  =>  x̄ = ȳ/√(1 + x²)
struct Asinh : OfOperand<Asinh, math::AsinhOp> {
  static Term adjoint(Term dy, Term x) {
    return dy / (x * x + 1.0).apply<math::SqrtOp>();
  }
};

// y = acosh x  =>  x̄ = ȳ/√((x - 1)·(x + 1))
struct Acosh : OfOperand<Acosh, math::AcoshOp> {
  static Term adjoint(Term dy, Term x) {
    return dy / ((x - 1.0) * (x + 1.0)).apply<math::SqrtOp>();
  }
};

// y = atanh x  =>  x̄ = ȳ/((1 - x)·(1 + x))
struct Atanh : OfOperand<Atanh, math::AtanhOp> {
  static Term adjoint(Term dy, Term x) { return dy / ((1.0 - x) * (x + 1.0)); }
};

// y = erf x  =>  x̄ = ȳ·2/√π·exp(-x²)
struct Erf : OfOperand<Erf, math::ErfOp> {
  static Term adjoint(Term dy, Term x) {
    return dy * (twoOverSqrtPi * (-(x * x)).apply<math::ExpOp>());
  }
};

// y = 1 - erf x  =>  x̄ = -ȳ·2/√π·exp(-x²)
struct Erfc : OfOperand<Erfc, math::ErfcOp> {
  static Term adjoint(Term dy, Term x) { return -Erf::adjoint(dy, x); }
};

// The slope of |x|: -1 or 1, and 0 at 0. NaN keeps a slope of 1, so that a
// gradient through it is not silently zero.
Term emitSlopeOfAbs(Term x) {
  Value atZero = x.compare(arith::CmpFPredicate::OEQ, x.constant(0.0));
  Term sign = x.constant(1.0).apply<math::CopySignOp>(x);
  return x.constant(0.0).selectIf(atZero, sign);
}

// y = |x|  =>  x̄ = ȳ·sign x, with sign 0 = 0
struct AbsF : OfOperand<AbsF, math::AbsFOp> {
  static Term adjoint(Term dy, Term x) { return dy * emitSlopeOfAbs(x); }
};

// y = a step function of x  =>  no contribution: its slope is 0 wherever it has
// one. The rule exists so that a path through a step is not an error.
template <typename OpType>
struct Step : ElementwiseModel<Step<OpType>, OpType> {
  SmallVector<Value> emitAdjoint(Operation *, OpBuilder &, const Primals &,
                                 ValueRange) const {
    return {Value()};
  }
};

// s = sin x, c = cos x  =>  x̄ = s̄·c - c̄·s
struct Sincos : AdjointModel<Sincos, math::SincosOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::result(0), Residual::result(1)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term sin(context, primals.getResult(0)), cos(context, primals.getResult(1));
    if (!cotangents[1])
      return {Term(context, cotangents[0]) * cos};
    Term throughCos = Term(context, cotangents[1]) * sin;
    if (!cotangents[0])
      return {-throughCos};
    return {Term(context, cotangents[0]) * cos - throughCos};
  }

  // ṡ = c·ẋ, ċ = -s·ẋ
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    TermContext context(builder, op);
    Term dx(context, tangents[0]);
    Term sin(context, primals.getResult(0)), cos(context, primals.getResult(1));
    return SmallVector<Value>{cos * dx, -(sin * dx)};
  }
};

// z = atan2(y, x)  =>  ȳ = z̄·x/(x² + y²), x̄ = -z̄·y/(x² + y²)
struct Atan2 : ElementwiseModel<Atan2, math::Atan2Op> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operand(0), Residual::operand(1)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term y(context, primals.getOperand(0)), x(context, primals.getOperand(1));
    Term scaled = Term(context, cotangents[0]) / (x * x + y * y);
    SmallVector<Value> adjoints(2);
    if (primals.isWanted(0))
      adjoints[0] = scaled * x;
    if (primals.isWanted(1))
      adjoints[1] = -(scaled * y);
    return adjoints;
  }
};

// y = |x|·sign s  =>  x̄ = ȳ·sign x·sign s (0 at x = 0), nothing for s
struct CopySign : ElementwiseModel<CopySign, math::CopySignOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &wanted) const {
    if (!wanted.test(0))
      return {};
    return {Residual::operand(0), Residual::operand(1)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    if (!primals.isWanted(0))
      return {Value(), Value()};
    TermContext context(builder, op);
    Term x(context, primals.getOperand(0)), s(context, primals.getOperand(1));
    Term sign = x.constant(1.0).apply<math::CopySignOp>(s);
    return {Term(context, cotangents[0]) * (emitSlopeOfAbs(x) * sign), Value()};
  }
};

// z = a·b + c  =>  ā = z̄·b, b̄ = z̄·a, c̄ = z̄
struct Fma : ElementwiseModel<Fma, math::FmaOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &wanted) const {
    SmallVector<Residual> residuals;
    if (wanted.test(0))
      residuals.push_back(Residual::operand(1));
    if (wanted.test(1))
      residuals.push_back(Residual::operand(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term dz(context, cotangents[0]);
    SmallVector<Value> adjoints{Value(), Value(), cotangents[0]};
    if (primals.isWanted(0))
      adjoints[0] = dz * Term(context, primals.getOperand(1));
    if (primals.isWanted(1))
      adjoints[1] = dz * Term(context, primals.getOperand(0));
    return adjoints;
  }
};

// z = x^y  =>  x̄ = z̄·y·x^(y-1), ȳ = z̄·z·ln x
// At y = 0 the exponent y - 1 is taken as 0, so that 0^0 has slope 0 and not
// 0·∞; at x = 0 the slope in y is 0 and not 0·ln 0.
struct PowF : ElementwiseModel<PowF, math::PowFOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &wanted) const {
    SmallVector<Residual> residuals{Residual::operand(0)};
    if (wanted.test(0))
      residuals.push_back(Residual::operand(1));
    if (wanted.test(1))
      residuals.push_back(Residual::result(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term dz(context, cotangents[0]), x(context, primals.getOperand(0));
    Term zero = x.constant(0.0), one = x.constant(1.0);
    SmallVector<Value> adjoints(2);
    if (primals.isWanted(0)) {
      Term y(context, primals.getOperand(1));
      Value flat = y.compare(arith::CmpFPredicate::OEQ, zero);
      Term exponent = one.selectIf(flat, y) - one;
      adjoints[0] = dz * (y * x.apply<math::PowFOp>(exponent));
    }
    if (primals.isWanted(1)) {
      Term z(context, primals.getResult(0));
      Value atZero = x.compare(arith::CmpFPredicate::OEQ, zero);
      Term log = one.selectIf(atZero, x).apply<math::LogOp>();
      adjoints[1] = dz * (zero.selectIf(atZero, z) * log);
    }
    return adjoints;
  }
};

// y = x^n, n an integer  =>  x̄ = ȳ·n·x^(n-1)
// At n = 0 the exponent n - 1 is taken as 0: the slope is 0 and not 0·∞.
struct FPowI : ElementwiseModel<FPowI, math::FPowIOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operand(0), Residual::operand(1)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Location loc = op->getLoc();
    Term x(context, primals.getOperand(0));
    Value n = primals.getOperand(1);
    // max(n, 1) - 1 would be wrong for n < 0; n == 0 alone is moved to 1.
    Value zero = emitInteger(context, n, 0), one = emitInteger(context, n, 1);
    Value flat =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, n, zero);
    Value exponent = arith::SubIOp::create(
        builder, loc, arith::SelectOp::create(builder, loc, flat, one, n), one);
    Term factor(context,
                arith::SIToFPOp::create(builder, loc, Value(x).getType(), n));
    Term power = x.apply<math::FPowIOp>(exponent);
    return {Term(context, cotangents[0]) * (factor * power), Value()};
  }

private:
  // `number` in the type and the sizes of `like`.
  static Value emitInteger(const TermContext &context, Value like,
                           int64_t number) {
    OpBuilder &builder = context.builder;
    Value scalar = arith::ConstantOp::create(
        builder, context.loc,
        builder.getIntegerAttr(getElementTypeOrSelf(like.getType()), number));
    auto type = dyn_cast<RankedTensorType>(like.getType());
    if (!type)
      return scalar;
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, context.loc, like, dim));
    return tensor::SplatOp::create(builder, context.loc, type, scalar, sizes);
  }
};

} // namespace

void comm::registerMathAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *dialect) {
    attachSameShapeBounds(dialect);
    attachAdjointModels<Exp, Exp2, ExpM1, Log, Log2, Log10, Log1p, Sqrt, Rsqrt,
                        Cbrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh,
                        Asinh, Acosh, Atanh, Erf, Erfc, AbsF, Sincos, Atan2,
                        CopySign, Fma, PowF, FPowI>(context);
    attachAdjointModels<Step<math::FloorOp>, Step<math::CeilOp>,
                        Step<math::RoundOp>, Step<math::RoundEvenOp>,
                        Step<math::TruncOp>>(context);
  });
}
