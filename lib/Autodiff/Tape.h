//===- Tape.h - Where the values of many runs are kept ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_TAPE_H
#define COMM_LIB_AUTODIFF_TAPE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::comm {

/// A tape keeps one value of a block for every run of the block: a tensor whose
/// first dimension is the run. A value of type tensor<4x?xf32> has the tape
/// tensor<RUNSx4x?xf32>, an index the tape tensor<RUNSxindex>.
RankedTensorType getTapeType(Type type, int64_t runs);

/// A tape for `runs` runs of values of a type, with these sizes.
Value emitTape(OpBuilder &builder, Location loc, Type type, OpFoldResult runs,
               ArrayRef<OpFoldResult> sizes);

/// The tape after the value of a run has been put on it.
Value emitPut(OpBuilder &builder, Location loc, Value value, Value tape,
              Value run);

/// The value of a run, of type `type`.
Value emitGet(OpBuilder &builder, Location loc, Type type, Value tape,
              Value run);

/// Tapes with twice the runs of these, which have all the same number and at
/// least one; what is on them is copied.
SmallVector<Value> emitGrown(OpBuilder &builder, Location loc,
                             ValueRange tapes);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_TAPE_H
