//===- AllReduce.cpp - comm.all_reduce ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Scaling.h"
#include "../Verification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
    Value factor = tensor::ExtractSliceOp::create(
        builder, loc, type, chunks, offsets, chunkSizes, strides);
    product = product
                  ? arith::MulFOp::create(builder, loc, product, factor)
                  : factor;
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
