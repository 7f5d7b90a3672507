//===- CheckGradient.h - Gradients that prove themselves --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_H

#include "CommandLine.h"
#include "LoadProgram.h"
#include "comm/Runner/Console.h"

namespace mlir::comm::runner {

/// Loads another function of the program's module, with nothing resolved.
using FunctionLoader = llvm::function_ref<Result<Program>(StringRef name)>;

/// Checks that the program's derivative is the adjoint of its Jacobian, with
/// data that differ from rank to rank, and prints a table or JSON. In a copy of
/// the program in f64, for a random direction x' of each argument and random
/// seeds y~,
///
///   adjoint     <J x', y~> = <x', J^T y~>, where J x' is by forward mode and
///               <u, v> counts each replica class of a replicated value once;
///   difference  J x' is a central difference, element by element;
///   reference   values and gradients are those of a serial twin, if there is
///               one.
///
/// In the program's own types,
///
///   precision   the gradient is that in f64, to what rounding may cost;
///   replicas    replicated results and gradients are one value, bit for bit.
///
/// The failure has no message where the report says what is wrong.
MaybeFailure checkGradient(Program &program, FunctionLoader load,
                           const CommandLine &line, const Console &console);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_H
