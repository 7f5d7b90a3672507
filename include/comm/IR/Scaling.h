//===- Scaling.h - Multiples of a value -------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_SCALING_H
#define COMM_IR_SCALING_H

#include "mlir/IR/Builders.h"

namespace mlir::comm {

/// n·x for a tensor x. Integers wrap around, as their sums do.
Value emitMultiple(OpBuilder &builder, Location loc, Value x, int64_t n);

/// x/n for a float tensor x: a division, not a product with 1/n, so that it is
/// rounded once.
Value emitQuotient(OpBuilder &builder, Location loc, Value x, int64_t n);

/// Zeros in the shape of a tensor x.
Value emitZeroLike(OpBuilder &builder, Location loc, Value x);

/// Whether n itself is a number of the element type, so that n·x is rounded
/// once and n does not overflow (70000 in f16). True for integers.
bool isExactFactor(Type element, int64_t n);

} // namespace mlir::comm

#endif // COMM_IR_SCALING_H
