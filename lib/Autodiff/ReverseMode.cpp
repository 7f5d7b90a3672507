//===- ReverseMode.cpp - Pulling cotangents back through a block ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// ReverseMode
//===----------------------------------------------------------------------===//

/// Whether all elements of a value are zero, as far as its definition shows.
static bool isZero(Value value) {
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    value = splat.getInput();
  return matchPattern(value, m_AnyZeroFloat());
}

// sum + (part put into zeros)  =  sum with part added to its slice
static Value addPart(OpBuilder &builder, Value sum,
                     tensor::InsertSliceOp insert) {
  Location loc = insert.getLoc();
  SmallVector<OpFoldResult> offsets = insert.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
  SmallVector<OpFoldResult> strides = insert.getMixedStrides();
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, insert.getSourceType(), sum, offsets, sizes, strides);
  Value added = arith::AddFOp::create(builder, loc, slice, insert.getSource());
  return tensor::InsertSliceOp::create(builder, loc, added, sum, offsets, sizes,
                                       strides);
}

static Value addPart(OpBuilder &builder, Value sum, tensor::InsertOp insert) {
  Location loc = insert.getLoc();
  Value element =
      tensor::ExtractOp::create(builder, loc, sum, insert.getIndices());
  Value added =
      arith::AddFOp::create(builder, loc, element, insert.getScalar());
  return tensor::InsertOp::create(builder, loc, added, sum,
                                  insert.getIndices());
}

/// The sum of two cotangents. A part of a tensor is added to that part alone,
/// so that many parts of one tensor cost no more than the tensor.
static Value add(OpBuilder &builder, Value sum, Value cotangent) {
  auto tryAddPart = [&](Value whole, Value part) -> Value {
    auto slice = part.getDefiningOp<tensor::InsertSliceOp>();
    if (slice && isZero(slice.getDest()))
      return addPart(builder, whole, slice);
    auto element = part.getDefiningOp<tensor::InsertOp>();
    if (element && isZero(element.getDest()))
      return addPart(builder, whole, element);
    return Value();
  };
  if (Value added = tryAddPart(sum, cotangent))
    return added;
  if (Value added = tryAddPart(cotangent, sum))
    return added;
  return arith::AddFOp::create(builder, cotangent.getLoc(), sum, cotangent);
}

void ReverseMode::accumulate(Value primal, Value cotangent) {
  if (!cotangent)
    return;
  Value &sum = cotangents[primal];
  sum = sum ? add(builder, sum, cotangent) : cotangent;
}

SmallVector<Value> ReverseMode::getResultCotangents(Operation *op) const {
  return llvm::map_to_vector(op->getResults(), [&](Value result) {
    return cotangents.lookup(result);
  });
}

namespace {
/// The primal values of one op.
class OpPrimals : public Primals {
public:
  OpPrimals(Operation *op, const llvm::BitVector &wanted,
            const ReverseMode::LookupPrimal &lookupPrimal,
            const ReverseMode::LookupSizes &lookupSizes)
      : op(op), wanted(wanted), lookupPrimal(lookupPrimal),
        lookupSizes(lookupSizes) {}

  Value getOperand(unsigned index) const override {
    return lookupPrimal(op->getOperand(index));
  }
  Value getResult(unsigned index) const override {
    return lookupPrimal(op->getResult(index));
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    return lookupSizes(builder, op->getOperand(index));
  }
  bool isWanted(unsigned operand) const override { return wanted[operand]; }

private:
  Operation *op;
  const llvm::BitVector &wanted;
  const ReverseMode::LookupPrimal &lookupPrimal;
  const ReverseMode::LookupSizes &lookupSizes;
};
} // namespace

void ReverseMode::emitAdjoint(AdjointOpInterface op) {
  SmallVector<Value> seeds = getResultCotangents(op);
  if (llvm::none_of(seeds, [](Value seed) { return bool(seed); }))
    return;
  llvm::BitVector wanted = activity.getWantedOperands(op);
  if (wanted.none())
    return;
  // What has to be computed again is computed here and not in a region that the
  // rule emits.
  for (Residual residual : op.getResiduals(wanted))
    if (residual.kind != Residual::Kind::OperandSizes)
      lookupPrimal(residual.kind == Residual::Kind::Operand
                       ? op->getOperand(residual.index)
                       : op->getResult(residual.index));
  OpPrimals primals(op, wanted, lookupPrimal, lookupSizes);
  SmallVector<Value> contributions = op.emitAdjoint(builder, primals, seeds);
  for (auto [operand, contribution] :
       llvm::zip(op->getOpOperands(), contributions))
    if (wanted[operand.getOperandNumber()])
      accumulate(operand.get(), contribution);
}

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

Value comm::cloneValue(OpBuilder &builder, Value primal, IRMapping &primals,
                       function_ref<bool(Operation *)> isCloned,
                       function_ref<void(Operation *)> onClone) {
  // What an op reads before the op, and not by recursion: bodies are as deep as
  // the user likes.
  SmallVector<Operation *> pending;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !primals.contains(value) && isCloned(op))
      pending.push_back(op);
  };
  add(primal);
  while (!pending.empty()) {
    Operation *op = pending.back();
    auto isKnown = [&](Value result) { return primals.contains(result); };
    if (llvm::all_of(op->getResults(), isKnown)) {
      pending.pop_back();
      continue;
    }
    size_t numPending = pending.size();
    forEachReadValue(op, add);
    if (pending.size() == numPending) {
      // Of several results one may be at hand: it stays what it is.
      SmallVector<std::pair<Value, Value>> known;
      for (Value result : llvm::make_filter_range(op->getResults(), isKnown))
        known.push_back({result, primals.lookup(result)});
      Operation *clone = builder.clone(*op, primals);
      for (auto [result, value] : known)
        primals.map(result, value);
      if (onClone)
        onClone(clone);
      pending.pop_back();
      continue;
    }
    // The first operand first.
    std::reverse(pending.begin() + numPending, pending.end());
  }
  return primals.lookupOrDefault(primal);
}

SmallVector<Value> comm::emitBodyAdjoint(OpBuilder &builder, Block &body,
                                         IRMapping &primals, ValueRange seeds,
                                         ValueRange wanted) {
  ValueRange yielded = body.getTerminator()->getOperands();
  ActivityAnalysis activity(body, wanted, yielded);
  auto lookup = [&](Value primal) {
    return cloneValue(builder, primal, primals,
                      [&](Operation *op) { return op->getBlock() == &body; });
  };
  ReverseMode reverse(
      builder, activity, lookup,
      [](OpBuilder &, Value) -> SmallVector<OpFoldResult> { return {}; });
  for (auto [value, seed] : llvm::zip(yielded, seeds))
    if (activity.isActive(value))
      reverse.accumulate(value, seed);
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (activity.isOnPath(&op))
      reverse.emitAdjoint(cast<AdjointOpInterface>(op));
  return llvm::map_to_vector(
      wanted, [&](Value value) { return reverse.getCotangent(value); });
}

LogicalResult comm::verifyBodyAdjoint(Block &body, ValueRange wanted) {
  ActivityAnalysis activity(body, wanted, body.getTerminator()->getOperands());
  return verifyBlockAdjoint(body, activity, /*driver=*/nullptr);
}
