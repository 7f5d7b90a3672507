//===- BufferizeKernels.cpp - Kernels from tensors to memrefs -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::comm;
using linalg::LinalgOp;

/// Whether an op's body is so cheap that computing it again costs less than
/// memory does.
static bool isCheap(LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return isa<linalg::YieldOp>(inner);
  });
}

/// Whether the producer of `operand` becomes part of the op that reads it.
static bool shouldFuse(OpOperand *operand) {
  auto consumer = cast<LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<LinalgOp>();
  if (!producer || linalg::isaContractionOpInterface(consumer))
    return false;
  // Computed once for each element, by one op alone. An op that reads it twice
  // does so once after its equal operands have been merged.
  if (!producer->hasOneUse())
    return false;
  return isCheap(producer) ||
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

static LogicalResult fuse(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding();
  return applyPatternsGreedily(kernel, std::move(patterns), config);
}

/// Lets the ops that `result` is made by write to `destination`, where what
/// they write to now is empty.
static void writeTo(Value result, Value destination) {
  while (result.getDefiningOp()) {
    OpOperand *init = getInit(cast<OpResult>(result));
    if (!init)
      return;
    if (init->get().getDefiningOp<tensor::EmptyOp>())
      return init->set(destination);
    if (!init->get().hasOneUse())
      return;
    result = init->get();
  }
}

/// Makes tensors at the boundary memrefs. Results are written to the last
/// arguments.
static void convertBoundary(func::FuncOp kernel) {
  Block &block = kernel.front();
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToStart(&block);
  unsigned numDestinations = kernel.getNumResults();
  unsigned firstDestination = block.getNumArguments() - numDestinations;
  SmallVector<Value> destinations;
  for (BlockArgument argument : block.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    argument.setType(MemRefType::get(type.getShape(), type.getElementType()));
    auto tensor = bufferization::ToTensorOp::create(
        builder, argument.getLoc(), type, argument, /*restrict=*/true,
        /*writable=*/argument.getArgNumber() >= firstDestination);
    argument.replaceAllUsesExcept(tensor, tensor);
    if (argument.getArgNumber() >= firstDestination)
      destinations.push_back(tensor);
  }
  Operation *terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  for (auto [number, result] : llvm::enumerate(terminator->getOperands())) {
    writeTo(result, destinations[number]);
    bufferization::MaterializeInDestinationOp::create(
        builder, terminator->getLoc(), Type(), result,
        block.getArgument(firstDestination + number), /*restrict=*/false,
        /*writable=*/true);
  }
  terminator->setOperands({});
  kernel.setType(builder.getFunctionType(block.getArgumentTypes(), {}));
}

/// Memory that the kernel allocates comes from its callers where its size is
/// static; the rest is freed.
static void hoistAllocations(func::FuncOp kernel) {
  Block &block = kernel.front();
  kernel.walk([&](memref::AllocOp alloc) {
    if (alloc.getType().hasStaticShape()) {
      Value scratch = block.addArgument(alloc.getType(), alloc.getLoc());
      alloc.getMemref().replaceAllUsesWith(scratch);
      alloc->erase();
      return;
    }
    OpBuilder builder(alloc->getBlock()->getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), alloc);
  });
  kernel.setType(
      FunctionType::get(kernel.getContext(), block.getArgumentTypes(), {}));
}

static LogicalResult bufferizeKernel(func::FuncOp kernel) {
  if (failed(fuse(kernel)))
    return failure();
  convertBoundary(kernel);
  bufferization::OneShotBufferizationOptions options;
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(kernel, options, state)))
    return failure();
  RewritePatternSet patterns(kernel.getContext());
  memref::AllocOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  memref::CopyOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  memref::SubViewOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  if (failed(applyPatternsGreedily(kernel, std::move(patterns))))
    return failure();
  hoistAllocations(kernel);
  return success();
}

LogicalResult comm::bufferizeKernels(ArrayRef<func::FuncOp> kernels) {
  if (kernels.empty())
    return success();
  return failableParallelForEach(
      kernels.front()->getContext(), kernels,
      [](func::FuncOp kernel) { return bufferizeKernel(kernel); });
}
