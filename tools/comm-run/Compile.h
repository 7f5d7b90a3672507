//===- Compile.h - Modules to machine code ----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_COMPILE_H
#define COMM_TOOLS_COMMRUN_COMPILE_H

#include "SplitKernels.h"
#include "comm/Runner/Artifact.h"
#include "comm/Runner/Result.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <chrono>
#include <memory>

namespace mlir {
class DialectRegistry;
}

namespace mlir::comm::runner {

class KernelCache;

struct CompileOptions {
  Target target = Target::Host;
  /// What has kernels that were compiled before; may be null.
  KernelCache *cache = nullptr;
  /// Whether the run checks sizes and indices of local ops.
  bool verifyRuntime = false;
  /// The processor that the host's code is for (see getProcessor).
  std::string processor = "native";

  // Of GPUs alone: see NcclPipelineOptions. Empty: the pipeline's own choice.
  bool keepGroupsOfOne = false;
  std::string chip, format;
};

/// What it took to make a program's code.
struct CompileReport {
  /// From tensors to the LLVM dialect, and from there to machine code.
  std::chrono::duration<double> lowering{0}, codegen{0};
  /// Distinct kernels, and how many of them the cache had.
  size_t kernels = 0, cached = 0;
};

/// Such as "compiled: lowering 12.1 ms, code 8.03 ms, 3 kernels, 2 of them from
/// the cache".
std::string formatReport(const CompileReport &report);

/// A program as LLVM modules, and the processor that they are for.
struct LoweredProgram {
  SplitModule parts;
  llvm::orc::JITTargetMachineBuilder machine;
};

/// Lowers the module in place and translates it. Every public function @f has,
/// besides MLIR's C interface of it, a form of one type, getPackedName(f).
/// Errors of the program are emitted to the context's handler: then the failure
/// has no message.
Result<LoweredProgram> lowerProgram(ModuleOp module,
                                    const CompileOptions &options,
                                    CompileReport &report);

/// What went wrong in LLVM.
Failure compileFailure(llvm::Error error);

/// Machine code of a module, in memory. Lives as long as its functions are
/// called.
class CompiledModule {
public:
  /// Lowers the module in place and compiles it. Errors of the program are
  /// emitted to the context's handler: then the failure has no message.
  static Result<CompiledModule> create(ModuleOp module,
                                       const CompileOptions &options = {});

  /// A public function of the module.
  Result<PackedFunction> lookup(StringRef name) const;

  const CompileReport &getReport() const { return report; }

private:
  CompiledModule(std::unique_ptr<llvm::orc::LLJIT> jit, CompileReport report)
      : jit(std::move(jit)), report(report) {}

  std::unique_ptr<llvm::orc::LLJIT> jit;
  CompileReport report;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_COMPILE_H
