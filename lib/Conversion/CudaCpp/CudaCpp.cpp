//===- CudaCpp.cpp - Lowers a program as far as it can be read
//--------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/CudaCpp.h"
#include "../RuntimeCalls.h"
#include "../SizeChecks.h"
#include "Emitter.h"
#include "comm/Conversion/Passes.h"
#include "comm/Conversion/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

/// Copies between strided memory are work for a kernel, and a check that a
/// function has passed holds.
static void prepareSchedule(ModuleOp module) {
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    if (isContiguous(cast<MemRefType>(op.getSource().getType())) &&
        isContiguous(cast<MemRefType>(op.getTarget().getType())))
      continue;
    OpBuilder builder(op);
    linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                             op.getTarget());
    op->erase();
  }
  module.walk([&](func::CallOp op) {
    if (op.getCallee() != kCheckSize)
      return;
    OpBuilder builder(op);
    op.getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
        builder, op.getLoc(), builder.getBoolAttr(true)));
  });
}

/// Whether a number is made of a thread's position, without a limit.
static bool isPosition(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<gpu::BlockIdOp, gpu::ThreadIdOp, arith::ConstantOp>(op))
    return true;
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op) &&
         llvm::all_of(op->getOperands(), isPosition);
}

/// A thread's position that is made narrow, for the sake of divisions, and wide
/// again without one: comm-launch-kernels makes narrow what fits.
static void removeNarrowing(ModuleOp module) {
  module.walk([](arith::IndexCastUIOp wide) {
    auto narrow = wide.getIn().getDefiningOp<arith::IndexCastUIOp>();
    if (!narrow || !isPosition(narrow.getIn()))
      return;
    wide.replaceAllUsesWith(narrow.getIn());
    wide.erase();
    if (narrow.use_empty())
      narrow.erase();
  });
}

static LogicalResult lower(ModuleOp module, const CudaCppOptions &options) {
  // Halves of derivatives that nobody calls.
  PassManager toMemory(module.getContext());
  toMemory.addPass(createSymbolDCEPass());
  NcclPipelineOptions schedule;
  schedule.verifyRuntime = options.verifyRuntime;
  schedule.keepGroupsOfOne = options.keepGroupsOfOne;
  buildGpuSchedule(toMemory, schedule);
  toMemory.addPass(createConvertContractions());
  if (failed(toMemory.run(module)))
    return failure();
  prepareSchedule(module);

  PassManager toText(module.getContext());
  LaunchKernelsOptions rest;
  rest.schedule = true;
  toText.addPass(createLaunchKernels(rest));
  toText.addPass(createLowerAffinePass());
  toText.addPass(createCanonicalizerPass());
  toText.addPass(createCSEPass());
  if (failed(toText.run(module)))
    return failure();
  removeNarrowing(module);
  return success();
}

/// Whether a function is called by another one.
static bool isCalled(func::FuncOp function) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(
      function, function->getParentOfType<ModuleOp>());
  return uses && !uses->empty();
}

LogicalResult comm::translateToCudaCpp(ModuleOp module, llvm::raw_ostream &os,
                                       const CudaCppOptions &options) {
  if (failed(lower(module, options)))
    return failure();
  Program program(module);
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    functions.push_back(function);
    program.symbols[function] = program.names.make(function.getName());
  }
  std::string prototypes, bodies;
  for (func::FuncOp function : functions) {
    FunctionText text = emitFunction(program, function);
    if (isCalled(function))
      prototypes += text.prototype;
    bodies += text.body;
  }
  if (!program.isGood)
    return failure();
  os << getPrologue(program) << "\n";
  for (const std::string *part :
       {&program.constants, &program.kernels, &prototypes})
    if (!part->empty())
      os << StringRef(*part).rtrim() << "\n\n";
  os << StringRef(bodies).rtrim() << "\n";
  return success();
}
