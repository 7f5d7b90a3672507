//===- Code.cpp - Functions compiled, to be run on all ranks --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Code.h"

using namespace mlir;
using namespace mlir::comm::runner;

Result<std::vector<Code>>
Code::compile(ModuleOp module, const std::vector<FunctionSignature> &signatures,
              const CodeOptions &options) {
  SmallVector<func::FuncOp> functions;
  for (const FunctionSignature &signature : signatures)
    functions.push_back(module.lookupSymbol<func::FuncOp>(signature.name));
  if (failed(keepOnly(module, functions)))
    return Failure{ExitCode::Compile, ""};
  Result<CompiledModule> compiled =
      CompiledModule::create(module, options.compile);
  if (!compiled)
    return compiled.getFailure();
  auto shared = std::make_shared<CompiledModule>(std::move(*compiled));
  std::vector<Code> codes;
  for (const FunctionSignature &signature : signatures) {
    Result<PackedFunction> function = shared->lookup(signature.name);
    if (!function)
      return function.getFailure();
    codes.push_back(Code(signature, *function, shared, options.launch));
  }
  return codes;
}

Result<RankValues> Code::run(const RankValues &values) const {
  Launch launched = launch(function, signature, values, options);
  if (launched.failure)
    return *launched.failure;
  if (launched.ranks.size() < values.size())
    return usageFailure(
        "--check-grad needs all ranks in one process: backend '" +
        options.backend + "' has " + std::to_string(launched.ranks.size()) +
        " of " + std::to_string(values.size()) + " here");
  return std::move(launched.results);
}
