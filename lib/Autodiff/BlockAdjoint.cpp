//===- BlockAdjoint.cpp - The adjoint of a block --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdjoint.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The forward
//===----------------------------------------------------------------------===//

/// Whether a call or region op carries a derivative.
static bool isDifferentiated(Operation *op, const ActivityAnalysis &activity) {
  return activity.isOnPath(op) &&
         (op->getNumRegions() != 0 || activity.getWantedOperands(op).any());
}

LogicalResult DrivenBlock::emitForwards() {
  const ActivityAnalysis &activity = function.getActivity();
  SmallVector<RegionAdjointOpInterface> ops;
  for (Operation &op : block.without_terminator())
    if (auto regionOp = dyn_cast<RegionAdjointOpInterface>(op))
      if (isDifferentiated(&op, activity))
        ops.push_back(regionOp);
  bool ok = true;
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (RegionAdjointOpInterface op : ops) {
    SmallVector<Value> results(op->getResults());
    // What is computed again in the backward is left as it is in the forward.
    Operation *copy = nullptr;
    rewriter.setInsertionPoint(op);
    if (op->hasAttr(kRecomputeAttrName)) {
      copy = rewriter.clone(*op);
      copy->removeAttr(kRecomputeAttrName);
    }
    rewriter.setInsertionPoint(op);
    FailureOr<RegionForward> forward = op.emitForward(rewriter, function);
    if (failed(forward)) {
      ok = false;
      continue;
    }
    for (auto [old, value] : llvm::zip(results, forward->forward->getResults()))
      function.getActivity().replace(old, value);
    unsigned numResults = results.size();
    if (copy)
      useCopy(copy, *forward);
    Operation *key = copy ? copy : forward->forward;
    forwards[key] = {std::move(*forward), numResults};
  }
  return success(ok);
}

/// Lets `copy`, the original op, compute the results, and leaves the forward
/// of the rule as a template for the backward.
void DrivenBlock::useCopy(Operation *copy, RegionForward &rule) {
  Operation *forward = rule.forward;
  forward->setAttr(kRecomputeAttrName, UnitAttr::get(copy->getContext()));
  for (auto [result, original] :
       llvm::zip(copy->getResults(), forward->getResults())) {
    original.replaceAllUsesWith(result);
    llvm::replace(rule.residuals, original, result);
    function.getActivity().replace(original, result);
  }
  function.addTemplate(forward);
}

void DrivenBlock::gatherResiduals() {
  const ActivityAnalysis &activity = function.getActivity();
  for (Operation &op : block.without_terminator()) {
    auto replaced = forwards.find(&op);
    if (replaced != forwards.end()) {
      for (Value value : replaced->second.rule.residuals)
        residuals.addValue(value);
      continue;
    }
    auto adjoint = dyn_cast<AdjointOpInterface>(op);
    if (!adjoint || !activity.isOnPath(&op))
      continue;
    llvm::BitVector wanted = activity.getWantedOperands(&op);
    if (wanted.none())
      continue;
    for (Residual residual : adjoint.getResiduals(wanted)) {
      switch (residual.kind) {
      case Residual::Kind::Operand:
        residuals.addValue(op.getOperand(residual.index));
        break;
      case Residual::Kind::Result:
        residuals.addValue(op.getResult(residual.index));
        break;
      case Residual::Kind::OperandSizes:
        residuals.addSizes(op.getOperand(residual.index));
        break;
      }
    }
  }
}

LogicalResult DrivenBlock::prepare(ValueRange sized) {
  if (failed(emitForwards()) || function.isInvalid())
    return failure();
  gatherResiduals();
  for (Value tensor : sized)
    residuals.addSizes(tensor);
  if (failed(residuals.plan()))
    return failure();
  if (isa<FunctionOpInterface>(block.getParentOp()))
    return success();
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(*block.getParent(), above);
  llvm::copy_if(above, std::back_inserter(captures),
                [&](Value value) { return function.isActive(value); });
  return success();
}

FailureOr<const BlockAdjoint *>
FunctionAdjoint::prepareBlock(Block &block, ValueRange given, ValueRange sized,
                              llvm::function_ref<bool(Value)> canKeep) {
  blocks.push_back(std::make_unique<DrivenBlock>(block, *this, given, canKeep));
  DrivenBlock *prepared = blocks.back().get();
  if (failed(prepared->prepare(sized)))
    return failure();
  return static_cast<const BlockAdjoint *>(prepared);
}

void FunctionAdjoint::eraseTemplates() {
  for (Operation *op : llvm::reverse(templates))
    if (op->use_empty())
      op->erase();
  templates.clear();
}

//===----------------------------------------------------------------------===//
// The backward
//===----------------------------------------------------------------------===//

void DrivenBlock::emitRegionBackward(OpBuilder &builder, IRMapping &primals,
                                     Operation *op, const ReplacedOp &replaced,
                                     ReverseMode &reverse) const {
  const auto &[rule, numResults] = replaced;
  SmallVector<Value> seeds = reverse.getResultCotangents(op);
  seeds.truncate(numResults);
  if (llvm::none_of(seeds, [](Value seed) { return bool(seed); }))
    return;
  SmallVector<Value> kept =
      llvm::map_to_vector(rule.residuals, [&](Value value) {
        return residuals.lookup(builder, primals, value);
      });
  SmallVector<Value> contributions = rule.emitBackward(builder, kept, seeds);
  for (auto [input, contribution] : llvm::zip_equal(rule.inputs, contributions))
    if (function.isActive(input))
      reverse.accumulate(input, contribution);
}

BlockAdjoint::Cotangents DrivenBlock::emitBackward(OpBuilder &builder,
                                                   IRMapping &primals,
                                                   ValueRange seeds,
                                                   ValueRange sums) const {
  const ActivityAnalysis &activity = function.getActivity();
  ReverseMode reverse(
      builder, activity,
      [&](Value value) { return residuals.lookup(builder, primals, value); },
      [&](OpBuilder &builder, Value tensor) {
        return residuals.lookupSizes(builder, primals, tensor);
      });
  for (auto [capture, sum] : llvm::zip_equal(captures, sums))
    reverse.accumulate(capture, sum);
  for (auto [operand, seed] :
       llvm::zip_equal(block.getTerminator()->getOperands(), seeds))
    if (activity.isActive(operand))
      reverse.accumulate(operand, seed);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto replaced = forwards.find(&op);
    if (replaced != forwards.end())
      emitRegionBackward(builder, primals, &op, replaced->second, reverse);
    else if (auto adjoint = dyn_cast<AdjointOpInterface>(op))
      if (activity.isOnPath(&op))
        reverse.emitAdjoint(adjoint);
  }
  auto getCotangent = [&](Value value) { return reverse.getCotangent(value); };
  Cotangents cotangents;
  llvm::append_range(cotangents.arguments,
                     llvm::map_range(block.getArguments(), getCotangent));
  llvm::append_range(cotangents.captures,
                     llvm::map_range(captures, getCotangent));
  return cotangents;
}
