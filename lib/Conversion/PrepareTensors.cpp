//===- PrepareTensors.cpp - Tensor ops as bufferization takes them --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::comm {
#define GEN_PASS_DEF_PREPARETENSORS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {

/// softmax and its like, into linalg ops that have loops.
struct DecomposeAggregated
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

/// one-shot-bufferize takes the init of a linalg.map for never read, and a body
/// that reads it would see memory that nobody wrote.
struct GeneralizeMap : OpRewritePattern<linalg::MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::MapOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

/// A contraction of a transposed operand reads the operand itself, by another
/// indexing map: gemm takes transposes as flags.
struct FoldTranspose : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
      return failure();
    // Named ops widen their elements; linalg.contract may too, but says it
    // otherwise.
    Type element = getElementTypeOrSelf(op.getDpsInitOperand(0)->get());
    if (!isa<FloatType>(element))
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<Value> inputs = op.getDpsInputs();
    bool changed = false;
    for (auto [position, input] : llvm::enumerate(inputs)) {
      if (getElementTypeOrSelf(input) != element)
        return failure();
      auto transpose = input.getDefiningOp<linalg::TransposeOp>();
      if (!transpose)
        continue;
      // Dimension i of the transposed is dimension permutation[i] of the input.
      SmallVector<AffineExpr> results(transpose.getPermutation().size());
      for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
        results[source] = maps[position].getResult(dim);
      maps[position] = AffineMap::get(maps[position].getNumDims(), 0, results,
                                      op.getContext());
      input = transpose.getInput();
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.replaceOpWithNewOp<linalg::ContractOp>(
        op, op->getResultTypes(), inputs, op.getDpsInits(),
        rewriter.getAffineMapArrayAttr(maps));
    return success();
  }
};

/// Collects the tensors whose buffers `value` may share without a copy. A
/// result of a call has a buffer of its own, and so has what an op computes: it
/// is written in place only where its destination is read no more.
static void collectSharedTensors(Value value, llvm::DenseSet<Value> &shared) {
  if (!isa<TensorType>(value.getType()) || !shared.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::ReshapeOp>(op))
    return collectSharedTensors(op->getOperand(0), shared);
  bool isControlFlow = op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op);
  if (!isControlFlow && !isa<arith::SelectOp>(op))
    return;
  for (Value operand : op->getOperands())
    collectSharedTensors(operand, shared);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value yielded : block.getTerminator()->getOperands())
        collectSharedTensors(yielded, shared);
}

/// Copies a result that shares its buffer with an earlier one: a caller may
/// write into either, and one-shot-bufferize does not see that they are one.
static void separateResults(func::FuncOp function) {
  for (Block &block : function.getBody()) {
    auto terminator = dyn_cast<func::ReturnOp>(block.getTerminator());
    if (!terminator)
      continue;
    OpBuilder builder(terminator);
    llvm::DenseSet<Value> returned;
    for (OpOperand &result : terminator->getOpOperands()) {
      llvm::DenseSet<Value> shared;
      collectSharedTensors(result.get(), shared);
      bool isShared = llvm::any_of(
          shared, [&](Value value) { return returned.contains(value); });
      returned.insert(shared.begin(), shared.end());
      if (isShared)
        result.set(bufferization::AllocTensorOp::create(
            builder, terminator.getLoc(),
            cast<RankedTensorType>(result.get().getType()), ValueRange(),
            /*copy=*/result.get()));
    }
  }
}

struct PrepareTensors : comm::impl::PrepareTensorsBase<PrepareTensors> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeAggregated, FoldTranspose, GeneralizeMap>(
        &getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();

    for (auto function : module.getOps<func::FuncOp>())
      separateResults(function);

    // What a caller passes in stays as it is.
    Attribute no = BoolAttr::get(&getContext(), false);
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        for (BlockArgument argument : function.getArguments())
          if (isa<TensorType>(argument.getType()))
            function.setArgAttr(
                argument.getArgNumber(),
                bufferization::BufferizationDialect::kWritableAttrName, no);
  }
};

} // namespace
