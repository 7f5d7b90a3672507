//===- ScfAdjoints.h - What the adjoints of scf share -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_EXTERNALMODELS_SCFADJOINTS_H
#define COMM_LIB_AUTODIFF_EXTERNALMODELS_SCFADJOINTS_H

#include "../SizesAbove.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::comm {

/// What a rule keeps for its backward, and what it is called there.
class KeptValues {
public:
  /// Keeps values of the forward function.
  void add(ValueRange values) { forward.insert_range(values); }
  ArrayRef<Value> get() const { return forward.getArrayRef(); }
  /// Maps them to the residuals of the backward.
  IRMapping map(ValueRange residuals) const {
    IRMapping mapping;
    mapping.map(forward.getArrayRef(), residuals);
    return mapping;
  }

private:
  llvm::SetVector<Value> forward;
};

/// The sizes of values of the forward function above a region op, for zeros in
/// the backward.
class KeptSizes {
public:
  /// Emits the sizes of a float tensor of the forward at the insertion point
  /// and keeps them.
  void add(OpBuilder &builder, Value value, KeptValues &kept);
  /// A zero cotangent of the value in the backward.
  Value emitZero(OpBuilder &builder, const IRMapping &kept, Value value) const;

private:
  DenseMap<Value, SmallVector<OpFoldResult>> sizes;
};

/// The captures of some blocks, each once, and where each block has them.
class JointCaptures {
public:
  explicit JointCaptures(ArrayRef<const BlockAdjoint *> blocks);

  ArrayRef<Value> get() const { return captures.getArrayRef(); }
  /// Those of `all`, one per joint capture, that are a block's.
  SmallVector<Value> select(const BlockAdjoint &block, ValueRange all) const;
  /// The reverse: puts the values of a block's captures into `all`.
  void scatter(const BlockAdjoint &block, ValueRange values,
               SmallVectorImpl<Value> &all) const;

private:
  llvm::SetVector<Value> captures;
};

/// Drops from `results`, those of a backward loop whose sums start from zero
/// behind `numCarried` others, the sums to which no run adds: they stay zero.
void dropUnchangedSums(scf::ForOp loop, unsigned numCarried,
                       MutableArrayRef<Value> results);

/// Each attaches the models of some ops.
void registerScfForAdjointModel(MLIRContext &context);
void registerScfBranchAdjointModels(MLIRContext &context);
void registerScfWhileAdjointModel(MLIRContext &context);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_EXTERNALMODELS_SCFADJOINTS_H
