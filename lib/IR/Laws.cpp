//===- Laws.cpp - The laws of every op ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Laws.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// What the laws are written in
//===----------------------------------------------------------------------===//

bool comm::containsAxes(AxesAttr whole, AxesAttr part) {
  return whole.getMesh() == part.getMesh() &&
         llvm::all_of(part.getAxes(), [&](StringAttr axis) {
           return llvm::is_contained(whole.getAxes(), axis);
         });
}

bool comm::areDisjoint(AxesAttr a, AxesAttr b) {
  return a.getMesh() == b.getMesh() &&
         llvm::none_of(a.getAxes(), [&](StringAttr axis) {
           return llvm::is_contained(b.getAxes(), axis);
         });
}

AxesAttr comm::subtractAxes(AxesAttr axes, AxesAttr removed) {
  SmallVector<StringAttr> left;
  for (StringAttr axis : axes.getAxes())
    if (!llvm::is_contained(removed.getAxes(), axis))
      left.push_back(axis);
  return left.empty() ? AxesAttr()
                      : AxesAttr::get(axes.getContext(), axes.getMesh(), left);
}

AxesAttr comm::uniteAxes(AxesAttr a, AxesAttr b) {
  SmallVector<StringAttr> all(a.getAxes());
  if (AxesAttr rest = subtractAxes(b, a))
    llvm::append_range(all, rest.getAxes());
  return AxesAttr::get(a.getContext(), a.getMesh(), all);
}

bool comm::isAdditive(ReductionKind reduction) {
  return reduction == ReductionKind::Sum || reduction == ReductionKind::Avg;
}

VaryOp comm::getVaryBeside(Value value, Operation *user) {
  auto vary = value.getDefiningOp<VaryOp>();
  return vary && vary->getBlock() == user->getBlock() ? vary : VaryOp();
}

Value comm::createVary(OpBuilder &builder, Location loc, Value x,
                       AxesAttr axes) {
  return axes ? VaryOp::create(builder, loc, x, axes).getResult() : x;
}

Value comm::emitVaried(PatternRewriter &rewriter, Operation *op, VaryOp vary,
                       AxesAttr left, llvm::function_ref<Value(Value)> emit) {
  Value x = vary.getInput();
  if (vary->getBlock() == op->getBlock())
    return createVary(rewriter, op->getLoc(), emit(x), left);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(vary);
    x = createVary(rewriter, vary.getLoc(), x, left);
  }
  return emit(x);
}

Value comm::createAllReduce(OpBuilder &builder, Location loc, Value x,
                            ReductionKind reduction, AxesAttr axes) {
  return axes
             ? AllReduceOp::create(builder, loc, x, reduction, axes).getResult()
             : x;
}

void comm::replaceWithValue(PatternRewriter &rewriter, Operation *op,
                            Value value) {
  Type type = op->getResult(0).getType();
  if (value.getType() != type) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    value = tensor::CastOp::create(rewriter, op->getLoc(), type, value);
  }
  rewriter.replaceOp(op, value);
}

//===----------------------------------------------------------------------===//
// Groups of one rank
//===----------------------------------------------------------------------===//

/// The axes of more than one rank; null where there is none.
static AxesAttr dropAxesOfOneRank(MeshOp mesh, AxesAttr axes) {
  SmallVector<StringAttr> left;
  for (StringAttr axis : axes.getAxes())
    if (mesh.getAxisSizes()[*mesh.getAxisPosition(axis)] > 1)
      left.push_back(axis);
  if (left.size() == axes.getAxes().size())
    return axes;
  return left.empty() ? AxesAttr()
                      : AxesAttr::get(axes.getContext(), axes.getMesh(), left);
}

namespace {
/// n = 1: y = x for every collective. An axis of size 1 among others does not
/// change how the ranks of a group are numbered.
struct GroupOfOneRank : OpInterfaceRewritePattern<CollectiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CollectiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInputValue();
    // A message always has two ranks.
    if (isa<SendOp, RecvOp>(op.getOperation()) ||
        !isa<RankedTensorType>(input.getType()))
      return failure();
    AxesAttr axes = op.getGroup();
    AxesAttr left = dropAxesOfOneRank(lookupMesh(op, axes), axes);
    if (left == axes)
      return failure();
    if (left) {
      rewriter.modifyOpInPlace(op, [&] { op->setAttr("axes", left); });
      return success();
    }
    // A permute of no pairs is zero, by a law of its own.
    if (auto permute = dyn_cast<PermuteOp>(op.getOperation()))
      if (permute.getPairs().empty())
        return failure();
    replaceWithValue(rewriter, op, input);
    return success();
  }
};
} // namespace

// n = 1: the only number is 0
static LogicalResult indexInOneRank(AxisIndexOp op, PatternRewriter &rewriter) {
  if (getGroupSize(op, op.getAxes()) != 1)
    return failure();
  rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, 0);
  return success();
}

// n = 1: there is nobody to wait for
static LogicalResult barrierOfOneRank(BarrierOp op, PatternRewriter &rewriter) {
  if (getGroupSize(op, op.getAxes()) != 1)
    return failure();
  rewriter.eraseOp(op);
  return success();
}

void comm::populateOneRankLaws(RewritePatternSet &patterns) {
  // First, so that the other laws see only axes that matter.
  patterns.add<GroupOfOneRank>(patterns.getContext(), /*benefit=*/2);
  patterns.add(indexInOneRank).add(barrierOfOneRank);
}

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

static bool isZero(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  Attribute element = constant.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(element))
    return number.getValue().isPosZero();
  return cast<IntegerAttr>(element).getValue().isZero();
}

namespace {
/// Zeros on all ranks stay zeros under every collective: op(0) = 0.
struct CollectiveOfZeros : OpInterfaceRewritePattern<CollectiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(CollectiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    // A message has two ends, which go together.
    if (isa<SendOp, RecvOp>(op.getOperation()) || op->getNumResults() == 0 ||
        !op.getOutputType().hasStaticShape() || !isZero(op.getInputValue()))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getZeroAttr(op.getOutputType()));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

void comm::populateCollectiveLaws(RewritePatternSet &patterns) {
  populateOneRankLaws(patterns);
  patterns.add<CollectiveOfZeros>(patterns.getContext());
  populateAllGatherLaws(patterns);
  populateAllReduceLaws(patterns);
  populateAllSliceLaws(patterns);
  populateAllToAllLaws(patterns);
  populateBroadcastLaws(patterns);
  populateLocalSumLaws(patterns);
  populatePermuteLaws(patterns);
  populateReduceLaws(patterns);
  populateReduceScatterLaws(patterns);
  populateRootMaskLaws(patterns);
  populateScatterLaws(patterns);
  populateSumLaws(patterns);
  populateVaryLaws(patterns);
}
