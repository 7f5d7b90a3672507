//===- AllSlice.cpp - comm.all_slice --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult AllSliceOp::verify() {
  return verifyDim(*this, getDim(), "dim"); // all_slice_c1
}

LogicalResult AllSliceOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyDivisible(*this, getDim(), groupSize))) // all_slice_c2
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // all_slice_c3
}

StringRef AllSliceOp::getVaryingAlternative() {
  return "to take a part of each rank's own value, write "
         "'tensor.extract_slice' at 'comm.axis_index'";
}

// y_i = chunk i of x  =>  x̄ = the chunks put together = all_gather ȳ
SmallVector<Value> AllSliceOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                           ValueRange cotangents) {
  return {AllGatherOp::create(builder, getLoc(), getInput().getType(),
                              cotangents[0], getDim(), getAxes())
              .getResult()};
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

/// The axes from `begin` to before `end` of a list.
static AxesAttr takeAxes(AxesAttr axes, size_t begin, size_t end) {
  return AxesAttr::get(axes.getContext(), axes.getMesh(),
                       axes.getAxes().slice(begin, end - begin));
}

// A mixed list S = P Q: chunk (p, q) of x is chunk q of chunk p, so
// all_slice_S = all_slice_Q ∘ all_slice_P, where P is in A or disjoint from it
static void splitSlice(AllSliceOp op, AxesAttr reduced,
                       PatternRewriter &rewriter) {
  AxesAttr axes = op.getAxes();
  auto isReduced = [&](size_t i) {
    return llvm::is_contained(reduced.getAxes(), axes.getAxes()[i]);
  };
  size_t end = 1;
  while (isReduced(end) == isReduced(0))
    ++end;
  AxesAttr first = takeAxes(axes, 0, end);
  auto type = op.getInput().getType();
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(op.getDim()))
    shape[op.getDim()] /= getGroupSize(op, first);
  Value chunk = AllSliceOp::create(rewriter, op.getLoc(), type.clone(shape),
                                   op.getInput(), op.getDim(), first);
  rewriter.replaceOpWithNewOp<AllSliceOp>(
      op, op.getType(), chunk, op.getDim(),
      takeAxes(axes, end, axes.getAxes().size()));
}

// chunk i of a sum over A is a sum of chunks i:
// all_slice_S(all_reduce_A x) = all_reduce_{A-S}(reduce_scatter_S x), S ⊆ A;
//                             = all_reduce_A(all_slice_S x) where they are
//                               disjoint, for any reduction
static LogicalResult sliceReduced(AllSliceOp op, PatternRewriter &rewriter) {
  auto reduce = getOnlyUsed<AllReduceOp>(op.getInput());
  if (!reduce)
    return failure();
  AxesAttr all = reduce.getAxes(), sliced = op.getAxes();
  ReductionKind reduction = reduce.getReduction();
  bool disjoint = areDisjoint(all, sliced);
  if (!disjoint && !isAdditive(reduction))
    return failure();
  if (!disjoint && !containsAxes(all, sliced)) {
    splitSlice(op, all, rewriter);
    return success();
  }
  rewriter.setInsertionPoint(reduce);
  Location loc = reduce.getLoc();
  Value chunk = disjoint
                    ? AllSliceOp::create(rewriter, loc, op.getType(),
                                         reduce.getInput(), op.getDim(), sliced)
                          .getResult()
                    : ReduceScatterOp::create(rewriter, loc, op.getType(),
                                              reduce.getInput(), reduction,
                                              op.getDim(), sliced)
                          .getResult();
  rewriter.replaceOp(op, createAllReduce(rewriter, loc, chunk, reduction,
                                         subtractAxes(all, sliced)));
  return success();
}

// chunk i of the concatenation along the same dimension is x_i:
// all_slice(all_gather x) = x; along another, every x_j gives its chunk i:
// all_slice_e(all_gather_d x) = all_to_all split e concat d
static LogicalResult sliceGathered(AllSliceOp op, PatternRewriter &rewriter) {
  auto gather = op.getInput().getDefiningOp<AllGatherOp>();
  if (!gather || gather.getAxes() != op.getAxes())
    return failure();
  if (gather.getDim() == op.getDim()) {
    replaceWithValue(rewriter, op, gather.getInput());
    return success();
  }
  if (!gather->hasOneUse())
    return failure();
  rewriter.setInsertionPoint(gather);
  rewriter.replaceOp(op,
                     AllToAllOp::create(rewriter, gather.getLoc(), op.getType(),
                                        gather.getInput(), op.getDim(),
                                        gather.getDim(), op.getAxes()));
  return success();
}

