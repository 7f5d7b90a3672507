//===- LocalSums.cpp - Sums over ranks of parts and of sums ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A replicated value that is broadcast and then used as each rank's own leaves,
// in the backward, an all_reduce of the large tensor and then a local sum. The
// local sum comes first: fewer bytes.

#include "Laws.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

/// The sum over ranks that nothing but `user` reads, in the same block.
static AllReduceOp getOnlyReadSum(Value value, Operation *user) {
  auto sum = getOnlyUsed<AllReduceOp>(value);
  return sum && isAdditive(sum.getReduction()) &&
                 sum->getBlock() == user->getBlock()
             ? sum
             : AllReduceOp();
}

static bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_AnyZeroFloat());
}

/// Whether an op adds up the elements of one operand and nothing else.
static bool isSum(linalg::ReduceOp op) {
  Block *body = op.getBody();
  if (op.getInputs().size() != 1 || !isZero(op.getInits()[0]) ||
      !llvm::hasNItems(body->getOperations(), 2))
    return false;
  auto add = dyn_cast<arith::AddFOp>(body->front());
  return add && isa<BlockArgument>(add.getLhs()) &&
         isa<BlockArgument>(add.getRhs()) && add.getLhs() != add.getRhs() &&
         body->getTerminator()->getOperand(0) == add.getResult();
}

// sum_e sum_j x_j = sum_j sum_e x_j: reduce(all_reduce x) = all_reduce(reduce
// x)
static LogicalResult sumOfReduced(linalg::ReduceOp op,
                                  PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || !isSum(op))
    return failure();
  AllReduceOp reduced = getOnlyReadSum(op.getInputs()[0], op);
  if (!reduced)
    return failure();
  // The collective stays where it stood, and so the zeros are made there.
  rewriter.setInsertionPoint(reduced);
  Location loc = op.getLoc();
  Value x = reduced.getInput();
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] :
       llvm::enumerate(tensor::getMixedSizes(rewriter, loc, x)))
    if (!llvm::is_contained(op.getDimensions(), int64_t(dim)))
      sizes.push_back(size);
  Value zeros = emitZero(rewriter, loc, op->getResult(0).getType(), sizes);
  Value sum = linalg::ReduceOp::create(
                  rewriter, loc, x, zeros, op.getDimensions(),
                  [](OpBuilder &builder, Location loc, ValueRange arguments) {
                    Value sum = arith::AddFOp::create(
                        builder, loc, arguments[0], arguments[1]);
                    linalg::YieldOp::create(builder, loc, sum);
                  })
                  ->getResult(0);
  rewriter.replaceOp(op,
                     createAllReduce(rewriter, loc, sum, reduced.getReduction(),
                                     reduced.getAxes()));
  return success();
}

// a part of a sum is the sum of the parts:
// extract_slice(all_reduce x) = all_reduce(extract_slice x)
static LogicalResult sliceOfReduced(tensor::ExtractSliceOp op,
                                    PatternRewriter &rewriter) {
  AllReduceOp reduced = getOnlyReadSum(op.getSource(), op);
  // Sizes that are operands may be computed after the collective.
  if (!reduced || op->getNumOperands() != 1)
    return failure();
  rewriter.setInsertionPoint(reduced);
  Value part = tensor::ExtractSliceOp::create(
      rewriter, op.getLoc(), op.getType(), reduced.getInput(),
      op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
  rewriter.replaceOp(op, createAllReduce(rewriter, op.getLoc(), part,
                                         reduced.getReduction(),
                                         reduced.getAxes()));
  return success();
}

void comm::populateLocalSumLaws(RewritePatternSet &patterns) {
  patterns.add(sumOfReduced).add(sliceOfReduced);
}
