//===- Jit.cpp - LLVM modules to machine code in memory -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "VectorMath.h"
#include "comm/Runtime/CommRuntime.h"
#include "comm/Runtime/ElementTypes.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"

#include <cstring>
#include <thread>

using namespace mlir::comm::runner;
using namespace llvm;
using namespace llvm::orc;

Expected<JITTargetMachineBuilder> mlir::comm::runner::detectProcessor() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  return JITTargetMachineBuilder::detectHost();
}

Expected<std::string>
mlir::comm::runner::describeKernelCodegen(JITTargetMachineBuilder machine) {
  Expected<std::unique_ptr<TargetMachine>> target =
      machine.createTargetMachine();
  if (!target)
    return target.takeError();
  // The number stands for what optimize() does: a change there raises it.
  std::string text = "LLVM " LLVM_VERSION_STRING " -O3 1 " +
                     machine.getTargetTriple().str() + " " + machine.getCPU() +
                     " " + machine.getFeatures().getString();
  for (const VecDesc &function : getVectorFunctions(**target))
    text += (" " + function.getVectorFnName()).str();
  return text;
}

static void optimize(Module &module, TargetMachine &machine) {
  PipelineTuningOptions tuning;
  tuning.LoopUnrolling = true;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.addVectorizableFunctions(getVectorFunctions(machine));
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  // The first registration of an analysis counts.
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);
}

/// In what LLVM's fast register allocator is quadratic: the instructions of one
/// block.
static constexpr size_t maxBlockSize = 1000;

/// Splits blocks of more than maxBlockSize instructions.
static void splitBlocks(llvm::Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : entry)
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction);
        alloca && isa<Constant>(alloca->getArraySize()))
      allocas.push_back(alloca);
  // In the first block they are slots of the frame, elsewhere they would move
  // the stack.
  for (AllocaInst *alloca : allocas)
    alloca->moveBefore(entry, entry.begin());
  for (BasicBlock &block : make_early_inc_range(function)) {
    size_t count = 0;
    // From the front, so that each instruction moves once.
    for (Instruction &instruction : make_early_inc_range(block)) {
      if (++count <= maxBlockSize || isa<PHINode, AllocaInst>(instruction))
        continue;
      block.splitBasicBlockBefore(instruction.getIterator());
      count = 1;
    }
  }
}

/// Whether a schedule has loops, in which most of its time may be spent, and is
/// so small that optimising it takes little.
static bool hasSmallLoops(Module &module) {
  if (module.getInstructionCount() > maxBlockSize)
    return false;
  return any_of(module, [](const llvm::Function &function) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
    if (!function.isDeclaration())
      FindFunctionBackedges(function, edges);
    return !edges.empty();
  });
}

/// Makes code that is compiled without optimisation fit for that.
static void prepareSchedule(Module &module) {
  PassBuilder builder;
  FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  FunctionPassManager passes;
  // Leaves hardly a descriptor, which the fast instruction selector cannot do.
  passes.addPass(InstSimplifyPass());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    passes.run(function, analyses);
    splitBlocks(function);
  }
}

namespace {

/// Called by several threads at once.
class Compiler : public IRCompileLayer::IRCompiler {
public:
  Compiler(JITTargetMachineBuilder machine, KernelCache *cache)
      : IRCompiler(irManglingOptionsFromTargetOptions(machine.getOptions())),
        machine(std::move(machine)), cache(cache) {}

  Expected<std::unique_ptr<MemoryBuffer>> operator()(Module &module) override {
    // The identifier of a kernel says all that its code depends on.
    StringRef key = module.getModuleIdentifier();
    bool isKernel = key.starts_with(kKernelPrefix);
    if (isKernel && cache)
      if (std::unique_ptr<MemoryBuffer> known = cache->get(key))
        return known;
    JITTargetMachineBuilder builder = machine;
    bool optimizes = isKernel || hasSmallLoops(module);
    builder.setCodeGenOptLevel(optimizes ? CodeGenOptLevel::Aggressive
                                         : CodeGenOptLevel::None);
    Expected<std::unique_ptr<TargetMachine>> target =
        builder.createTargetMachine();
    if (!target)
      return target.takeError();
    if (optimizes)
      optimize(module, **target);
    else
      prepareSchedule(module);
    Expected<std::unique_ptr<MemoryBuffer>> object =
        SimpleCompiler(**target)(module);
    if (object && isKernel && cache)
      cache->add(key, (*object)->getMemBufferRef());
    return object;
  }

private:
  JITTargetMachineBuilder machine;
  KernelCache *cache;
};

} // namespace

/// What LLVM calls to pass a bf16 where the processor has none, and what only
/// newer compilers' libraries have. The number comes back in the low half of
/// where a float would.
static float truncateToBFloat(float value) {
  uint32_t bits = mlir::comm::runtime::toBFloat(value).bits;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

/// comm-run has the runtime linked in; the C library is found in the process.
static SymbolMap getRuntimeSymbols(LLJIT &jit) {
  SymbolMap symbols;
  symbols[jit.mangleAndIntern("__truncsfbf2")] = {
      ExecutorAddr::fromPtr(&truncateToBFloat), JITSymbolFlags::Exported};
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
