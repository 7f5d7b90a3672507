//===- Compile.h - Modules to machine code ----------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_COMPILE_H
#define COMM_TOOLS_COMMRUN_COMPILE_H

#include "comm/Runner/Invoke.h"
#include "comm/Runner/Result.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace mlir {
class DialectRegistry;
}

namespace mlir::comm::runner {

/// Machine code of a module, in memory. Lives as long as its functions are
/// called.
class CompiledModule {
public:
  /// Lowers the module in place and compiles it. Errors of the program are
  /// emitted to the context's handler: then the failure has no message.
  static Result<CompiledModule> create(ModuleOp module);

  /// A public function of the module.
  Result<PackedFunction> lookup(StringRef name) const;

private:
  explicit CompiledModule(std::unique_ptr<ExecutionEngine> engine)
      : engine(std::move(engine)) {}

  std::unique_ptr<ExecutionEngine> engine;
};

/// Registers the translations that compiling takes.
void registerTranslations(DialectRegistry &registry);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_COMPILE_H
