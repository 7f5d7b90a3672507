//===- ActivityAnalysis.cpp - What carries a derivative -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Analysis/RegionFlow.h"
#include "comm/Analysis/ReplicationAnalysis.h"
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

namespace {
/// The control flow of a block, as edges from operands to what they become.
class Flow {
public:
  explicit Flow(Block &block) : block(block) {
    SmallVector<Block *> pending = {&block};
    while (!pending.empty())
      for (Operation &op : *pending.pop_back_val())
        if (isStructuredControlFlow(&op))
          add(cast<RegionBranchOpInterface>(op), pending);
  }

  /// The op of the block, or of a region of its control flow, that `owner` is
  /// or is a part of; null where there is none.
  Operation *getUnit(Operation *owner) const {
    while (owner && owner->getBlock() != &block &&
           !flowOps.contains(owner->getParentOp()))
      owner = owner->getParentOp();
    return owner;
  }
  /// Whether the op hands its operands over, and computes nothing.
  bool handsOver(Operation *unit) const {
    return flowOps.contains(unit) || (unit->hasTrait<OpTrait::IsTerminator>() &&
                                      unit->getBlock() != &block);
  }
  /// What an operand of such an op becomes.
  ArrayRef<Value> getTargets(OpOperand *operand) const {
    auto found = targets.find(operand);
    return found == targets.end() ? ArrayRef<Value>() : found->second;
  }
  /// What a block argument or a result of control flow is made of.
  ArrayRef<Value> getOrigins(Value value) const {
    auto found = origins.find(value);
    return found == origins.end() ? ArrayRef<Value>() : found->second;
  }

private:
  void add(RegionBranchOpInterface op, SmallVectorImpl<Block *> &pending) {
    flowOps.insert(op);
    llvm::DenseSet<OpOperand *> handedOver;
    forEachRegionEdge(
        op, [&](OperandRange from, ValueRange to, Region *, Region *) {
          for (unsigned i = 0; i < to.size(); ++i) {
            OpOperand *operand = from.getBase() + i;
            addEdge(operand, to[i]);
            handedOver.insert(operand);
          }
        });
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      pending.push_back(&region.front());
      // An induction variable comes from the bounds.
      for (BlockArgument argument : region.getArguments())
        if (!origins.contains(argument))
          for (OpOperand &operand : op->getOpOperands())
            if (!handedOver.contains(&operand))
              addEdge(&operand, argument);
    }
  }
  void addEdge(OpOperand *from, Value to) {
    targets[from].push_back(to);
    origins[to].push_back(from->get());
  }

  Block &block;
  llvm::DenseSet<Operation *> flowOps;
  llvm::DenseMap<OpOperand *, SmallVector<Value, 2>> targets;
  llvm::DenseMap<Value, SmallVector<Value, 2>> origins;
};
} // namespace

/// Whether the results of an op depend on its operands: no value changes a
/// size.
static bool passesOn(Operation *op) {
  return !isa<ShapedDimOpInterface>(op) && !op->hasTrait<StopsDerivative>();
}

ActivityAnalysis::ActivityAnalysis(Block &block, ValueRange sources,
                                   ValueRange sinks) {
  Flow flow(block);
  SmallVector<Value> pending;
  auto depend = [&](Value value) {
    if (dependent.insert(value).second)
      pending.push_back(value);
  };
  llvm::for_each(sources, depend);
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      Operation *unit = flow.getUnit(use.getOwner());
      if (!unit)
        continue;
      if (flow.handsOver(unit))
        llvm::for_each(flow.getTargets(&use), depend);
      else if (passesOn(unit))
        llvm::for_each(unit->getResults(), depend);
    }

  // What is read for a sink, and active where it depends on a source.
  llvm::DenseSet<Value> useful;
  auto read = [&](Value value) {
    if (!useful.insert(value).second)
      return;
    pending.push_back(value);
    if (isDifferentiable(value.getType()) && dependent.contains(value))
      active.insert(value);
  };
  llvm::for_each(sinks, read);
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    ArrayRef<Value> origins = flow.getOrigins(value);
    llvm::for_each(origins, read);
    Operation *definition = value.getDefiningOp();
    // What is defined around the block is none of its concern.
    if (!origins.empty() || !definition || !passesOn(definition) ||
        flow.getUnit(definition) != definition)
      continue;
    forEachReadValue(definition, read);
  }
}

void ActivityAnalysis::replace(Value replaced, Value value) {
  if (dependent.erase(replaced))
    dependent.insert(value);
  if (active.erase(replaced))
    active.insert(value);
}

llvm::BitVector ActivityAnalysis::getWantedOperands(Operation *op) const {
  llvm::BitVector wanted(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands())
    if (isActive(operand.get()))
      wanted.set(operand.getOperandNumber());
  return wanted;
}
