//===- ReplicationWalk.cpp - Finds the state of every value ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::comm;

/// Whether the op itself, not the ops in its regions, may read or write what is
/// not a value.
static bool mayTouchMemory(Operation *op) {
  if (auto effectOp = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    effectOp.getEffects(effects);
    return !effects.empty();
  }
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

class ReplicationAnalysis::Walk {
public:
  /// Fills in the states of `analysis`, and why they are so where `causes` is
  /// not null.
  Walk(ReplicationAnalysis &analysis, Causes *causes)
      : analysis(analysis), axes(analysis.getMeshAxes()), causes(causes) {}

  void run() {
    FunctionOpInterface function = analysis.function;
    for (BlockArgument argument : function.getArguments()) {
      AxesAttrInterface mark =
          getArgumentMark(function, argument.getArgNumber());
      join(argument, {axes.getAll() - axes.getSet(mark), Value(), nullptr});
    }
    // States only grow, so this ends; without loops one round is enough.
    do {
      changed = false;
      visitRegion(function.getFunctionBody());
    } while (changed);
    closeControl();
  }

private:
  /// Adds the axes of `cause` to what `value` varies over; true where some are
  /// new.
  bool join(Value value, VariationCause cause) {
    ReplicationState &state = analysis.data[value];
    cause.axes = cause.axes - state;
    if (cause.axes.isReplicated())
      return false;
    state |= cause.axes;
    if (causes)
      causes->values[value].push_back(cause);
    return true;
  }

  /// Makes `value` vary over `state`: over what the `values` bring, and over
  /// the rest by the op itself.
  void join(Value value, ReplicationState state, Operation *op,
            ValueRange values) {
    if (causes)
      for (Value from : values)
        join(value, {state & analysis.getData(from), from, op});
    join(value, {state, Value(), op});
  }

  void control(Region &region, VariationCause cause) {
    ReplicationState &state = analysis.control[&region];
    cause.axes = cause.axes - state;
    if (cause.axes.isReplicated())
      return;
    state |= cause.axes;
    if (causes)
      causes->regions[&region].push_back(cause);
  }

  /// What controls a region controls all that is nested in it.
  void closeControl() {
    if (analysis.control.empty())
      return;
    analysis.function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumRegions() == 0 || op == analysis.function)
        return;
      ReplicationState outer = analysis.getControl(op);
      for (Region &region : op->getRegions())
        analysis.control[&region] |= outer;
    });
  }

  /// The union of everything that is used or defined in the region.
  ReplicationState visitRegion(Region &region) {
    ReplicationState everything;
    for (BlockArgument argument : region.getArguments())
      everything |= analysis.getData(argument);
    for (Operation &op : region.getOps())
      everything |= visitOp(&op);
    return everything;
  }

  ReplicationState unite(ValueRange values) {
    ReplicationState state;
    for (Value value : values)
      state |= analysis.getData(value);
    return state;
  }

  /// The same for one op and what is inside of it.
  ReplicationState visitOp(Operation *op) {
    ReplicationState operands = unite(op->getOperands());
    if (auto group = dyn_cast<ReplicationOpInterface>(op))
      return operands | visitGroupOp(group, operands);
    if (isStructuredControlFlow(op))
      return operands | visitControlFlow(op);
    if (isa<CallOpInterface, CallBoundaryOpInterface>(op))
      return operands | visitCall(op);
    return operands | visitLocal(op, operands);
  }

  ReplicationState visitGroupOp(ReplicationOpInterface op,
                                ReplicationState operands) {
    ReplicationState group = axes.getSet(op.getGroupAxes());
    if (op.getWantedState() == WantedState::Varying)
      operands |= group;
    ReplicationState state = op.inferState(operands, group) & axes.getAll();
    // What the group does is the op's own doing, whatever it was given.
    for (Value result : op->getResults()) {
      join(result, state - group, op, op->getOperands());
      join(result, {state, Value(), op});
    }
    return state;
  }

  ReplicationState visitCall(Operation *op) {
    auto boundary = dyn_cast<CallBoundaryOpInterface>(op);
    FunctionOpInterface callee = analysis.facts->getCalledFunction(op);
    for (OpResult result : op->getResults()) {
      unsigned number = result.getResultNumber();
      AxesAttrInterface mark = boundary ? boundary.getResultMark(number)
                               : callee ? getResultMark(callee, number)
                                        : AxesAttrInterface();
      join(result, {axes.getAll() - axes.getSet(mark), Value(), op});
    }
    return unite(op->getResults());
  }

  /// `state` is what the operands vary over.
  ReplicationState visitLocal(Operation *op, ReplicationState state) {
    ValueRange operands = op->getOperands();
    SmallVector<Value> notShaped;
    if (isa<ShapedDimOpInterface, tensor::RankOp>(op)) {
      // A shape is the same on all ranks, whatever the elements are.
      llvm::copy_if(operands, std::back_inserter(notShaped), [](Value value) {
        return !isa<ShapedType>(value.getType());
      });
      operands = notShaped;
      state = unite(operands);
    }
    if (op->getNumResults() && state != axes.getAll() && mayTouchMemory(op))
      state = axes.getAll();
    if (op->getNumRegions() == 0) {
      for (Value result : op->getResults())
        join(result, state, op, operands);
      return state;
    }

    ReplicationState inner;
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        join(argument, state, op, operands);
      inner |= visitRegion(region);
    }
    for (Value result : op->getResults())
      join(result, state, op, operands);
    // The body of a local op is one computation: all of it varies alike.
    for (Value result : op->getResults())
      joinBody(result, state | inner, op);
    for (Region &region : op->getRegions()) {
      if (causes)
        for (Value operand : operands)
          control(region, {analysis.getData(operand), operand, op});
      control(region, {state | inner, Value(), op});
    }
    return state | inner;
  }

  /// Joins `state` with causes among the values that the body uses or defines.
  void joinBody(Value result, ReplicationState state, Operation *op) {
    if (analysis.getData(result).contains(state))
      return;
    if (causes)
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          join(result, {state & analysis.getData(operand), operand, op});
        for (Value value : nested->getResults())
          if (nested != op)
            join(result, {state & analysis.getData(value), value, op});
      });
    join(result, {state, Value(), op});
  }

  /// Hands values over to a successor of a region op.
  void branch(Operation *op, const RegionSuccessor &successor,
              ValueRange values, Region *from) {
    // A region that was visited before this edge has to be visited again.
    bool isBack =
        from && successor.getSuccessor() &&
        successor.getSuccessor()->getRegionNumber() <= from->getRegionNumber();
    for (auto [input, value] :
         llvm::zip(successor.getSuccessorInputs(), values))
      changed |= join(input, {analysis.getData(value), value, op}) && isBack;
  }

  ReplicationState visitControlFlow(Operation *op) {
    auto branchOp = cast<RegionBranchOpInterface>(op);
    SmallVector<Value> conditions =
        cast<ControllingOpInterface>(op).getControllingValues();
    controlRegions(op, conditions);

    SmallVector<RegionSuccessor> successors;
    branchOp.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    DenseSet<Value> handedOver;
    auto visitEdge = [&](const RegionSuccessor &successor, ValueRange values,
                         Region *from) {
      branch(op, successor, values, from);
      handedOver.insert(successor.getSuccessorInputs().begin(),
                        successor.getSuccessorInputs().end());
    };
    for (const RegionSuccessor &successor : successors)
      visitEdge(successor, branchOp.getEntrySuccessorOperands(successor),
                nullptr);

    ReplicationState inner;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      // An induction variable.
      for (BlockArgument argument : region.getArguments())
        if (!handedOver.contains(argument))
          for (Value condition : conditions)
            join(argument, {analysis.getData(condition), condition, op, true});
      inner |= visitRegion(region);
      auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
          region.front().getTerminator());
      if (!terminator)
        continue;
      successors.clear();
      branchOp.getSuccessorRegions(RegionBranchPoint(terminator), successors);
      for (const RegionSuccessor &successor : successors)
        visitEdge(successor, terminator.getSuccessorOperands(successor),
                  &region);
    }
    // The condition of a loop may stand inside of it.
    controlRegions(op, conditions);
    for (Value result : op->getResults())
      for (Value condition : conditions)
        join(result, {analysis.getData(condition), condition, op, true});
    return inner | unite(op->getResults());
  }

  void controlRegions(Operation *op, ArrayRef<Value> conditions) {
    for (Region &region : op->getRegions())
      for (Value condition : conditions)
        control(region, {analysis.getData(condition), condition, op, true});
  }

  ReplicationAnalysis &analysis;
  const MeshAxes &axes;
  Causes *causes;
  bool changed = false;
};

FailureOr<ReplicationAnalysis>
ReplicationAnalysis::run(FunctionOpInterface function, ModuleFacts &facts) {
  ReplicationAnalysis analysis(function, facts);
  if (function.isDeclaration())
    return analysis;
  unsigned numValues = 0;
  WalkResult structured = function->walk([&](Operation *op) {
    numValues += op->getNumResults();
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock()) {
        op->emitError("unstructured control flow is not supported: expected "
                      "one block in a region of '")
            << op->getName() << "', got " << llvm::range_size(region)
            << "; write scf, or run --lift-cf-to-scf";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (structured.wasInterrupted())
    return failure();
  analysis.data.reserve(numValues);
  Walk(analysis, /*causes=*/nullptr).run();
  return analysis;
}

ReplicationAnalysis::Causes ReplicationAnalysis::findCauses() const {
  ReplicationAnalysis again(function, *facts);
  Causes causes;
  Walk(again, &causes).run();
  return causes;
}
