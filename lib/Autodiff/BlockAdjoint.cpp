//===- BlockAdjoint.cpp - The adjoint of a block --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdjoint.h"

using namespace mlir;
using namespace mlir::comm;

SmallVector<RegionAdjointOpInterface>
comm::getRegionOps(Block &block, const ActivityAnalysis &activity) {
  SmallVector<RegionAdjointOpInterface> ops;
  for (Operation &op : block.without_terminator())
    if (auto regionOp = dyn_cast<RegionAdjointOpInterface>(op))
      if (activity.isOnPath(&op) && activity.getWantedOperands(&op).any())
        ops.push_back(regionOp);
  return ops;
}

FailureOr<RegionForwards>
comm::emitRegionForwards(ArrayRef<RegionAdjointOpInterface> ops,
                         AdjointDriver &driver) {
  bool ok = true;
  RegionForwards forwards;
  if (ops.empty())
    return forwards;
  IRRewriter rewriter(ops.front()->getContext());
  for (RegionAdjointOpInterface op : ops) {
    rewriter.setInsertionPoint(op);
    unsigned numResults = op->getNumResults();
    FailureOr<RegionForward> forward = op.emitForward(rewriter, driver);
    ok &= succeeded(forward);
    if (succeeded(forward))
      forwards[forward->forward] = {*forward, numResults};
  }
  if (!ok)
    return failure();
  return forwards;
}

void comm::gatherResiduals(Block &block, const ActivityAnalysis &activity,
                           const RegionForwards &regionForwards,
                           Residuals &residuals) {
  for (Operation &op : block.without_terminator()) {
    auto regionForward = regionForwards.find(&op);
    if (regionForward != regionForwards.end()) {
      for (Value value : regionForward->second.rule.residuals)
        residuals.addValue(value);
      continue;
    }
    if (!activity.isOnPath(&op))
      continue;
    llvm::BitVector wanted = activity.getWantedOperands(&op);
    if (wanted.none())
      continue;
    for (Residual residual :
         cast<AdjointOpInterface>(op).getResiduals(wanted)) {
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

void comm::emitBackward(OpBuilder &builder, Block &block,
                        const ActivityAnalysis &activity,
                        const RegionForwards &regionForwards,
                        const Residuals &residuals, ReverseMode &reverse) {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto regionForward = regionForwards.find(&op);
    if (regionForward == regionForwards.end()) {
      if (activity.isOnPath(&op))
        if (auto adjoint = dyn_cast<AdjointOpInterface>(op))
          reverse.emitAdjoint(adjoint);
      continue;
    }
    const auto &[rule, numResults] = regionForward->second;
    SmallVector<Value> seeds = reverse.getResultCotangents(&op);
    seeds.truncate(numResults);
    if (llvm::none_of(seeds, [](Value seed) { return bool(seed); }))
      continue;
    SmallVector<Value> kept = llvm::map_to_vector(
        rule.residuals, [&](Value value) { return residuals.lookup(value); });
    SmallVector<Value> contributions = rule.emitBackward(builder, kept, seeds);
    for (auto [operand, contribution] :
         llvm::zip(op.getOperands(), contributions))
      if (activity.isActive(operand))
        reverse.accumulate(operand, contribution);
  }
}
