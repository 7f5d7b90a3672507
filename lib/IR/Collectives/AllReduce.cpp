//===- AllReduce.cpp - comm.all_reduce ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Laws.h"
#include "../Verification.h"
#include "comm/IR/Scaling.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

static bool isBitwise(ReductionKind reduction) {
  return reduction == ReductionKind::And || reduction == ReductionKind::Or ||
         reduction == ReductionKind::Xor;
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false)) || // all_reduce_c5
      failed(verifySameType(*this)))                    // all_reduce_c1
    return failure();
  Type element = cast<ShapedType>(getInput().getType()).getElementType();
  ReductionKind reduction = getReduction();
  StringRef name = stringifyReductionKind(reduction);
  // all_reduce_c2
  if (reduction == ReductionKind::Avg && !isa<FloatType>(element))
    return emitOpError("reduction 'avg' needs a float element type, got ")
           << element;
  // all_reduce_c3
  if (isBitwise(reduction) && !isa<IntegerType>(element))
    return emitOpError("reduction '")
           << name << "' needs an integer element type, got " << element;
  // all_reduce_c4
  if (!isBitwise(reduction) && element.isInteger(1)) {
    InFlightDiagnostic error = emitOpError("reduction '")
                               << name << "' of i1 is not defined";
    if (reduction == ReductionKind::Sum || reduction == ReductionKind::Max)
      error << ", use 'or'";
    else
      error << ", use 'and'";
    return error;
  }
  return success();
}

LogicalResult AllReduceOp::verifyGroup(int64_t) { return success(); }

SmallVector<Residual> AllReduceOp::getResiduals(const llvm::BitVector &) {
  switch (getReduction()) {
  case ReductionKind::Max:
  case ReductionKind::Min:
    return {Residual::operand(0), Residual::result(0)};
  case ReductionKind::Prod:
    return {Residual::operand(0)};
  default:
    return {};
  }
}

LogicalResult AllReduceOp::verifyAdjoint(const llvm::BitVector &) {
  if (!isBitwise(getReduction()))
    return success();
  return emitOpError("reduction '")
         << stringifyReductionKind(getReduction()) << "' has no adjoint";
}

// w = 1[x = vary y] / vary(all_reduce sum 1[x = vary y])
static Value emitTieWeights(OpBuilder &builder, AllReduceOp op, Value x,
                            Value y) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  Value extremum = VaryOp::create(builder, loc, y, op.getAxes());
  Value attained = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, x, extremum);
  Value indicator = arith::SelectOp::create(
      builder, loc, attained,
      emitConstant(builder, loc, x.getType(), 1.0, sizes),
      emitConstant(builder, loc, x.getType(), 0.0, sizes));
  Value ties = AllReduceOp::create(builder, loc, indicator, ReductionKind::Sum,
                                   op.getAxes())
                   .getResult();
  ties = VaryOp::create(builder, loc, ties, op.getAxes());
  return arith::DivFOp::create(builder, loc, indicator, ties);
}

// The product over j≠i of x_j: the n-1 other chunks of vary(all_gather x),
// taken by index, in the order i+1, i+2, ... around the group.
static Value emitProductOfOthers(OpBuilder &builder, AllReduceOp op, Value x) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  int64_t n = getGroupSize(op, op.getAxes());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  // Upstream refuses a slice of no elements: its offsets are out of bounds.
  if (llvm::is_contained(type.getShape(), 0))
    return emitConstant(builder, loc, type, 1.0, sizes);

  // One chunk is x with a leading dimension of 1.
  SmallVector<OpFoldResult> chunkSizes = sizes;
  chunkSizes.insert(chunkSizes.begin(), builder.getIndexAttr(1));
  SmallVector<int64_t> chunkShape(type.getShape());
  chunkShape.insert(chunkShape.begin(), 1);
  SmallVector<ReassociationIndices> reassociation;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    reassociation.push_back(dim == 0 ? ReassociationIndices{0, 1}
                                     : ReassociationIndices{dim + 1});
  Value chunk = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(chunkShape, type.getElementType()), x,
      reassociation, chunkSizes);
  chunkShape[0] = n;
  Value chunks = AllGatherOp::create(
                     builder, loc,
                     RankedTensorType::get(chunkShape, type.getElementType()),
                     chunk, /*dim=*/0, op.getAxes())
                     .getResult();
  chunks = VaryOp::create(builder, loc, chunks, op.getAxes());

  Value index = AxisIndexOp::create(builder, loc, op.getAxes());
  Value groupSize = arith::ConstantIndexOp::create(builder, loc, n);
  SmallVector<OpFoldResult> offsets(chunkSizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(chunkSizes.size(), builder.getIndexAttr(1));
  Value product;
  for (int64_t distance = 1; distance < n; ++distance) {
    Value step = arith::ConstantIndexOp::create(builder, loc, distance);
    Value other = arith::AddIOp::create(builder, loc, index, step);
    offsets[0] =
        arith::RemUIOp::create(builder, loc, other, groupSize).getResult();
    Value factor = tensor::ExtractSliceOp::create(builder, loc, type, chunks,
                                                  offsets, chunkSizes, strides);
    product =
        product ? arith::MulFOp::create(builder, loc, product, factor) : factor;
  }
  return product ? product
                 : emitConstant(builder, loc, x.getType(), 1.0, sizes);
}

