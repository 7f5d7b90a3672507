//===- StoppedPaths.h - What hides from gradients ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_STOPPEDPATHS_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_STOPPEDPATHS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::comm::runner {

/// Whether an op that stops derivatives (comm.stop_gradient) reads what depends
/// on an argument of a function, in the function or in what it calls:
/// differences see such a path, gradients do not.
bool hasStoppedPath(func::FuncOp function, unsigned argument);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_STOPPEDPATHS_H
