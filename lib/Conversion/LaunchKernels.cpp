//===- LaunchKernels.cpp - Ops on memory become kernels of a GPU ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "LaunchLoops.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::comm {
#define GEN_PASS_DEF_LAUNCHKERNELS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;
using linalg::GenericOp;

static constexpr StringLiteral kGpuModuleName = "comm_kernels";

/// Loops of one kind that all operands step through as one, merged: indices
/// cost divisions.
static GenericOp mergeLoops(IRRewriter &rewriter, GenericOp op) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType()))
      if (!type.getLayout().isIdentity())
        return op;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Windows are indexed by sums of loops, which no one loop stands for.
  if (!llvm::all_of(maps,
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<ReassociationIndices> groups;
  bool isMerged = false;
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!groups.empty() && kinds[groups.back().back()] == kinds[loop]) {
      ReassociationIndices longer = groups.back();
      longer.push_back(loop);
      if (linalg::areDimSequencesPreserved(maps, {longer})) {
        groups.back() = longer;
        isMerged = true;
        continue;
      }
    }
    groups.push_back({loop});
  }
  if (!isMerged)
    return op;
  rewriter.setInsertionPoint(op);
  auto collapsed = linalg::collapseOpIterationDims(
      cast<linalg::LinalgOp>(op.getOperation()), groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.eraseOp(op);
  return cast<GenericOp>(collapsed->collapsedOp);
}

/// The buffer that a memref is a view of.
static Value getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether no two operands are views of one buffer. What a kernel is given are
/// different buffers, where it writes to one of them.
static bool areBuffersDistinct(ValueRange operands) {
  DenseSet<Value> buffers;
  return llvm::all_of(operands, [&](Value operand) {
    return !isa<MemRefType>(operand.getType()) ||
           buffers.insert(getBuffer(operand)).second;
  });
}

namespace {

struct LaunchKernels : comm::impl::LaunchKernelsBase<LaunchKernels> {
  using LaunchKernelsBase::LaunchKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<linalg::LinalgOp> ops;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (isKernel(function) == schedule)
        continue;
      function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    }
    SmallVector<linalg::LinalgOp> rest;
    for (linalg::LinalgOp op : ops)
      if (!giveToReader(op))
        rest.push_back(op);
    for (linalg::LinalgOp op : rest)
      if (failed(launch(op)))
        return signalPassFailure();
    if (!schedule)
      inlineKernels();
  }

private:
  bool giveToReader(linalg::LinalgOp fill);
  LogicalResult launch(linalg::LinalgOp op);
  LogicalResult outlineLaunch(gpu::LaunchOp launch, StringAttr name);
  gpu::GPUFuncOp outline(gpu::LaunchOp launch, StringRef name,
                         SmallVectorImpl<Value> &operands);
  gpu::GPUModuleOp getKernels();
  void inlineKernels();

  gpu::GPUModuleOp kernels;
  /// The number that an init would have been filled with, for each init.
  DenseMap<Operation *, SmallVector<Value>> initial;
};

} // namespace

/// The number that the op fills its init with, or null.
static Value getFilledNumber(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0)
    return {};
  auto yield = cast<linalg::YieldOp>(op.getBlock()->getTerminator());
  Value number = yield.getOperand(0);
  auto argument = dyn_cast<BlockArgument>(number);
  if (!argument || argument.getOwner() != op.getBlock())
    return op.getBlock()->getOperations().size() == 1 ? number : Value();
  Value operand = op.getMatchingOpOperand(argument)->get();
  return isa<MemRefType>(operand.getType()) ? Value() : operand;
}

