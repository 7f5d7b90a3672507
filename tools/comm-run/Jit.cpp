//===- Jit.cpp - LLVM modules to machine code in memory -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "Codegen.h"
#include "comm/Runtime/CommRuntime.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/IR/Module.h"

#include <thread>

using namespace mlir::comm::runner;
using namespace llvm;
using namespace llvm::orc;

namespace {

/// Called by several threads at once.
class Compiler : public IRCompileLayer::IRCompiler {
public:
  Compiler(JITTargetMachineBuilder machine, KernelCache *cache)
      : IRCompiler(irManglingOptionsFromTargetOptions(machine.getOptions())),
        codegen(std::move(machine), cache) {}

  Expected<std::unique_ptr<MemoryBuffer>> operator()(Module &module) override {
    return codegen.compile(module);
  }

private:
  Codegen codegen;
};

} // namespace

/// comm-run has the runtime linked in; the C library is found in the process.
static SymbolMap getRuntimeSymbols(LLJIT &jit) {
  SymbolMap symbols;
#define COMM_RUNTIME_FUNCTION(Name, ...)                                       \
  symbols[jit.mangleAndIntern(#Name)] = {ExecutorAddr::fromPtr(&Name),         \
                                         JITSymbolFlags::Exported};
#include "comm/Runtime/RuntimeFunctions.def"
  return symbols;
}

Expected<std::unique_ptr<LLJIT>> mlir::comm::runner::createJit(
    SplitModule parts, JITTargetMachineBuilder machine, KernelCache *cache) {
  LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(machine))
      .setNumCompileThreads(std::max(1u, std::thread::hardware_concurrency()))
      // There are no initializers to run.
      .setPlatformSetUp(setUpInactivePlatform)
      .setCompileFunctionCreator(
          [&](JITTargetMachineBuilder machine)
              -> Expected<std::unique_ptr<IRCompileLayer::IRCompiler>> {
            return std::make_unique<Compiler>(std::move(machine), cache);
          });
  Expected<std::unique_ptr<LLJIT>> created = builder.create();
  if (!created)
    return created.takeError();
  LLJIT &jit = **created;
  JITDylib &program = jit.getMainJITDylib();
  if (Error error = program.define(absoluteSymbols(getRuntimeSymbols(jit))))
    return error;

  // All that there is to compile is asked for in one go.
  SymbolLookupSet wanted;
  auto add = [&](ThreadSafeModule part) -> Error {
    part.withModuleDo([&](Module &module) {
      module.setDataLayout(jit.getDataLayout());
      module.setTargetTriple(jit.getTargetTriple());
      for (const Function &function : module)
        if (!function.isDeclaration() && function.hasExternalLinkage())
          wanted.add(jit.mangleAndIntern(function.getName()));
    });
    return jit.addIRModule(std::move(part));
  };
  for (ThreadSafeModule &kernel : parts.kernels)
    if (Error error = add(std::move(kernel)))
      return error;
  if (Error error = add(std::move(parts.schedule)))
    return error;
  Expected<SymbolMap> symbols = jit.getExecutionSession().lookup(
      makeJITDylibSearchOrder(&program), std::move(wanted));
  if (!symbols)
    return symbols.takeError();
  return created;
}
