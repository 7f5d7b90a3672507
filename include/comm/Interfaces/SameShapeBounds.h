//===- SameShapeBounds.h - Results with the shape of an operand -*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INTERFACES_SAMESHAPEBOUNDS_H
#define COMM_INTERFACES_SAMESHAPEBOUNDS_H

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::comm {

/// Model of an op whose tensor results have the shape of its tensor operands:
/// the size of a dimension is that of the first tensor operand.
struct SameShapeBounds
    : ValueBoundsOpInterface::ExternalModel<SameShapeBounds, Operation *> {
  void populateBoundsForShapedValueDim(Operation *op, Value value, int64_t dim,
                                       ValueBoundsConstraintSet &set) const {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType())) {
        set.bound(value)[dim] == set.getExpr(operand, dim);
        return;
      }
  }
  /// Of a number itself nothing is known. Without this, upstream's model has no
  /// defined behaviour.
  void populateBoundsForIndexValue(Operation *, Value,
                                   ValueBoundsConstraintSet &) const {}
};

/// Attaches the model to the elementwise ops of a dialect: sizes that a loop
/// does not change are found through them.
void attachSameShapeBounds(Dialect *dialect);

} // namespace mlir::comm

#endif // COMM_INTERFACES_SAMESHAPEBOUNDS_H
