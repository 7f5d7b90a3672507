//===- LowerLocal.cpp - Lowers what moves nothing between ranks -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeChecks.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::comm {
#define GEN_PASS_DEF_LOWERLOCAL
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

static Value createZeros(OpBuilder &builder, Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, like),
      type.getElementType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  return linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
}

// y = chunk i of x
static void lower(AllSliceOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim();
  auto type = op.getInput().getType();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, op.getInput());
  sizes[dim] = divideByGroup(builder, op, sizes[dim], dim);
  // Upstream refuses a slice of no elements: its offsets are out of bounds.
  if (llvm::is_contained(type.getShape(), 0)) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    op.getResult().replaceAllUsesWith(
        castChecked(builder, op, empty, op.getResult().getType()));
    return;
  }
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  Value index =
      AxisIndexOp::create(builder, loc, builder.getIndexType(), op.getAxes());
  Value chunk = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim]);
  offsets[dim] = arith::MulIOp::create(builder, loc, index, chunk).getResult();
  Value slice = tensor::ExtractSliceOp::create(builder, loc, op.getInput(),
                                               offsets, sizes, strides);
  op.getResult().replaceAllUsesWith(
      castChecked(builder, op, slice, op.getResult().getType()));
}

// y = x on the root, 0 elsewhere
static void lower(RootMaskOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  auto type = op.getInput().getType();
  Value index =
      AxisIndexOp::create(builder, loc, builder.getIndexType(), op.getAxes());
  Value root = arith::ConstantIndexOp::create(builder, loc, op.getRoot());
  Value isRoot = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       index, root);
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, op.getInput()),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  // A select of elements: zeros also where x is not finite.
  auto mask = linalg::GenericOp::create(
      builder, loc, type, op.getInput(), empty, {identity, identity}, iterators,
      [&](OpBuilder &body, Location loc, ValueRange elements) {
        Value element =
            arith::SelectOp::create(body, loc, isRoot, elements[0], zero);
        linalg::YieldOp::create(body, loc, element);
      });
  op.getResult().replaceAllUsesWith(mask.getResult(0));
}

/// In a group of one rank every collective is the identity, but for a permute
/// in which nobody sends.
static void lowerAlone(CollectiveOpInterface op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value input = op.getInputValue();
  auto permute = dyn_cast<PermuteOp>(op.getOperation());
  bool isZero = permute && permute.getPairs().empty();
  if (op->getNumResults() != 0) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (isZero)
      input = createZeros(builder, loc, input);
    op->getResult(0).replaceAllUsesWith(castChecked(builder, op, input, type));
    return;
  }
  Value dest = op.getDestValue() ? op.getDestValue() : input;
  if (isZero) {
    Type element = cast<MemRefType>(dest.getType()).getElementType();
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    linalg::FillOp::create(builder, loc, zero, dest);
  } else if (dest != input) {
    memref::CopyOp::create(builder, loc, input, dest);
  }
}

namespace {
struct LowerLocal : comm::impl::LowerLocalBase<LowerLocal> {
  using LowerLocalBase::LowerLocalBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<CollectiveOpInterface, AxisIndexOp, BarrierOp, StopGradientOp>(
              op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      lowerOp(op);
  }

  /// Bodies of ops on elements become kernels, which know no ranks.
  static void moveOutOfBodies(AxisIndexOp op) {
    Operation *outer = op;
    while (!isa<func::FuncOp>(outer->getParentOp()) &&
           !isa<scf::SCFDialect>(outer->getParentOp()->getDialect()))
      outer = outer->getParentOp();
    op->moveBefore(outer);
  }

  void lowerOp(Operation *op) {
    if (auto stop = dyn_cast<StopGradientOp>(op)) {
      stop.getResult().replaceAllUsesWith(stop.getInput());
      return op->erase();
    }
    OpBuilder builder(op);
    auto replication = cast<ReplicationOpInterface>(op);
    auto axes = cast<AxesAttr>(Attribute(replication.getGroupAxes()));
    bool isAlone = !keepGroupsOfOne && comm::getGroupSize(op, axes) == 1;
    if (auto vary = dyn_cast<VaryOp>(op)) {
      vary.getResult().replaceAllUsesWith(vary.getInput());
    } else if (auto index = dyn_cast<AxisIndexOp>(op)) {
      if (!isAlone)
        return moveOutOfBodies(index);
      index.getIndex().replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, op->getLoc(), 0).getResult());
    } else if (isa<BarrierOp>(op)) {
      if (!isAlone)
        return;
    } else if (isAlone) {
      lowerAlone(cast<CollectiveOpInterface>(op), builder);
    } else if (auto slice = dyn_cast<AllSliceOp>(op)) {
      lower(slice, builder);
    } else if (auto mask = dyn_cast<RootMaskOp>(op)) {
      lower(mask, builder);
    } else {
      return;
    }
    op->erase();
  }
};
} // namespace
