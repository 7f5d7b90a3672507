//===- PadValues.cpp - Padding values as operands -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::comm;

/// The captured float that a pad fills its border with; null if it is a
/// constant or not the same everywhere.
static Value getCapturedValue(tensor::PadOp pad) {
  Value value = pad.getConstantPaddingValue();
  if (!value || !isa<FloatType>(value.getType()))
    return Value();
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() ? Value() : value;
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

void comm::makePadValuesOperands(Block &block) {
  for (auto pad : llvm::make_early_inc_range(block.getOps<tensor::PadOp>()))
    if (Value value = getCapturedValue(pad))
      rewritePad(pad, value);
}
