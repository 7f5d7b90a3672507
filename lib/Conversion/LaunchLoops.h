//===- LaunchLoops.h - The loops of an op as threads ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_CONVERSION_LAUNCHLOOPS_H
#define COMM_LIB_CONVERSION_LAUNCHLOOPS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::comm {

/// Writes what computes what an op on memrefs does before it, as a gpu.launch
/// on a grid of one dimension:
///
/// - A thread for each element of the result, with loops for what is reduced.
/// - Where neighbours in memory are reduced, or much to few results: a block
/// for
///   each element of the result. Its threads reduce every blockDim-th
///   element, then what they have as a tree in shared memory: the order does
///   not depend on the run.
///
/// - Where much is reduced to few results: a launch of more blocks, each of
/// which
///   reduces a part, and one that reduces what they have. This takes memory, so
///   only where `mayAllocate`.
///
/// What an init holds is `initial` where that is not null: the number that its
/// elements would have been filled with before; one for each init.
///
/// None where the op has no elements.
SmallVector<gpu::LaunchOp> createLaunches(OpBuilder &builder,
                                          linalg::GenericOp op,
                                          ArrayRef<Value> initial,
                                          bool mayAllocate);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_LAUNCHLOOPS_H