// chunk i of x_root: all_slice(broadcast x) = scatter x
static LogicalResult sliceBroadcast(AllSliceOp op, PatternRewriter &rewriter) {
  auto broadcast = getOnlyUsed<BroadcastOp>(op.getInput());
  if (!broadcast || broadcast.getAxes() != op.getAxes())
    return failure();
  rewriter.setInsertionPoint(broadcast);
  rewriter.replaceOp(op, ScatterOp::create(rewriter, broadcast.getLoc(),
                                           op.getType(), broadcast.getInput(),
                                           op.getDim(), broadcast.getRoot(),
                                           op.getAxes()));
  return success();
}

static Operation *getOnlyUsedElementwiseOp(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasOneUse() && op->getNumResults() == 1 &&
                 isa<RankedTensorType>(value.getType()) &&
                 OpTrait::hasElementwiseMappableTraits(op)
             ? op
             : nullptr;
}

/// Whether an all_slice of the value would make a collective cheaper.
static bool isSlicedWithLess(AllSliceOp op, Value value) {
  if (auto vary = getOnlyUsed<VaryOp>(value))
    value = vary.getInput();
  if (auto reduce = getOnlyUsed<AllReduceOp>(value))
    return isAdditive(reduce.getReduction()) ||
           areDisjoint(reduce.getAxes(), op.getAxes());
  Operation *inner = value.getDefiningOp();
  return inner && inner->hasOneUse() && isa<AllGatherOp, BroadcastOp>(inner) &&
         cast<CollectiveOpInterface>(inner).getGroup() == op.getAxes();
}

/// Chunk i of an operand of an elementwise op: a smaller constant where it is
/// the same number everywhere.
static Value sliceOperand(AllSliceOp op, Value operand,
                          PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return operand;
  type = type.clone(op.getType().getShape());
  DenseElementsAttr constant;
  if (type.hasStaticShape() && matchPattern(operand, m_Constant(&constant)) &&
      constant.isSplat())
    return arith::ConstantOp::create(rewriter, op.getLoc(),
                                     constant.resizeSplat(type));
  return AllSliceOp::create(rewriter, op.getLoc(), type, operand, op.getDim(),
                            op.getAxes());
}

// chunk i of f(a, b) is f of chunks i: all_slice(f(a, b)) =
// f(all_slice a, all_slice b), where a or b is what another law wants sliced
static LogicalResult sliceElementwise(AllSliceOp op,
                                      PatternRewriter &rewriter) {
  // The tree of elementwise ops that nothing else uses, outermost first; taken
  // at one go, as a step for each op would walk it anew each time.
  SmallVector<Operation *> tree;
  if (Operation *root = getOnlyUsedElementwiseOp(op.getInput()))
    tree.push_back(root);
  bool wins = false;
  for (size_t i = 0; i < tree.size(); ++i)
    for (Value operand : tree[i]->getOperands()) {
      wins |= isSlicedWithLess(op, operand);
      if (Operation *inner = getOnlyUsedElementwiseOp(operand))
        tree.push_back(inner);
    }
  if (!wins)
    return failure();
  DenseMap<Value, Value> chunks;
  for (Operation *f : llvm::reverse(tree)) {
    rewriter.setInsertionPoint(f);
    SmallVector<Value> operands;
    for (Value operand : f->getOperands()) {
      Value chunk = chunks.lookup(operand);
      operands.push_back(chunk ? chunk : sliceOperand(op, operand, rewriter));
    }
    Operation *sliced = rewriter.clone(*f);
    sliced->setOperands(operands);
    Value result = sliced->getResult(0);
    result.setType(cast<RankedTensorType>(result.getType())
                       .clone(op.getType().getShape()));
    chunks[f->getResult(0)] = result;
  }
  rewriter.replaceOp(op, chunks[op.getInput()]);
  return success();
}

void comm::populateAllSliceLaws(RewritePatternSet &patterns) {
  patterns.add(sliceReduced)
      .add(sliceGathered)
      .add(sliceBroadcast)
      .add(sliceElementwise);
}