// sum: y = sum_j x_j            =>  x̄ = vary ȳ
// avg: y = (1/n) sum_j x_j      =>  x̄ = vary (ȳ/n)
// max, min: y = extremum of x_j =>  x̄ = vary(ȳ)·w
// prod: y = prod_j x_j          =>  x̄ = vary(ȳ)·prod_{j≠i} x_j
SmallVector<Value> AllReduceOp::emitAdjoint(OpBuilder &builder,
                                            const Primals &primals,
                                            ValueRange cotangents) {
  Value cotangent = cotangents[0];
  if (getReduction() == ReductionKind::Avg)
    cotangent = emitQuotient(builder, getLoc(), cotangent,
                             getGroupSize(*this, getAxes()));
  cotangent = VaryOp::create(builder, getLoc(), cotangent, getAxes());
  switch (getReduction()) {
  case ReductionKind::Max:
  case ReductionKind::Min: {
    Value weights = emitTieWeights(builder, *this, primals.getOperand(0),
                                   primals.getResult(0));
    return {arith::MulFOp::create(builder, getLoc(), cotangent, weights)};
  }
  case ReductionKind::Prod: {
    Value others = emitProductOfOthers(builder, *this, primals.getOperand(0));
    return {arith::MulFOp::create(builder, getLoc(), cotangent, others)};
  }
  default:
    return {cotangent};
  }
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

// max(x, x) = x: every rank may bring the same value once or n times
static bool isIdempotent(ReductionKind reduction) {
  return reduction == ReductionKind::Max || reduction == ReductionKind::Min ||
         reduction == ReductionKind::And || reduction == ReductionKind::Or;
}

/// k for which reducing k equal values x over the axes in both `reduced` and
/// `varied` gives k·x, or nothing where there is none.
static std::optional<int64_t> getMultiplicity(AllReduceOp op, AxesAttr varied) {
  AxesAttr axes = op.getAxes();
  if (areDisjoint(axes, varied) || isIdempotent(op.getReduction()) ||
      op.getReduction() == ReductionKind::Avg)
    return 1;
  if (op.getReduction() != ReductionKind::Sum)
    return std::nullopt;
  int64_t n = getGroupSize(op, axes);
  if (AxesAttr others = subtractAxes(axes, varied))
    n /= getGroupSize(op, others);
  Type element = getElementTypeOrSelf(op.getInput());
  return isExactFactor(element, n) ? std::optional(n) : std::nullopt;
}

// sum over A of the same x over B: all_reduce_A(vary_B x) =
// n_{A∩B} · vary_{B-A}(all_reduce_{A-B} x); avg, max, min, and, or: no factor
static LogicalResult reduceVaried(AllReduceOp op, PatternRewriter &rewriter) {
  VaryOp vary = getVaryBeside(op.getInput(), op);
  if (!vary)
    return failure();
  AxesAttr all = op.getAxes(), varied = vary.getAxes();
  // Disjoint: the two only change places, which must not copy the vary.
  if (areDisjoint(all, varied) && !vary->hasOneUse())
    return failure();
  std::optional<int64_t> n = getMultiplicity(op, varied);
  if (!n)
    return failure();
  Location loc = op.getLoc();
  Value y = createAllReduce(rewriter, loc, vary.getInput(), op.getReduction(),
                            subtractAxes(all, varied));
  y = createVary(rewriter, loc, y, subtractAxes(varied, all));
  rewriter.replaceOp(op, emitMultiple(rewriter, loc, y, *n));
  return success();
}

/// Whether an op between two ops of a block orders ranks, which a collective
/// over more of them must not pass.
static bool isOrderedBetween(Operation *first, Operation *second) {
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode())
    if (isa<SendOp, RecvOp, BarrierOp>(op))
      return true;
  return false;
}

