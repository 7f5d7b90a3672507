//===- MergeEqualOps.h - Keeps one of equal ops -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_TRANSFORMS_MERGEEQUALOPS_H
#define COMM_LIB_TRANSFORMS_MERGEEQUALOPS_H

#include "mlir/IR/Region.h"

namespace mlir::comm {

/// Erases the dead ops of a region of one block and keeps the first of equal
/// ops of a block, the blocks of nested regions included. The constants of the
/// region's own block move to its start.
///
/// What upstream's CSE does within a block, but in linear time: an op that
/// reads (a collective) is equal to an earlier one unless something is written
/// between them, which is counted here, while upstream walks from one to the
/// other. Calls `keep` on what is left, but for the bodies of a few ops.
void mergeEqualOps(Region &region, llvm::function_ref<void(Operation *)> keep);

} // namespace mlir::comm

#endif // COMM_LIB_TRANSFORMS_MERGEEQUALOPS_H
