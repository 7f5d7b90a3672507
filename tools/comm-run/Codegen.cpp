//===- Codegen.cpp - LLVM modules to machine code ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "NonTemporalStores.h"
#include "VectorMath.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"

using namespace mlir::comm::runner;
using namespace llvm;
using namespace llvm::orc;

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

Expected<JITTargetMachineBuilder>
mlir::comm::runner::getProcessor(StringRef name) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Expected<JITTargetMachineBuilder> machine =
      JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine;
  if (name != "native") {
    std::string error;
    const llvm::Target *target =
        TargetRegistry::lookupTarget(machine->getTargetTriple(), error);
    std::unique_ptr<MCSubtargetInfo> known(
        target->createMCSubtargetInfo(machine->getTargetTriple(), "", ""));
    if (!known->isCPUStringValid(name))
      return createStringError("no processor '" + name + "' of " +
                               machine->getTargetTriple().getArchName());
    machine->setCPU(name.str());
    machine->getFeatures() = SubtargetFeatures();
  }
  // As the linker of LLVM's JIT wants it too: an object is good for both.
  machine->setRelocationModel(Reloc::PIC_);
  machine->setCodeModel(CodeModel::Small);
  return machine;
}

//===----------------------------------------------------------------------===//
// Machine code
//===----------------------------------------------------------------------===//

Expected<std::string>
mlir::comm::runner::describeKernelCodegen(JITTargetMachineBuilder machine) {
  Expected<std::unique_ptr<TargetMachine>> target =
      machine.createTargetMachine();
  if (!target)
    return target.takeError();
  // The number stands for what optimize() does: a change there raises it.
  std::string text = "LLVM " LLVM_VERSION_STRING " -O3 2 " +
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
  builder.registerOptimizerLastEPCallback([](ModulePassManager &passes,
                                             OptimizationLevel,
                                             ThinOrFullLTOPhase) {
    passes.addPass(createModuleToFunctionPassAdaptor(NonTemporalStoresPass()));
  });
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

Expected<std::unique_ptr<MemoryBuffer>> Codegen::compile(Module &module) const {
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
