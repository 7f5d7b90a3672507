//===- SizeChecks.h - Sizes that only the run knows -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_SIZECHECKS_H
#define COMM_LIB_CONVERSION_SIZECHECKS_H

#include "comm/IR/Comm.h"

namespace mlir::comm {

/// On tensors no context is at hand to call the runtime with, so a check is a
/// call of one of these declarations, with what it is about as attributes.
/// `convert-comm-to-runtime` makes it a call of the runtime.
///
///   comm.check_divisible(%size) {axes, detail, dim, of}
///   comm.check_size(%got, %expected) {axes, detail, dim, of} -> i1
inline constexpr StringLiteral kCheckDivisible = "comm.check_divisible";
inline constexpr StringLiteral kCheckSize = "comm.check_size";

/// Checks that the group size divides `size`, which is that of dimension `dim`
/// of the operand, as the verifier does for a static size.
void checkDivisible(OpBuilder &builder, CollectiveOpInterface op, Value size,
                    int64_t dim);

/// `value` as a tensor of `type`, which differs only in which sizes are static.
/// Where a size turns out not to be as the type says, the run fails, and until
/// it stops the tensor holds anything.
Value castChecked(OpBuilder &builder, CollectiveOpInterface op, Value value,
                  RankedTensorType type);

/// `size` divided by the group size of `op`, where `size` is that of dimension
/// `dim` of the operand; checked where it is dynamic.
OpFoldResult divideByGroup(OpBuilder &builder, CollectiveOpInterface op,
                           OpFoldResult size, int64_t dim);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_SIZECHECKS_H
