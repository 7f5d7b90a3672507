//===- Codegen.h - LLVM modules to machine code -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CODEGEN_H
#define COMM_TOOLS_COMMRUN_CODEGEN_H

#include "KernelCache.h"
#include "SplitKernels.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"

namespace mlir::comm::runner {

/// A processor that code is made for, by the name that LLVM has for it;
/// "native" is this one. The code can be put anywhere in memory.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
getProcessor(llvm::StringRef name = "native");

/// What a kernel's machine code depends on besides its LLVM IR: for its hash.
llvm::Expected<std::string>
describeKernelCodegen(llvm::orc::JITTargetMachineBuilder machine);

/// Compiles the parts of a program: kernels with all of LLVM's optimisations
/// unless the cache has them, the schedule with none, in time linear in its
/// size, unless it is small and has loops. May be used by several threads.
class Codegen {
public:
  /// `cache` may be null.
  Codegen(llvm::orc::JITTargetMachineBuilder machine, KernelCache *cache)
      : machine(std::move(machine)), cache(cache) {}

  /// An object file. Changes the module, whose layout and triple are those of
  /// the machine.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  compile(llvm::Module &module) const;

private:
  llvm::orc::JITTargetMachineBuilder machine;
  KernelCache *cache;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CODEGEN_H
