//===- Verification.h - Checks that several collectives share ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_IR_VERIFICATION_H
#define COMM_IR_VERIFICATION_H

#include "comm/IR/Comm.h"

namespace mlir::comm {

/// `["dp", "tp"]`, as messages name the axes of a group.
std::string formatAxes(AxesAttr axes);

/// The op stands in a function.
LogicalResult verifyInFunction(Operation *op);

/// The forms of a collective: a tensor and a result, or a memref and no
/// result; in the memref form a destination where `needsDest`, which tensors
/// never have.
LogicalResult verifyForm(CollectiveOpInterface op, bool needsDest);

/// The output has the type of the input (its shape and element type, for
/// memrefs).
LogicalResult verifySameType(CollectiveOpInterface op);

/// 0 <= dim < rank of the input. `name` is the word in the syntax.
LogicalResult verifyDim(CollectiveOpInterface op, int64_t dim, StringRef name);

/// 0 <= rank < groupSize. `name` is the word in the syntax, such as "root".
LogicalResult verifyRankInGroup(CollectiveOpInterface op, int64_t rank,
                                int64_t groupSize, StringRef name);

/// The group size divides dimension `dim` of the input.
LogicalResult verifyDivisible(CollectiveOpInterface op, int64_t dim,
                              int64_t groupSize);

/// The output has the input's element type and, where static, the sizes that
/// the input has after dimension `divided` (if any) is divided and dimension
/// `multiplied` (if any) multiplied by the group size.
LogicalResult verifyResized(CollectiveOpInterface op, int64_t groupSize,
                            std::optional<int64_t> divided,
                            std::optional<int64_t> multiplied);

/// A reduction to a sum: `sum`, or `avg` of floats; i1 is refused.
LogicalResult verifyAdditive(CollectiveOpInterface op, ReductionKind reduction);

} // namespace mlir::comm

#endif // COMM_IR_VERIFICATION_H
