//===- Residuals.h - What a backward reads of the forward -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_AUTODIFF_RESIDUALS_H
#define COMM_AUTODIFF_RESIDUALS_H

#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::comm {

/// Gathers the values of a forward function that its backward reads, each once,
/// and says what they are called there. Constants are not kept but made again.
class Residuals {
public:
  explicit Residuals(func::FuncOp forward) : forward(forward) {}

  /// The backward reads the value.
  void addValue(Value value);
  /// The backward reads the dynamic sizes of the tensor.
  void addSizes(Value tensor);
  /// Adds the function arguments and constants that go with the values to the
  /// backward's entry block, which has none yet. Nothing is added afterwards.
  void materialize(OpBuilder &builder, Block *backwardEntry);

  /// The values kept, in the order of the backward's arguments.
  ArrayRef<Value> getKept() const { return kept; }
  /// A value, and the sizes of a tensor, in the backward function.
  Value lookup(Value value) const { return inBackward.lookup(value); }
  SmallVector<OpFoldResult> lookupSizes(OpBuilder &builder, Value tensor) const;

private:
  func::FuncOp forward;
  llvm::SetVector<Value> values;
  llvm::SetVector<Value> sized;
  /// The `tensor.dim`s of the forward function, per tensor and dimension.
  DenseMap<std::pair<Value, int64_t>, Value> dims;
  SmallVector<Value> kept;
  IRMapping inBackward;
};

} // namespace mlir::comm

#endif // COMM_AUTODIFF_RESIDUALS_H
