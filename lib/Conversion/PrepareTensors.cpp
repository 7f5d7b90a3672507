//===- PrepareTensors.cpp - Tensor ops as kernels take them ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
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

/// A tensor.bitcast has no memory form upstream, one of elements has.
struct BitcastElements : OpRewritePattern<tensor::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSource().getType() == op.getType())
      rewriter.replaceOp(op, op.getSource());
    else
      rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(),
                                                    op.getSource());
    return success();
  }
};

/// A tensor of one number is a fill, which kernels know.
struct FillSplat : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), op.getType(),
                                          op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

/// What a fill overwrites is of no interest but for its sizes.
struct FillEmpty : OpRewritePattern<linalg::FillOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::FillOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    Value output = op.getOutputs()[0];
    if (output.getDefiningOp<tensor::EmptyOp>())
      return failure();
    auto type = cast<RankedTensorType>(output.getType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(rewriter, op.getLoc(), output, dim));
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
    rewriter.modifyOpInPlace(op, [&] { op.setOperand(1, empty); });
    return success();
  }
};

struct PrepareTensors : comm::impl::PrepareTensorsBase<PrepareTensors> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    RewritePatternSet patterns(&getContext());
    patterns.add<BitcastElements, DecomposeAggregated, FillEmpty, FillSplat,
                 FoldTranspose, GeneralizeMap>(&getContext());
    linalg::populateConvertToDestinationStylePatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
