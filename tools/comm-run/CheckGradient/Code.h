//===- Code.h - Functions compiled, to be run on all ranks ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_CHECKGRADIENT_CODE_H
#define COMM_TOOLS_COMMRUN_CHECKGRADIENT_CODE_H

#include "../Compile.h"
#include "../LoadProgram.h"
#include "comm/Runner/Launch.h"

namespace mlir::comm::runner {

/// What it takes to compile and to run.
struct CodeOptions {
  CompileOptions compile;
  LaunchOptions launch;
};

/// A function that can be called on all ranks of its mesh.
class Code {
public:
  /// Compiles the functions of a module that the signatures name. Nothing else
  /// of the module is kept, and what is kept is lowered in place.
  static Result<std::vector<Code>>
  compile(ModuleOp module, const std::vector<FunctionSignature> &signatures,
          const CodeOptions &options);

  Result<RankValues> run(const RankValues &values) const;

  const FunctionSignature &getSignature() const { return signature; }

private:
  Code(FunctionSignature signature, PackedFunction function,
       std::shared_ptr<CompiledModule> module, LaunchOptions options)
      : signature(std::move(signature)), function(function),
        module(std::move(module)), options(std::move(options)) {}

  FunctionSignature signature;
  PackedFunction function;
  std::shared_ptr<CompiledModule> module;
  LaunchOptions options;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_CHECKGRADIENT_CODE_H
