//===- SizesAbove.h - Sizes that control flow does not change ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_SIZESABOVE_H
#define COMM_LIB_AUTODIFF_SIZESABOVE_H

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::comm {

/// Finds the sizes of tensors inside a region op in terms of what is defined
/// above it: then they are the same in every run of the region.
class SizesAbove {
public:
  explicit SizesAbove(Operation *regionOp) : regionOp(regionOp) {}

  /// Whether all sizes of a value are known above; always for a scalar or a
  /// static shape.
  bool areKnown(Value value);
  /// The sizes, emitted at the insertion point, which is above: attributes
  /// where static. `areKnown` has been true.
  SmallVector<OpFoldResult> emit(OpBuilder &builder, Value value);
  /// One size, emitted before the region op; null where it is not known above.
  Value emitSize(Value tensor, int64_t dim);

private:
  struct Bound {
    AffineMap map;
    ValueDimList operands;
  };
  const Bound *find(Value tensor, int64_t dim);

  Operation *regionOp;
  DenseMap<std::pair<Value, int64_t>, std::optional<Bound>> known;
};

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_SIZESABOVE_H
