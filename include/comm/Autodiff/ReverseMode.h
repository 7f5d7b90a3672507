//===- ReverseMode.h - Pulling cotangents back through a block --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_REVERSEMODE_H
#define COMM_AUTODIFF_REVERSEMODE_H

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::comm {

/// Reports every op of `block` that is on a path of `activity` and has no
/// adjoint, each by an error at its location that says what to implement.
/// RegionAdjointOpInterface ops are accepted where there is a `driver` for
/// them.
LogicalResult verifyBlockAdjoint(Block &block, const ActivityAnalysis &activity,
                                 AdjointDriver *driver);

/// Pulls cotangents back through the ops of one block, last op first. Owns the
/// accumulation; where primal values come from is its user's.
class ReverseMode {
public:
  /// Maps a primal value to what it is called where the adjoint is emitted.
  using LookupPrimal = std::function<Value(Value)>;
  /// Yields the sizes of a primal tensor there.
  using LookupSizes =
      std::function<SmallVector<OpFoldResult>(OpBuilder &, Value)>;

  ReverseMode(OpBuilder &builder, const ActivityAnalysis &activity,
              LookupPrimal lookupPrimal, LookupSizes lookupSizes)
      : builder(builder), activity(activity),
        lookupPrimal(std::move(lookupPrimal)),
        lookupSizes(std::move(lookupSizes)) {}

  /// Adds a contribution to the cotangent of a primal value; null adds nothing.
  void accumulate(Value primal, Value cotangent);
  /// The cotangent gathered so far, null where it is zero.
  Value getCotangent(Value primal) const { return cotangents.lookup(primal); }
  /// The cotangents of the results of an op.
  SmallVector<Value> getResultCotangents(Operation *op) const;
  /// Emits the adjoint of one op on a path, if any of its results has a
  /// cotangent.
  void emitAdjoint(AdjointOpInterface op);

private:
  OpBuilder &builder;
  const ActivityAnalysis &activity;
  LookupPrimal lookupPrimal;
  LookupSizes lookupSizes;
  DenseMap<Value, Value> cotangents;
};

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

/// The value `primal` at the builder's insertion point, where `primals` maps
/// what is there already: clones the ops that compute it, as far as `isCloned`.
/// Other values are visible there. `onClone` is called with every clone.
Value cloneValue(OpBuilder &builder, Value primal, IRMapping &primals,
                 function_ref<bool(Operation *)> isCloned,
                 function_ref<void(Operation *)> onClone = nullptr);

/// Emits the adjoint of the body of a structured op at the builder's insertion
/// point. `primals` maps the block's arguments and its captures to values
/// there, and gains the clones of the body's ops that the adjoint reads.
/// `seeds` are the cotangents of the terminator's operands, null where zero.
/// Yields one cotangent per wanted value, null where zero.
SmallVector<Value> emitBodyAdjoint(OpBuilder &builder, Block &body,
                                   IRMapping &primals, ValueRange seeds,
                                   ValueRange wanted);

/// Reports the ops of a body that have no adjoint on a path from a wanted
/// value.
LogicalResult verifyBodyAdjoint(Block &body, ValueRange wanted);

} // namespace mlir::comm

#endif // COMM_AUTODIFF_REVERSEMODE_H
