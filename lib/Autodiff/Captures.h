//===- Captures.h - What ops capture, as operands ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_CAPTURES_H
#define COMM_LIB_AUTODIFF_CAPTURES_H

#include "mlir/IR/Region.h"

namespace mlir::comm {

/// Rewrites the local ops of a function's body, its control flow included, that
/// read a number from outside in their region, constants apart, so that it is
/// an operand: an adjoint gives cotangents to operands. A `tensor.pad` becomes
/// a `tensor.insert_slice` into a `tensor.splat`, a structured op takes the
/// number as a further input.
void makeCapturesOperands(Region &region);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_CAPTURES_H
