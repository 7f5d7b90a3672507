//===- Captures.cpp - What ops capture, as operands -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Captures.h"
#include "comm/Analysis/ReplicationAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::comm;

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

//===----------------------------------------------------------------------===//
// tensor.pad
//===----------------------------------------------------------------------===//

/// The captured float that a pad fills its border with; null if it is a
/// constant or not the same everywhere.
static Value getCapturedValue(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  if (!value || !isa<FloatType>(value.getType()))
    return Value();
  return isConstant(value) ? Value() : value;
}

// pad x by v  =  x inserted at [low] into a tensor of v
static void rewritePad(tensor::PadOp pad, Value value) {
  IRRewriter rewriter(pad);
  Location loc = pad.getLoc();
  RankedTensorType type = pad.getResultType();
  SmallVector<OpFoldResult> low = pad.getMixedLowPad();
  SmallVector<OpFoldResult> high = pad.getMixedHighPad();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, pad.getSource());
  auto asValue = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, size);
  };
  SmallVector<Value> dynamicSizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value size = arith::AddIOp::create(rewriter, loc, asValue(low[dim]),
                                       asValue(sizes[dim]));
    dynamicSizes.push_back(
        arith::AddIOp::create(rewriter, loc, size, asValue(high[dim])));
  }
  Value filled =
      tensor::SplatOp::create(rewriter, loc, value, type, dynamicSizes);
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
      pad, pad.getSource(), filled, low, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

/// The numbers from outside that the body of a structured op reads, constants
/// apart.
static SmallVector<Value> getCapturedNumbers(linalg::LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::to_vector(llvm::make_filter_range(captured, [](Value value) {
    return isa<FloatType, IntegerType>(value.getType()) && !isConstant(value);
  }));
}

// body reads s from outside  =  body reads s as an input with the map () -> ()
static void addInputs(linalg::GenericOp op, ArrayRef<Value> numbers) {
  IRRewriter rewriter(op);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap scalar =
      AffineMap::get(op.getNumLoops(), /*symbolCount=*/0, op.getContext());
  maps.insert(maps.begin() + inputs.size(), numbers.size(), scalar);
  unsigned position = inputs.size();
  llvm::append_range(inputs, numbers);
  auto widened = linalg::GenericOp::create(
      rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray());
  widened.getRegion().takeBody(op.getRegion());
  Block *body = widened.getBody();
  for (Value number : numbers) {
    BlockArgument argument =
        body->insertArgument(position++, number.getType(), number.getLoc());
    rewriter.replaceUsesWithIf(number, argument, [&](OpOperand &use) {
      return widened->isProperAncestor(use.getOwner());
    });
  }
  rewriter.replaceOp(op, widened);
}

static void makeCapturesOperands(Block &block) {
  for (auto pad : llvm::make_early_inc_range(block.getOps<tensor::PadOp>()))
    if (Value value = getCapturedValue(pad))
      rewritePad(pad, value);
  for (auto op : llvm::make_early_inc_range(block.getOps<linalg::LinalgOp>())) {
    SmallVector<Value> numbers = getCapturedNumbers(op);
    if (numbers.empty() || !op.hasPureTensorSemantics())
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      IRRewriter rewriter(op);
      FailureOr<linalg::GenericOp> generalized =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        continue;
      generic = *generalized;
    }
    addInputs(generic, numbers);
  }
}

void comm::makeCapturesOperands(Region &region) {
  SmallVector<Block *> blocks = {&region.front()};
  while (!blocks.empty()) {
    Block &block = *blocks.pop_back_val();
    ::makeCapturesOperands(block);
    for (Operation &op : block)
      if (isStructuredControlFlow(&op))
        for (Region &nested : op.getRegions())
          if (!nested.empty())
            blocks.push_back(&nested.front());
  }
}
