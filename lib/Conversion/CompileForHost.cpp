//===- CompileForHost.cpp - From a module to code in memory ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/CompileForHost.h"

#include "comm/Conversion/Pipelines.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

static llvm::Expected<std::unique_ptr<ExecutionEngine>>
createEngine(ModuleOp module) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto processor = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!processor)
    return processor.takeError();
  auto machine = processor->createTargetMachine();
  if (!machine)
    return machine.takeError();
  // The engine's compiler uses them only while it is created.
  auto optimize = makeOptimizingTransformer(/*optLevel=*/3, /*sizeLevel=*/0,
                                            machine->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  return ExecutionEngine::create(module, options, std::move(*machine));
}

FailureOr<std::unique_ptr<ExecutionEngine>>
comm::compileForHost(ModuleOp module) {
  PassManager manager(module.getContext());
  buildHostPipeline(manager);
  if (failed(manager.run(module)))
    return failure();
  auto engine = createEngine(module);
  if (!engine)
    return module.emitError() << llvm::toString(engine.takeError());
  return std::move(*engine);
}
