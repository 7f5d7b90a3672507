//===- LinalgAdjoints.h - Shared by linalg adjoints -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGADJOINTS_H
#define COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGADJOINTS_H

#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::comm {

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Whether an op is out + sum a·b on tensors, with maps that only permute and
/// drop loops.
bool isContraction(linalg::LinalgOp op);

/// Whether the cotangent of input 0 or 1 is a contraction of the other input
/// with the result's cotangent. Not so for the inputs of an outer product: the
/// generic rule has those.
bool hasContractionAdjoint(linalg::LinalgOp op, unsigned input);

/// Emits that contraction.
Value emitContractionAdjoint(OpBuilder &builder, linalg::LinalgOp op,
                             unsigned input, Value other, Value cotangent);

/// A tensor of zeros to accumulate into.
Value emitFilledWithZero(OpBuilder &builder, Location loc, Value empty);

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

/// The arguments of a block that a value of the block depends on.
SetVector<BlockArgument> getReads(Block &block, Value value);

/// Clones a value of a block, and what it depends on, to the insertion point of
/// the builder. Constants from above are cloned as ops of the block are.
Value cloneOutOf(Block &block, OpBuilder &builder, Value value,
                 IRMapping &mapping);

/// How a result depends on its init.
enum class InitRule {
  /// Each element is computed once: the init is an operand of the body like any
  /// other.
  Operand,
  /// The body adds to it: its cotangent is the result's.
  Sum,
  /// The body takes the maximum or minimum of it and a value.
  Extremum,
  /// None of these: the result has no adjoint.
  None,
};

/// The adjoint of the scalar body of a structured op, emitted into a block of
/// its own, from which the loops of the backward cut what they need.
///
/// The block has one argument per operand of the op, per result, and per
/// cotangent of a result (its seed). For an extremum the seed is the cotangent
/// divided by the number of values that attain the result.
class BodyAdjoint {
public:
  BodyAdjoint(linalg::LinalgOp op, const llvm::BitVector &wanted);

  /// Reports what has no adjoint; `emit` may be called where nothing does.
  LogicalResult verify();
  /// Emits the adjoint for the results whose bit is set.
  void emit(const llvm::BitVector &seeded);

  InitRule getInitRule(unsigned output) const { return rules[output]; }
  /// The cotangent of an operand in the block, null where it has none. An init
  /// has one here under InitRule::Operand only.
  Value getCotangent(unsigned operand) const { return cotangents[operand]; }
  /// 1 where the value of an extremum attains the result, else 0.
  Value getAttained(unsigned output) const { return attained[output]; }

  bool isOperand(BlockArgument argument) const {
    return argument.getArgNumber() < numOperands;
  }
  bool isSeed(BlockArgument argument) const {
    return argument.getArgNumber() >= numOperands + rules.size();
  }
  /// The operand of the op, or the number of its output, that an argument of
  /// the block stands for.
  unsigned getIndex(BlockArgument argument) const {
    unsigned number = argument.getArgNumber();
    return isOperand(argument) ? number : (number - numOperands) % rules.size();
  }
  /// The indexing map of what an argument of the block stands for.
  AffineMap getMap(BlockArgument argument) const;

  /// `getReads` and `cloneOutOf` of the block.
  SetVector<BlockArgument> getReads(Value value) const {
    return comm::getReads(getBlock(), value);
  }
  Value clone(OpBuilder &builder, Value value, IRMapping &mapping) const {
    return cloneOutOf(getBlock(), builder, value, mapping);
  }

private:
  Block &getBlock() const { return const_cast<Region &>(region).front(); }
  void classifyOutputs();
  LogicalResult verifyReads();

  linalg::LinalgOp op;
  const llvm::BitVector &wanted;
  unsigned numOperands;
  SmallVector<InitRule> rules;
  /// A copy of the body in which a masked value stands in for each extremum.
  Region primalRegion;
  SmallVector<Value> primalAttained;
  Region region;
  SmallVector<Value> cotangents;
  SmallVector<Value> attained;
};

//===----------------------------------------------------------------------===//
// Tangents
//===----------------------------------------------------------------------===//

/// The tangent of a structured op that has an adjoint; nothing where it takes
/// extrema, whose adjoint has to be transposed.
std::optional<SmallVector<Value>> emitStructuredTangent(OpBuilder &builder,
                                                        linalg::LinalgOp op,
                                                        const Primals &primals,
                                                        ValueRange tangents);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_EXTERNALMODELS_LINALGADJOINTS_H
