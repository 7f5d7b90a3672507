//===- RunProgram.h - From a program to its results -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_RUNPROGRAM_H
#define COMM_TOOLS_COMMRUN_RUNPROGRAM_H

#include "CommandLine.h"
#include "LoadProgram.h"
#include "comm/Runner/Console.h"

namespace mlir::comm::runner {

/// Runs the program, with its gradients where they are asked for, prints what
/// it gives and checks that as the flags say.
MaybeFailure runProgram(Program &program, const CommandLine &line,
                        const Console &console);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_RUNPROGRAM_H
