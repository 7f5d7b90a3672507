//===- RegionAdjointOpInterface.h - Adjoints of region ops -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H
#define COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <functional>

namespace mlir::comm {

/// The attribute by which a function carries its own adjoint: a function, or
/// its two halves (AdjointFunctions).
inline constexpr llvm::StringLiteral kCustomVjpAttrName = "comm.custom_vjp";

/// The two halves of a differentiated function:
/// forward(args...) -> (results..., residuals...) and
/// backward(residuals..., cotangents of float results...) ->
/// (cotangents of float arguments...).
struct AdjointFunctions {
  FunctionOpInterface forward;
  FunctionOpInterface backward;
};

/// The adjoint of one block of a region op, made by the driver. The rule of the
/// op decides how often it runs and where the values are kept.
class BlockAdjoint {
public:
  virtual ~BlockAdjoint() = default;

  /// Active values from above that the block reads: its backward has a
  /// cotangent for each.
  virtual ArrayRef<Value> getCaptures() const = 0;
  /// Values of the block that its backward reads, for the rule to keep in each
  /// run of the block.
  virtual ArrayRef<Value> getKept() const = 0;
  /// Values from above that the backward reads.
  virtual ArrayRef<Value> getRead() const = 0;

  /// The sizes of a tensor whose sizes were asked for, in the backward:
  /// attributes where static.
  virtual SmallVector<OpFoldResult>
  emitSizes(OpBuilder &builder, IRMapping &primals, Value tensor) const = 0;

  /// What the backward of a block yields, null where zero.
  struct Cotangents {
    SmallVector<Value> arguments, captures;
  };
  /// Emits the backward of one run of the block at the insertion point.
  /// `primals` maps what is kept, read and given, and gains what is computed
  /// again. `seeds` are the cotangents of the terminator's operands, `sums`
  /// what has been gathered for the captures so far; null where zero.
  virtual Cotangents emitBackward(OpBuilder &builder, IRMapping &primals,
                                  ValueRange seeds, ValueRange sums) const = 0;
};

/// What the driver lends to the rule of a region op.
class AdjointDriver {
public:
  virtual ~AdjointDriver() = default;

  /// Both halves of a function of the module, made on the first request and
  /// shared by every call. Failure after errors have been emitted.
  virtual FailureOr<AdjointFunctions>
  getAdjointFunctions(FunctionOpInterface callee) = 0;

  /// The function of the module that has this name; null where there is none.
  virtual FunctionOpInterface lookupFunction(SymbolRefAttr name) = 0;
};

/// What the driver lends to the rule of one op: its place in the function.
class RegionAdjointContext {
public:
  virtual ~RegionAdjointContext() = default;

  virtual AdjointDriver &getDriver() = 0;
  /// Whether a value of the forward function carries a derivative.
  virtual bool isActive(Value value) const = 0;
  /// Prepares the adjoint of a block of the op, in which calls and region ops
  /// are replaced by their forwards. `given` are values of the block that the
  /// rule will map without keeping them (an induction variable), `sized`
  /// tensors of the block whose sizes it will ask for. A value for which
  /// `canKeep` is false is computed again in the backward; failure, after an
  /// error, where that cannot be. Valid until the backward stands.
  virtual FailureOr<const BlockAdjoint *>
  prepareBlock(Block &block, ValueRange given, ValueRange sized,
               llvm::function_ref<bool(Value)> canKeep) = 0;
};

/// The forward of a region op, and how to run its backward.
struct RegionForward {
  /// Emits the adjoint: from the residuals, as they are called in the backward
  /// function, and one cotangent per result of the op (null where it is zero)
  /// to one cotangent per input (null where there is none).
  using EmitBackward = std::function<SmallVector<Value>(
      OpBuilder &builder, ValueRange residuals, ValueRange cotangents)>;

  /// The op that took the place of the original in the forward function; its
  /// first results are the original's.
  Operation *forward = nullptr;
  /// The values of the forward function that may get a cotangent: operands and
  /// captures.
  SmallVector<Value> inputs;
  /// Values of the forward function that the backward needs.
  SmallVector<Value> residuals;
  EmitBackward emitBackward;
};

} // namespace mlir::comm

#include "comm/Interfaces/RegionAdjointOpInterface.h.inc"

#endif // COMM_INTERFACES_REGIONADJOINTOPINTERFACE_H
