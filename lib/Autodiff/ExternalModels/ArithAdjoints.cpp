//===- ArithAdjoints.cpp - Adjoints of the arith ops ----------------------===//
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

// y = -x  =>  x̄ = -ȳ
struct NegF : ElementwiseModel<NegF, arith::NegFOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    TermContext context(builder, op);
    return {-Term(context, cotangents[0])};
  }
};

// z = x + y  =>  x̄ = z̄, ȳ = z̄
struct AddF : ElementwiseModel<AddF, arith::AddFOp> {
  SmallVector<Value> emitAdjoint(Operation *, OpBuilder &, const Primals &,
                                 ValueRange cotangents) const {
    return {cotangents[0], cotangents[0]};
  }
};

// z = x - y  =>  x̄ = z̄, ȳ = -z̄
struct SubF : ElementwiseModel<SubF, arith::SubFOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term dz(context, cotangents[0]);
    return {dz, primals.isWanted(1) ? Value(-dz) : Value()};
  }

  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    if (!tangents[0] || !tangents[1])
      return ElementwiseModel::emitTangent(op, builder, primals, tangents);
    TermContext context(builder, op);
    return SmallVector<Value>{Term(context, tangents[0]) -
                              Term(context, tangents[1])};
  }
};

// z = x·y  =>  x̄ = z̄·y, ȳ = z̄·x
struct MulF : ElementwiseModel<MulF, arith::MulFOp> {
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
    SmallVector<Value> adjoints(2);
    if (primals.isWanted(0))
      adjoints[0] = dz * Term(context, primals.getOperand(1));
    if (primals.isWanted(1))
      adjoints[1] = dz * Term(context, primals.getOperand(0));
    return adjoints;
  }
};

// z = x/y  =>  x̄ = z̄/y, ȳ = -(z̄/y)·z
struct DivF : ElementwiseModel<DivF, arith::DivFOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &wanted) const {
    SmallVector<Residual> residuals{Residual::operand(1)};
    if (wanted.test(1))
      residuals.push_back(Residual::result(0));
    return residuals;
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term quotient =
        Term(context, cotangents[0]) / Term(context, primals.getOperand(1));
    SmallVector<Value> adjoints(2);
    if (primals.isWanted(0))
      adjoints[0] = quotient;
    if (primals.isWanted(1))
      adjoints[1] = -(quotient * Term(context, primals.getResult(0)));
    return adjoints;
  }

  // ż = (ẋ - z·ẏ)/y
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    TermContext context(builder, op);
    Term y(context, primals.getOperand(1)), z(context, primals.getResult(0));
    if (!tangents[1])
      return SmallVector<Value>{Term(context, tangents[0]) / y};
    Term scaled = z * Term(context, tangents[1]);
    Term numerator =
        tangents[0] ? Term(context, tangents[0]) - scaled : -scaled;
    return SmallVector<Value>{numerator / y};
  }
};

// z = x - trunc(x/y)·y  =>  x̄ = z̄, ȳ = -z̄·trunc(x/y)
// The integer is read off as (x - z)/y, rounded: x/y itself may round up to an
// integer that the exact quotient does not reach (1/0.1 is 10, 1 rem 0.1 is
// 0.0999...).
struct RemF : ElementwiseModel<RemF, arith::RemFOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &wanted) const {
    if (!wanted.test(1))
      return {};
    return {Residual::operand(0), Residual::operand(1), Residual::result(0)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    if (!primals.isWanted(1))
      return {cotangents[0], Value()};
    TermContext context(builder, op);
    Term x(context, primals.getOperand(0)), y(context, primals.getOperand(1));
    Term z(context, primals.getResult(0));
    Term whole = ((x - z) / y).apply<math::RoundEvenOp>();
    return {cotangents[0], -(Term(context, cotangents[0]) * whole)};
  }
};

// z = max(x, y) or min(x, y)  =>  x̄ = z̄·1[x = z]/n, ȳ = z̄·1[y = z]/n, where n
// counts the operands that equal z. The extremum is computed again, which is
// cheaper than to keep it. Where z is NaN so are the slopes.
template <typename OpType>
struct Extremum : ElementwiseModel<Extremum<OpType>, OpType> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operand(0), Residual::operand(1)};
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term x(context, primals.getOperand(0)), y(context, primals.getOperand(1));
    Term z = x.template apply<OpType>(y);
    Term zero = x.constant(0.0), one = x.constant(1.0);
    Term xAttains = one.selectIf(x.compare(arith::CmpFPredicate::OEQ, z), zero);
    Term yAttains = one.selectIf(y.compare(arith::CmpFPredicate::OEQ, z), zero);
    Term share = Term(context, cotangents[0]) / (xAttains + yAttains);
    SmallVector<Value> adjoints(2);
    if (primals.isWanted(0))
      adjoints[0] = share * xAttains;
    if (primals.isWanted(1))
      adjoints[1] = share * yAttains;
    return adjoints;
  }
};

// z = c ? x : y  =>  x̄ = c ? z̄ : 0, ȳ = c ? 0 : z̄
struct Select : LinearModel<Select, arith::SelectOp> {
  SmallVector<Residual> getResiduals(Operation *,
                                     const llvm::BitVector &) const {
    return {Residual::operand(0)};
  }

  LogicalResult verifyAdjoint(Operation *op, const llvm::BitVector &) const {
    Type type = op->getResult(0).getType();
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      return success();
    return op->emitOpError("on ") << type << " has no adjoint";
  }

  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &primals,
                                 ValueRange cotangents) const {
    TermContext context(builder, op);
    Term dz(context, cotangents[0]), zero = dz.constant(0.0);
    Value condition = primals.getOperand(0);
    SmallVector<Value> adjoints(3);
    if (primals.isWanted(1))
      adjoints[1] = dz.selectIf(condition, zero);
    if (primals.isWanted(2))
      adjoints[2] = zero.selectIf(condition, dz);
    return adjoints;
  }
};

// y = x in a wider type  =>  x̄ = ȳ in the narrower type
struct ExtF : LinearModel<ExtF, arith::ExtFOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    return {arith::TruncFOp::create(
        builder, op->getLoc(), op->getOperand(0).getType(), cotangents[0])};
  }
};

// y = x in a narrower type  =>  x̄ = ȳ in the wider type
struct TruncF : LinearModel<TruncF, arith::TruncFOp> {
  SmallVector<Value> emitAdjoint(Operation *op, OpBuilder &builder,
                                 const Primals &, ValueRange cotangents) const {
    return {arith::ExtFOp::create(builder, op->getLoc(),
                                  op->getOperand(0).getType(), cotangents[0])};
  }
};

} // namespace

void comm::registerArithAdjointModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context,
                            arith::ArithDialect *dialect) {
    attachSameShapeBounds(dialect);
    attachAdjointModels<NegF, AddF, SubF, MulF, DivF, RemF, Select, ExtF,
                        TruncF>(context);
    attachAdjointModels<Extremum<arith::MaximumFOp>,
                        Extremum<arith::MinimumFOp>, Extremum<arith::MaxNumFOp>,
                        Extremum<arith::MinNumFOp>>(context);
  });
}
