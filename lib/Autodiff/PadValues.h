//===- PadValues.h - Padding values as operands -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_AUTODIFF_PADVALUES_H
#define COMM_LIB_AUTODIFF_PADVALUES_H

#include "mlir/IR/Block.h"

namespace mlir::comm {

/// Turns each tensor.pad of the block whose region yields a float from outside,
/// constants apart, into a tensor.insert_slice into a tensor.splat: there the
/// padding value is an operand, and an adjoint gives cotangents to operands.
void makePadValuesOperands(Block &block);

} // namespace mlir::comm

#endif // COMM_LIB_AUTODIFF_PADVALUES_H
