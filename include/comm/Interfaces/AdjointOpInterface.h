//===- AdjointOpInterface.h - The adjoint of an op --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_ADJOINTOPINTERFACE_H
#define COMM_INTERFACES_ADJOINTOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace mlir::comm {

/// The mark of an op whose results are computed again in the backward instead
/// of being kept, and that of the copy there: it differs, so that the two are
/// not merged as equal.
inline constexpr llvm::StringLiteral kRecomputeAttrName = "comm.recompute";
inline constexpr llvm::StringLiteral kRecomputedAttrName = "comm.recomputed";

/// The mark of a `tensor.empty` that keeps the values of many runs: each rank
/// has as many rows as runs of its own, which no other op of the program sees.
inline constexpr llvm::StringLiteral kTapeAttrName = "comm.tape";

/// A primal value that an adjoint rule reads: an operand or a result of the
/// op, or only the sizes of an operand's dynamic dimensions.
struct Residual {
  enum class Kind { Operand, Result, OperandSizes };

  static Residual operand(unsigned index) { return {Kind::Operand, index}; }
  static Residual result(unsigned index) { return {Kind::Result, index}; }
  /// The dynamic sizes of a tensor operand; nothing where its shape is static.
  static Residual operandSizes(unsigned index) {
    return {Kind::OperandSizes, index};
  }

  Kind kind;
  unsigned index;
};

/// What a rule is given of the primal program. The driver implements it; an
/// adjoint may ask only for what `getResiduals` listed, a tangent for anything.
class Primals {
public:
  virtual ~Primals() = default;

  /// The value of an operand listed as `Residual::operand`.
  virtual Value getOperand(unsigned index) const = 0;
  /// The value of a result listed as `Residual::result`.
  virtual Value getResult(unsigned index) const = 0;
  /// The sizes of a tensor operand listed as `Residual::operandSizes` or
  /// `Residual::operand`: attributes where static, index values where dynamic.
  virtual SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                                    unsigned index) const = 0;
  /// Whether a cotangent is wanted for the operand; for a tangent, whether the
  /// operand has one.
  virtual bool isWanted(unsigned operand) const = 0;
};

/// The location of an op of a backward is that of the op whose adjoint it
/// belongs to, under this name: so that traces and messages tell them apart.
inline constexpr llvm::StringLiteral kBackwardLocName = "backward";

/// The results of an op with this trait carry no derivative, whatever its
/// operands do: no path of activity leads through it, so it needs no adjoint.
template <typename ConcreteOp>
class StopsDerivative : public OpTrait::TraitBase<ConcreteOp, StopsDerivative> {
};

/// Whether a value of this type can carry a derivative: a float, a ranked
/// tensor of floats, or a type whose CotangentTypeInterface says so.
bool isDifferentiable(Type type);

/// Whether a value of this type has a cotangent at a function's boundary, where
/// no message crosses: a float or a ranked tensor of floats.
bool hasBoundaryCotangent(Type type);

/// The positions of the types that have one, ascending.
SmallVector<int64_t> getBoundaryCotangents(TypeRange types);

/// A zero of a float or float tensor type. `sizes` gives the sizes of a tensor
/// (only the dynamic ones are read).
Value emitZero(OpBuilder &builder, Location loc, Type type,
               ArrayRef<OpFoldResult> sizes = {});

/// `value` in every element of a float or float tensor type; `sizes` as above.
Value emitConstant(OpBuilder &builder, Location loc, Type type, double value,
                   ArrayRef<OpFoldResult> sizes = {});

/// The tangent of an op that is linear in all its differentiable operands
/// together: the op itself on their tangents, zeros where these are null. One
/// value per result, null where it has no derivative.
SmallVector<Value> emitLinearTangent(OpBuilder &builder, Operation *op,
                                     const Primals &primals,
                                     ValueRange tangents);

} // namespace mlir::comm

#include "comm/Interfaces/CotangentTypeInterface.h.inc"

#include "comm/Interfaces/AdjointOpInterface.h.inc"

#endif // COMM_INTERFACES_ADJOINTOPINTERFACE_H
