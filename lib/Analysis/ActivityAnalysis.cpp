//===- ActivityAnalysis.cpp - What carries a derivative -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::comm;

void comm::forEachReadValue(Operation *op,
                            llvm::function_ref<void(Value)> callback) {
  for (Value operand : op->getOperands())
    callback(operand);
  if (op->getNumRegions() == 0)
    return;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    callback(value);
}

static bool readsAny(Operation *op, const llvm::DenseSet<Value> &set) {
  if (llvm::any_of(op->getOperands(),
                   [&](Value operand) { return set.contains(operand); }))
    return true;
  if (op->getNumRegions() == 0)
    return false;
  bool found = false;
  forEachReadValue(op, [&](Value value) { found |= set.contains(value); });
  return found;
}

ActivityAnalysis::ActivityAnalysis(Block &block, ValueRange sources,
                                   ValueRange sinks) {
  dependent.insert(sources.begin(), sources.end());
  // A size depends on no value.
  for (Operation &op : block.without_terminator())
    if (!isa<ShapedDimOpInterface>(op) && readsAny(&op, dependent))
      dependent.insert(op.result_begin(), op.result_end());

  // What is read for a sink, and active where it depends on a source.
  llvm::DenseSet<Value> useful;
  auto read = [&](Value value) {
    if (useful.insert(value).second && isDifferentiable(value.getType()) &&
        dependent.contains(value))
      active.insert(value);
  };
  llvm::for_each(sinks, read);
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return useful.contains(result); }))
      forEachReadValue(&op, read);
}

llvm::BitVector ActivityAnalysis::getWantedOperands(Operation *op) const {
  llvm::BitVector wanted(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands())
    if (isActive(operand.get()))
      wanted.set(operand.getOperandNumber());
  return wanted;
}
