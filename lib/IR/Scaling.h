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

/// n·x for a float tensor x.
Value emitMultiple(OpBuilder &builder, Location loc, Value x, int64_t n);

/// x/n for a float tensor x: a division, not a product with 1/n, so that it is
/// rounded once.
Value emitQuotient(OpBuilder &builder, Location loc, Value x, int64_t n);

} // namespace mlir::comm

#endif // COMM_IR_SCALING_H
