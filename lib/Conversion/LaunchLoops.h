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

/// Writes a gpu.launch before an op on memrefs that computes what the op does,
/// on a grid of one dimension:
///
/// - A thread for each element of the result, with loops for what is reduced.
/// - Where neighbours in memory are reduced, or much to few results: a block
/// for
///   each element of the result. Its threads reduce every blockDim-th
///   element, then what they have as a tree in shared memory: the order does
///   not depend on the run.
///
/// What an init holds is `initial` where that is not null: the number that its
/// elements would have been filled with before; one for each init.
///
/// None where the op has no elements.
gpu::LaunchOp createLaunch(OpBuilder &builder, linalg::GenericOp op,
                           ArrayRef<Value> initial);

} // namespace mlir::comm

#endif // COMM_LIB_CONVERSION_LAUNCHLOOPS_H
