//===- Jit.h - LLVM modules to machine code in memory -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_JIT_H
#define COMM_TOOLS_COMMRUN_JIT_H

#include "Codegen.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace mlir::comm::runner {

/// Compiles the parts of a program at once, on as many threads as the machine
/// has cores (see Codegen). Symbols that the program leaves open are the
/// runtime's and the process's.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJit(SplitModule parts, llvm::orc::JITTargetMachineBuilder machine,
          KernelCache *cache);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_JIT_H
