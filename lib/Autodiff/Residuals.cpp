//===- Residuals.cpp - What a backward function keeps of the forward ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residuals.h"
#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::comm;

Residuals::Residuals(Block &block, ValueRange given,
                     llvm::function_ref<bool(Value)> canKeep)
    : block(block), given(given.begin(), given.end()), canKeep(canKeep) {}

void Residuals::addSizes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && !type.hasStaticShape())
    sized.insert(tensor);
}

//===----------------------------------------------------------------------===//
// What is computed again
//===----------------------------------------------------------------------===//

static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

/// Whether keeping the result would take more memory than keeping what it is
/// made of, at no cost to speak of.
static bool isMadeOfLess(Operation *op) {
  return isConstant(op) || isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp,
                               linalg::BroadcastOp>(op);
}

/// Whether computing the result again costs nothing, once its operands are
/// there.
static bool isCheap(Operation *op) {
  if (isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp, tensor::DimOp,
          ViewLikeOpInterface>(op))
    return true;
  auto isInteger = [](Type type) { return type.isIntOrIndex(); };
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getResultTypes(), isInteger) &&
         llvm::all_of(op->getOperandTypes(), isInteger);
}

/// Whether an op is computed again rather than kept, whatever it reads.
static bool isRecomputed(Operation *op) {
  return isMadeOfLess(op) || op->hasAttr(kRecomputeAttrName);
}

/// Says how the backward gets a value, views and the like apart.
LogicalResult Residuals::require(Value first) {
  SmallVector<Value> pending = {first};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!required.insert(value).second || given.contains(value))
      continue;
    Operation *op = value.getDefiningOp();
    if (op && isConstant(op)) {
      recomputed.insert(op);
      continue;
    }
    if (isAbove(value)) {
      read.insert(value);
      continue;
    }
    bool isKeepable = !canKeep || canKeep(value);
    if (!op) {
      if (!isKeepable)
        return emitError(value.getLoc())
               << "the backward reads a value of type " << value.getType()
               << " that changes its size from one iteration to the next: "
                  "expected sizes that are known before the loop";
      kept.insert(value);
      continue;
    }
    if (isRecomputed(op) || !isKeepable) {
      recomputed.insert(op);
      forEachReadValue(op, [&](Value operand) { pending.push_back(operand); });
      continue;
    }
    if (isCheap(op))
      cheap.push_back(value);
    else
      kept.insert(value);
  }
  return success();
}

/// Whether the backward has a value anyway.
bool Residuals::isThere(Value value) const {
  Operation *op = value.getDefiningOp();
  return kept.contains(value) || given.contains(value) || isAbove(value) ||
         (op && isRecomputed(op));
}

/// The same where it is known already of a value that may be made of others.
std::optional<bool> Residuals::lookupAtHand(Value value) const {
  if (isThere(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isCheap(op))
    return false;
  auto known = atHand.find(value);
  return known == atHand.end() ? std::nullopt : std::optional(known->second);
}

/// Whether the backward has a value anyway, or makes it of such values at no
/// cost. Not by recursion, as below: chains are as long as the user likes.
bool Residuals::isAtHand(Value value) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value current = pending.back();
    if (lookupAtHand(current)) {
      pending.pop_back();
      continue;
    }
    size_t numPending = pending.size();
    bool all = true;
    for (Value operand : current.getDefiningOp()->getOperands()) {
      std::optional<bool> known = lookupAtHand(operand);
      all &= known.value_or(true);
      if (!known)
        pending.push_back(operand);
    }
    if (all && pending.size() != numPending)
      continue;
    pending.truncate(numPending - 1);
    atHand[current] = all;
  }
  return *lookupAtHand(value);
}

/// Computes a value that is at hand again.
LogicalResult Residuals::recomputeChain(Value first) {
  SmallVector<Value> pending = {first};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (isThere(value)) {
      if (failed(require(value)))
        return failure();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (recomputed.insert(op).second)
      llvm::append_range(pending, llvm::reverse(op->getOperands()));
  }
  return success();
}

LogicalResult Residuals::planSizes() {
  Operation *parent = block.getParentOp();
  SizesAbove above(parent);
  bool isNested = !isa<FunctionOpInterface>(parent);
  for (Value tensor : sized) {
    // A tensor that is kept anyway brings its sizes along.
    if (kept.contains(tensor))
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value size = isNested ? above.emitSize(tensor, dim) : Value();
      if (!size) {
        OpBuilder builder(isAbove(tensor) ? parent : block.getTerminator());
        size = tensor::DimOp::create(builder, tensor.getLoc(), tensor, dim);
      }
      sizes[{tensor, dim}] = size;
      if (failed(require(size)))
        return failure();
    }
  }
  return success();
}

LogicalResult Residuals::plan() {
  for (Value value : wanted)
    if (failed(require(value)))
      return failure();
  if (failed(planSizes()))
    return failure();
  // What is computed again may need more of these.
  for (size_t i = 0; i < cheap.size(); ++i) {
    if (!isAtHand(cheap[i]))
      kept.insert(cheap[i]);
    else if (failed(recomputeChain(cheap[i])))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// In the backward
//===----------------------------------------------------------------------===//

Value Residuals::lookup(OpBuilder &builder, IRMapping &primals,
                        Value value) const {
  return cloneValue(
      builder, value, primals,
      [&](Operation *op) { return recomputed.contains(op); },
      [](Operation *clone) {
        if (Attribute mark = clone->removeAttr(kRecomputeAttrName))
          clone->setAttr(kRecomputedAttrName, mark);
      });
}

SmallVector<OpFoldResult> Residuals::lookupSizes(OpBuilder &builder,
                                                 IRMapping &primals,
                                                 Value tensor) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  if (Value known = primals.lookupOrNull(tensor))
    return tensor::getMixedSizes(builder, tensor.getLoc(), known);
  SmallVector<OpFoldResult> all;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(dim))
      all.push_back(lookup(builder, primals, sizes.lookup({tensor, dim})));
    else
      all.push_back(builder.getIndexAttr(type.getDimSize(dim)));
  }
  return all;
}
