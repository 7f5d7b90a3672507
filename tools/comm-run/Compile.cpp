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
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

using Clock = std::chrono::steady_clock;

std::string comm::runner::formatReport(const CompileReport &report) {
  std::string text = "compiled: lowering " + formatDuration(report.lowering) +
                     ", code " + formatDuration(report.codegen) + ", " +
                     std::to_string(report.kernels) +
                     (report.kernels == 1 ? " kernel" : " kernels");
  if (report.cached)
    text += ", " + std::to_string(report.cached) + " of them from the cache";
  return text;
}

Failure comm::runner::compileFailure(llvm::Error error) {
  return {ExitCode::Compile, llvm::toString(std::move(error))};
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
        llvm::Function::ExternalLinkage, getPackedName(name.str()), module);
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

/// Defines what LLVM calls to pass a bf16 where the processor has none, and
/// what only newer compilers' libraries have. The number comes back in the low
/// half of where a float would.
static void addBFloatConversion(llvm::Module &module) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *number = builder.getFloatTy();
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(number, number, /*isVarArg=*/false),
      llvm::Function::WeakAnyLinkage, "__truncsfbf2", module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  llvm::Value *value = function->getArg(0);
  llvm::Value *bits = builder.CreateBitCast(value, builder.getInt32Ty());
  llvm::Value *high = builder.CreateLShr(bits, 16);
  // To nearest, ties to even; a NaN stays one.
  llvm::Value *rounding =
      builder.CreateAdd(builder.CreateAnd(high, 1), builder.getInt32(0x7fff));
  llvm::Value *rounded =
      builder.CreateLShr(builder.CreateAdd(bits, rounding), 16);
  llvm::Value *result =
      builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                           builder.CreateOr(high, 0x40), rounded);
  builder.CreateRet(builder.CreateBitCast(result, number));
}

static void addPipeline(OpPassManager &manager, const CompileOptions &options) {
  if (options.target == runner::Target::Host) {
    HostPipelineOptions pipeline;
    pipeline.verifyRuntime = options.verifyRuntime;
    return buildHostPipeline(manager, pipeline);
  }
  NcclPipelineOptions pipeline;
  pipeline.verifyRuntime = options.verifyRuntime;
  pipeline.keepGroupsOfOne = options.keepGroupsOfOne;
  if (!options.chip.empty())
    pipeline.chip = options.chip;
  if (!options.format.empty())
    pipeline.format = options.format;
  buildNcclPipeline(manager, pipeline);
}

Result<LoweredProgram> comm::runner::lowerProgram(ModuleOp module,
                                                  const CompileOptions &options,
                                                  CompileReport &report) {
  Clock::time_point start = Clock::now();
  auto machine = getProcessor(options.processor);
  if (!machine)
    return usageFailure(llvm::toString(machine.takeError()));
  PassManager manager(module.getContext());
  addPipeline(manager, options);
  if (failed(manager.run(module)))
    return Failure{ExitCode::Compile, ""};
  report.lowering = Clock::now() - start;

  auto salt = describeKernelCodegen(*machine);
  if (!salt)
    return compileFailure(salt.takeError());
  FailureOr<SplitModule> parts = splitKernels(module, *salt);
  if (failed(parts))
    return Failure{ExitCode::Compile, ""};
  parts->schedule.withModuleDo([](llvm::Module &schedule) {
    addPackedFunctions(schedule);
    addBFloatConversion(schedule);
  });
  report.kernels = parts->kernels.size();
  return LoweredProgram{std::move(*parts), std::move(*machine)};
}

Result<CompiledModule> CompiledModule::create(ModuleOp module,
                                              const CompileOptions &options) {
  CompileReport report;
  Clock::time_point start = Clock::now();
  Result<LoweredProgram> program = lowerProgram(module, options, report);
  if (!program)
    return program.getFailure();
  KernelCache *cache = options.cache;
  size_t hits = cache ? cache->getNumHits() : 0;
  auto jit =
      createJit(std::move(program->parts), std::move(program->machine), cache);
  if (!jit)
    return compileFailure(jit.takeError());
  report.cached = cache ? cache->getNumHits() - hits : 0;
  report.codegen = Clock::now() - start - report.lowering;
  return CompiledModule(std::move(*jit), report);
}

Result<PackedFunction> CompiledModule::lookup(StringRef name) const {
  auto function = jit->lookup(getPackedName(name.str()));
  if (!function)
    return compileFailure(function.takeError());
  return function->toPtr<PackedFunction>();
}
