//===- Elementwise.h - Rules written as formulas ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_EXTERNALMODELS_ELEMENTWISE_H
#define COMM_AUTODIFF_EXTERNALMODELS_ELEMENTWISE_H

#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <optional>

namespace mlir::comm {

/// Where the terms of a formula are emitted, and with which flags.
struct TermContext {
  TermContext(OpBuilder &builder, Operation *op)
      : builder(builder), loc(op->getLoc()) {
    // A forward op may promise that its values are finite; those of its adjoint
    // need not be (sqrt at 0), so nnan and ninf do not carry over.
    if (auto flagged = dyn_cast<arith::ArithFastMathInterface>(op))
      if (arith::FastMathFlagsAttr attr = flagged.getFastMathFlagsAttr())
        flags = attr.getValue() &
                ~(arith::FastMathFlags::nnan | arith::FastMathFlags::ninf);
  }

  OpBuilder &builder;
  Location loc;
  arith::FastMathFlags flags = arith::FastMathFlags::none;
};

/// A float scalar or tensor in a formula: arithmetic on terms emits ops, so
/// that a rule reads like its mathematics. Numbers take the type and the sizes
/// of the term that they meet.
class Term {
public:
  Term(const TermContext &context, Value value)
      : context(&context), value(value) {}

  operator Value() const { return value; }

  /// This term's shape and type, filled with a number.
  Term constant(double number) const {
    SmallVector<OpFoldResult> sizes;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && !type.hasStaticShape())
      sizes = tensor::getMixedSizes(context->builder, context->loc, value);
    return {*context, emitConstant(context->builder, context->loc,
                                   value.getType(), number, sizes)};
  }

  /// Applies an op that takes and gives terms of one type.
  template <typename Op, typename... Terms>
  Term apply(const Terms &...others) const {
    return {*context, Op::create(context->builder, context->loc, value,
                                 Value(others)..., context->flags)};
  }

  /// A condition per element; false on NaN where the predicate is ordered.
  Value compare(arith::CmpFPredicate predicate, const Term &other) const {
    return arith::CmpFOp::create(context->builder, context->loc, predicate,
                                 value, other.value, context->flags);
  }

  /// `condition ? this : other`, per element or for the whole.
  Term selectIf(Value condition, const Term &other) const {
    return {*context, arith::SelectOp::create(context->builder, context->loc,
                                              condition, value, other.value)};
  }

private:
  const TermContext *context;
  Value value;
};

inline Term operator-(const Term &x) { return x.apply<arith::NegFOp>(); }
inline Term operator+(const Term &x, const Term &y) {
  return x.apply<arith::AddFOp>(y);
}
inline Term operator-(const Term &x, const Term &y) {
  return x.apply<arith::SubFOp>(y);
}
inline Term operator*(const Term &x, const Term &y) {
  return x.apply<arith::MulFOp>(y);
}
inline Term operator/(const Term &x, const Term &y) {
  return x.apply<arith::DivFOp>(y);
}
inline Term operator+(const Term &x, double y) { return x + x.constant(y); }
inline Term operator-(const Term &x, double y) { return x - x.constant(y); }
inline Term operator-(double x, const Term &y) { return y.constant(x) - y; }
inline Term operator*(double x, const Term &y) { return y.constant(x) * y; }

/// The base of the models: attaches `Model` to its op.
template <typename Model, typename OpType>
struct AdjointModel : AdjointOpInterface::ExternalModel<Model, OpType> {
  using Op = OpType;
};

/// The base of the models of ops that are linear in all their differentiable
/// operands together.
template <typename Model, typename OpType>
struct LinearModel : AdjointModel<Model, OpType> {
  // y = A x  =>  ẏ = A ẋ
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    return emitLinearTangent(builder, op, primals, tangents);
  }
};

/// The primal values of an op of which one operand alone is wanted.
class OneWanted : public Primals {
public:
  OneWanted(const Primals &all, unsigned wanted) : all(all), wanted(wanted) {}

  Value getOperand(unsigned index) const override {
    return all.getOperand(index);
  }
  Value getResult(unsigned index) const override {
    return all.getResult(index);
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    return all.getOperandSizes(builder, index);
  }
  bool isWanted(unsigned operand) const override { return operand == wanted; }

private:
  const Primals &all;
  unsigned wanted;
};

/// The base of the models of ops of one result that work on each element by
/// itself, in one type: the Jacobian by each operand is diagonal, so that it is
/// its own transpose.
template <typename Model, typename OpType>
struct ElementwiseModel : AdjointModel<Model, OpType> {
  // z = f(x, y)  =>  ż = what the adjoint gives x for ẋ, and y for ẏ, added
  std::optional<SmallVector<Value>> emitTangent(Operation *op,
                                                OpBuilder &builder,
                                                const Primals &primals,
                                                ValueRange tangents) const {
    TermContext context(builder, op);
    Value sum;
    for (auto [operand, tangent] : llvm::enumerate(tangents)) {
      if (!tangent)
        continue;
      Value term = static_cast<const Model *>(this)->emitAdjoint(
          op, builder, OneWanted(primals, operand), tangent)[operand];
      if (term)
        sum = sum ? Value(Term(context, sum) + Term(context, term)) : term;
    }
    return SmallVector<Value>{sum};
  }
};

/// Attaches models to the ops they name.
template <typename... Models>
void attachAdjointModels(MLIRContext *context) {
  (Models::Op::template attachInterface<Models>(*context), ...);
}

} // namespace mlir::comm

#endif // COMM_AUTODIFF_EXTERNALMODELS_ELEMENTWISE_H
