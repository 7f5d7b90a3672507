//===- Residuals.h - What a backward reads of the forward -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_RESIDUALS_H
#define COMM_LIB_AUTODIFF_RESIDUALS_H

#include "SizesAbove.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::comm {

/// Decides how the backward of a block gets the values of the forward that it
/// reads: the fewest are kept. Computed again from what is kept are
///
/// - constants, and tensors that are empty or hold one number or one row in
///   many places;
/// - views, sizes and integer arithmetic, where what they read is at hand;
/// - ops marked `comm.recompute`, and values that cannot be kept.
class Residuals {
public:
  /// `given` are values of the block that the backward has without keeping
  /// them. No value is kept for which `canKeep` is false.
  Residuals(Block &block, ValueRange given,
            llvm::function_ref<bool(Value)> canKeep);

  /// The backward reads the value.
  void addValue(Value value) { wanted.insert(value); }
  /// The backward reads the dynamic sizes of the tensor.
  void addSizes(Value tensor);
  /// Decides; nothing is added afterwards. Failure after an error.
  LogicalResult plan();

  /// The values of the block to keep, and the values from above that are read.
  ArrayRef<Value> getKept() const { return kept.getArrayRef(); }
  ArrayRef<Value> getRead() const { return read.getArrayRef(); }

  /// A value in the backward, where `primals` maps what is kept, read and
  /// given: emitted at the insertion point if it has to be computed again.
  Value lookup(OpBuilder &builder, IRMapping &primals, Value value) const;
  /// The sizes of a tensor there, attributes where static.
  SmallVector<OpFoldResult> lookupSizes(OpBuilder &builder, IRMapping &primals,
                                        Value tensor) const;

private:
  bool isAbove(Value value) const { return value.getParentBlock() != &block; }
  LogicalResult require(Value value);
  LogicalResult planSizes();
  bool isThere(Value value) const;
  std::optional<bool> lookupAtHand(Value value) const;
  bool isAtHand(Value value);
  LogicalResult recomputeChain(Value value);

  Block &block;
  llvm::DenseSet<Value> given;
  llvm::function_ref<bool(Value)> canKeep;
  llvm::SetVector<Value> wanted, sized;
  /// The size in the forward function, per tensor and dynamic dimension.
  DenseMap<std::pair<Value, int64_t>, Value> sizes;
  llvm::DenseSet<Value> required;
  SmallVector<Value> cheap;
  DenseMap<Value, bool> atHand;
  llvm::SetVector<Value> kept, read;
  llvm::SmallPtrSet<Operation *, 8> recomputed;
};

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_RESIDUALS_H
