//===- Compile.cpp - From a module to functions that can be called --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "Jit.h"
#include "comm/Conversion/Pipelines.h"
#include "comm/Runner/Launch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::comm::runner;

void comm::runner::registerTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

std::string comm::runner::formatReport(const CompileReport &report) {
  std::string text = "compiled: lowering " + formatDuration(report.lowering) +
                     ", code " + formatDuration(report.codegen) + ", " +
                     std::to_string(report.kernels) +
                     (report.kernels == 1 ? " kernel" : " kernels");
  if (report.cached)
    text += ", " + std::to_string(report.cached) + " of them from the cache";
  return text;
}

static Failure compileFailure(llvm::Error error) {
  return {ExitCode::Compile, llvm::toString(std::move(error))};
}

/// What the packed form of a function is called.
static std::string getPackedName(StringRef name) {
  return ("comm_packed_" + name).str();
}

/// Gives every public function @f a form of one type,
///   void comm_packed_f(void **parameters)
/// which calls MLIR's C interface of it.
static void addPackedFunctions(llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    StringRef name = function.getName();
    if (function.isDeclaration() || !name.consume_front("_mlir_ciface_"))
      continue;
    auto *packed = llvm::Function::Create(
        llvm::FunctionType::get(builder.getVoidTy(), pointer,
                                /*isVarArg=*/false),
        llvm::Function::ExternalLinkage, getPackedName(name), module);
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", packed));
    SmallVector<llvm::Value *> arguments;
    for (llvm::Argument &argument : function.args()) {
      llvm::Value *slot = builder.CreateConstGEP1_64(pointer, packed->getArg(0),
                                                     argument.getArgNo());
      arguments.push_back(builder.CreateLoad(
          argument.getType(), builder.CreateLoad(pointer, slot)));
    }
    builder.CreateCall(&function, arguments);
    builder.CreateRetVoid();
  }
}

Result<CompiledModule> CompiledModule::create(ModuleOp module,
                                              const CompileOptions &options) {
  using Clock = std::chrono::steady_clock;
  CompileReport report;
  Clock::time_point start = Clock::now();
  PassManager manager(module.getContext());
  if (options.gpu) {
    NcclPipelineOptions pipeline;
    pipeline.verifyRuntime = options.verifyRuntime;
    pipeline.keepGroupsOfOne = options.keepGroupsOfOne;
    buildNcclPipeline(manager, pipeline);
  } else {
    HostPipelineOptions pipeline;
    pipeline.verifyRuntime = options.verifyRuntime;
    buildHostPipeline(manager, pipeline);
  }
  if (failed(manager.run(module)))
    return Failure{ExitCode::Compile, ""};
  Clock::time_point lowered = Clock::now();

  auto machine = detectProcessor();
  if (!machine)
    return compileFailure(machine.takeError());
  auto salt = describeKernelCodegen(*machine);
  if (!salt)
    return compileFailure(salt.takeError());
  FailureOr<SplitModule> parts = splitKernels(module, *salt);
  if (failed(parts))
    return Failure{ExitCode::Compile, ""};
  parts->schedule.withModuleDo(addPackedFunctions);
  report.kernels = parts->kernels.size();
  KernelCache *cache = options.cache;
  size_t hits = cache ? cache->getNumHits() : 0;
  auto jit = createJit(std::move(*parts), std::move(*machine), cache);
  if (!jit)
    return compileFailure(jit.takeError());
  report.cached = cache ? cache->getNumHits() - hits : 0;
  report.lowering = lowered - start;
  report.codegen = Clock::now() - lowered;
  return CompiledModule(std::move(*jit), report);
}

Result<PackedFunction> CompiledModule::lookup(StringRef name) const {
  auto function = jit->lookup(getPackedName(name));
  if (!function)
    return compileFailure(function.takeError());
  return function->toPtr<PackedFunction>();
}
