//===- CheckGradient.h - Gradients against differences ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_H

#include "CommandLine.h"
#include "LoadProgram.h"

namespace mlir::comm::runner {

/// Checks that the program's derivative is the adjoint of its Jacobian, with
/// random data that differ from rank to rank. In a copy of the program in f64,
///
///   <J x', y~> = <x', J^T y~>
///
/// must hold for a random direction x' of each argument and random seeds y~,
/// where J x' is a central difference; <u, v> is the sum over ranks that counts
/// each replica class of a replicated value once. The gradient in the program's
/// own types is compared with the one in f64, and the gradient of a replicated
/// argument must be one value. Prints a line for each argument and a verdict.
MaybeFailure checkGradient(Program &program, const CommandLine &line);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_H
