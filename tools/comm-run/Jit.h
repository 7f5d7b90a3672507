//===- Jit.h - LLVM modules to machine code in memory -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_JIT_H
#define COMM_TOOLS_COMMRUN_JIT_H

#include "KernelCache.h"
#include "SplitKernels.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace mlir::comm::runner {

/// The processor that code is made for: this one.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> detectProcessor();

/// What a kernel's machine code depends on besides its LLVM IR: for its hash.
llvm::Expected<std::string>
describeKernelCodegen(llvm::orc::JITTargetMachineBuilder machine);

/// Compiles the parts of a program at once, on as many threads as the machine
/// has cores: kernels with all of LLVM's optimisations unless `cache` (may be
/// null) has them, the schedule with none, in time linear in its size, unless
/// it is small and has loops. Symbols that the program leaves open are the
/// runtime's and the process's.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJit(SplitModule parts, llvm::orc::JITTargetMachineBuilder machine,
          KernelCache *cache);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_JIT_H