// a sum over B, then over A: all_reduce_A(all_reduce_B x) =
// n_{A∩B} · all_reduce_{A∪B} x (avg: no factor)
static LogicalResult reduceReduced(AllReduceOp op, PatternRewriter &rewriter) {
  auto inner = getOnlyUsed<AllReduceOp>(op.getInput());
  if (!inner || inner.getReduction() != op.getReduction() ||
      !isAdditive(op.getReduction()) || inner->getBlock() != op->getBlock())
    return failure();
  std::optional<int64_t> n = getMultiplicity(op, inner.getAxes());
  if (!n || (!containsAxes(inner.getAxes(), op.getAxes()) &&
             isOrderedBetween(inner, op)))
    return failure();
  rewriter.setInsertionPoint(inner);
  Value y = createAllReduce(rewriter, op.getLoc(), inner.getInput(),
                            op.getReduction(),
                            uniteAxes(inner.getAxes(), op.getAxes()));
  rewriter.replaceOp(op, emitMultiple(rewriter, op.getLoc(), y, *n));
  return success();
}

// one of n terms is not zero: all_reduce_A(root_mask_S x) = all_reduce_{A-S} x
// for S ⊆ A (avg: over n_S)
static LogicalResult reduceMasked(AllReduceOp op, PatternRewriter &rewriter) {
  auto mask = op.getInput().getDefiningOp<RootMaskOp>();
  if (!mask || !isAdditive(op.getReduction()) ||
      !containsAxes(op.getAxes(), mask.getAxes()))
    return failure();
  Value y = mask.getInput();
  if (op.getReduction() == ReductionKind::Avg) {
    int64_t n = getGroupSize(op, mask.getAxes());
    if (!isExactFactor(getElementTypeOrSelf(y), n))
      return failure();
    y = emitQuotient(rewriter, op.getLoc(), y, n);
  }
  rewriter.replaceOp(
      op, createAllReduce(rewriter, op.getLoc(), y, op.getReduction(),
                          subtractAxes(op.getAxes(), mask.getAxes())));
  return success();
}

/// Whether `value` is replicated over the axes as far as its defining op tells:
/// a constant, or the result of a collective that makes it so.
static bool isReplicatedOver(Value value, AxesAttr axes) {
  if (matchPattern(value, m_Constant()))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return isReplicatedOver(splat.getInput(), axes) &&
           splat.getDynamicSizes().empty();
  return isa_and_nonnull<AllReduceOp, AllGatherOp, BroadcastOp>(op) &&
         containsAxes(cast<CollectiveOpInterface>(op).getGroup(), axes);
}

/// Whether an all_reduce of x would be simplified by another law.
static bool isReducibleWithLess(AllReduceOp op, Value x) {
  if (VaryOp vary = getVaryBeside(x, op))
    return !areDisjoint(op.getAxes(), vary.getAxes()) &&
           getMultiplicity(op, vary.getAxes());
  if (auto mask = x.getDefiningOp<RootMaskOp>())
    return containsAxes(op.getAxes(), mask.getAxes());
  return false;
}

// sum_j c·x_j = c · sum_j x_j for replicated c, where it sets the all_reduce
// free to meet a vary or a root_mask; not elsewhere, as c may be there to keep
// an f16 sum from overflowing
template <typename MulOp>
static LogicalResult reduceScaled(AllReduceOp op, PatternRewriter &rewriter) {
  auto product = getOnlyUsed<MulOp>(op.getInput());
  if (!product || !isAdditive(op.getReduction()))
    return failure();
  for (auto [c, x] : {std::pair(product.getLhs(), product.getRhs()),
                      std::pair(product.getRhs(), product.getLhs())}) {
    if (!isReducibleWithLess(op, x))
      continue;
    Value factor = c;
    VaryOp vary = getVaryBeside(c, op);
    if (vary && containsAxes(vary.getAxes(), op.getAxes()))
      factor = createVary(rewriter, op.getLoc(), vary.getInput(),
                          subtractAxes(vary.getAxes(), op.getAxes()));
    else if (!isReplicatedOver(c, op.getAxes()))
      continue;
    Value y = createAllReduce(rewriter, op.getLoc(), x, op.getReduction(),
                              op.getAxes());
    rewriter.replaceOpWithNewOp<MulOp>(op, factor, y);
    return success();
  }
  return failure();
}

void comm::populateAllReduceLaws(RewritePatternSet &patterns) {
  patterns.add(reduceVaried)
      .add(reduceReduced)
      .add(reduceMasked)
      .add(reduceScaled<arith::MulFOp>)
      .add(reduceScaled<arith::MulIOp>);
}
