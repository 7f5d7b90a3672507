//===- Compile.cpp - From a module to functions that can be called --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "comm/Conversion/Pipelines.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::comm::runner;

void comm::runner::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

/// Where the code finds the runtime: comm-run has it linked in. The C library
/// is found in the process.
static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner intern) {
  llvm::orc::SymbolMap symbols;
#define COMM_RUNTIME_FUNCTION(Name, ...)                                       \
  symbols[intern(#Name)] = {llvm::orc::ExecutorAddr::fromPtr(&Name),           \
                            llvm::JITSymbolFlags::Exported};
#include "comm/Runtime/RuntimeFunctions.def"
  return symbols;
}

static Failure compileFailure(llvm::Error error) {
  return {ExitCode::Compile, llvm::toString(std::move(error))};
}

Result<CompiledModule> CompiledModule::create(ModuleOp module) {
  PassManager manager(module.getContext());
  buildHostPipeline(manager);
  if (failed(manager.run(module)))
    return Failure{ExitCode::Compile, ""};

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return compileFailure(host.takeError());
  auto machine = host->createTargetMachine();
  if (!machine)
    return compileFailure(machine.takeError());

  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            machine->get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return compileFailure(engine.takeError());
  (*engine)->registerSymbols(getRuntimeSymbols);
  return CompiledModule(std::move(*engine));
}

Result<PackedFunction> CompiledModule::lookup(StringRef name) const {
  auto function = engine->lookupPacked("_mlir_ciface_" + name.str());
  if (!function)
    return compileFailure(function.takeError());
  return *function;
}