/// A reduction starts at the number that its result was just filled with: no
/// kernel need write it.
bool LaunchKernels::giveToReader(linalg::LinalgOp fill) {
  if (!fill.hasPureBufferSemantics())
    return false;
  Value number = getFilledNumber(fill);
  if (!number)
    return false;
  Value memory = fill.getDpsInits()[0];
  for (Operation *next = fill->getNextNode(); next;
       next = next->getNextNode()) {
    bool usesMemory = false;
    next->walk([&](Operation *inner) {
      usesMemory |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return getBuffer(operand) == getBuffer(memory);
      });
    });
    if (!usesMemory)
      continue;
    auto reader = dyn_cast<linalg::LinalgOp>(next);
    if (!reader || llvm::count(next->getOperands(), memory) != 1)
      return false;
    for (auto [position, init] : llvm::enumerate(reader.getDpsInitsMutable())) {
      // Only what steps through all of it writes all of it.
      AffineMap map = reader.getMatchingIndexingMap(&init);
      if (init.get() != memory || !map.isProjectedPermutation())
        continue;
      auto &numbers = initial[next];
      numbers.resize(reader.getNumDpsInits());
      numbers[position] = number;
      fill->erase();
      return true;
    }
    return false;
  }
  return false;
}

gpu::GPUModuleOp LaunchKernels::getKernels() {
  ModuleOp module = getOperation();
  // Of an earlier run.
  if (!kernels)
    kernels = module.lookupSymbol<gpu::GPUModuleOp>(kGpuModuleName);
  if (!kernels) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    kernels =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kGpuModuleName);
    SymbolTable(module).insert(kernels);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
  }
  return kernels;
}

gpu::GPUFuncOp LaunchKernels::outline(gpu::LaunchOp launch, StringRef name,
                                      SmallVectorImpl<Value> &operands) {
  gpu::GPUFuncOp function = outlineKernelFunc(launch, name, operands);
  // Renames it where the name is taken.
  SymbolTable(getKernels()).insert(function);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    UnitAttr::get(&getContext()));
  if (areBuffersDistinct(operands))
    for (auto [number, operand] : llvm::enumerate(operands))
      if (isa<MemRefType>(operand.getType()))
        function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                            UnitAttr::get(&getContext()));
  return function;
}

LogicalResult LaunchKernels::launch(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("has no lowering to the GPU");
  IRRewriter rewriter(&getContext());
  rewriter.setInsertionPoint(op);
  auto name = op->getName().getIdentifier();
  SmallVector<Value> numbers = initial.lookup(op);
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
    if (failed(generalized))
      return op.emitOpError("has no lowering to the GPU");
    generic = *generalized;
  }
  generic = mergeLoops(rewriter, generic);
  rewriter.setInsertionPoint(generic);
  numbers.resize(generic.getNumDpsInits());
  // Calls for memory have been made before the schedule's launches.
  SmallVector<gpu::LaunchOp> launches =
      createLaunches(rewriter, generic, numbers, /*mayAllocate=*/!schedule);
  rewriter.eraseOp(generic);
  return success(llvm::all_of(launches, [&](gpu::LaunchOp launch) {
    return succeeded(outlineLaunch(launch, name));
  }));
}

LogicalResult LaunchKernels::outlineLaunch(gpu::LaunchOp launch,
                                           StringAttr name) {
  IRRewriter rewriter(launch);
  // Constants, and sizes that memrefs know themselves.
  if (failed(sinkOperationsIntoLaunchOp(launch, [](Operation *inner) {
        return isa<arith::ConstantOp, memref::DimOp, affine::AffineApplyOp>(
            inner);
      })))
    return failure();
  SmallVector<Value> operands;
  gpu::GPUFuncOp function = outline(
      launch, launch->getParentOfType<func::FuncOp>().getName(), operands);
  rewriter.setInsertionPoint(launch);
  Value one = launch.getGridSizeY();
  auto call = gpu::LaunchFuncOp::create(
      rewriter, launch.getLoc(), function,
      gpu::KernelDim3{launch.getGridSizeX(), one, one},
      gpu::KernelDim3{launch.getBlockSizeX(), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  call->setAttr("of", name);
  rewriter.eraseOp(launch);
  return success();
}

/// What starts kernels is the schedule's.
void LaunchKernels::inlineKernels() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  SmallVector<func::CallOp> calls;
  module.walk([&](func::CallOp call) {
    if (isKernel(call))
      calls.push_back(call);
  });
  for (func::CallOp call : calls) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    IRMapping mapping;
    mapping.map(kernel.getArguments(), call.getOperands());
    OpBuilder builder(call);
    for (Operation &op : kernel.front().without_terminator())
      builder.clone(op, mapping);
    call->erase();
  }
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (isKernel(function))
      function->erase();
}
