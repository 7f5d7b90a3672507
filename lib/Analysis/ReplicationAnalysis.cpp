//===- ReplicationAnalysis.cpp - The state of every value -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::comm;

AxesAttrInterface comm::getArgumentMark(FunctionOpInterface function,
                                        unsigned number) {
  return function.getArgAttrOfType<AxesAttrInterface>(number,
                                                      kReplicatedAttrName);
}

AxesAttrInterface comm::getResultMark(FunctionOpInterface function,
                                      unsigned number) {
  return function.getResultAttrOfType<AxesAttrInterface>(number,
                                                         kReplicatedAttrName);
}

FunctionOpInterface comm::getCalledFunction(Operation *op) {
  SymbolRefAttr callee;
  if (auto call = dyn_cast<CallOpInterface>(op))
    callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  else if (isa<CallBoundaryOpInterface>(op))
    callee = op->getAttrOfType<SymbolRefAttr>("callee");
  if (!callee)
    return {};
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
}

bool comm::isStructuredControlFlow(Operation *op) {
  return isa<ControllingOpInterface>(op) && isa<RegionBranchOpInterface>(op);
}

SmallVector<Value> comm::getSizeOperands(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](tensor::EmptyOp op) { return op.getDynamicSizes(); })
      .Case([](tensor::SplatOp op) { return op.getDynamicSizes(); })
      .Case([](tensor::GenerateOp op) { return op.getDynamicExtents(); })
      .Case([](tensor::ExpandShapeOp op) { return op.getOutputShape(); })
      .Case([](tensor::ReshapeOp op) -> SmallVector<Value> {
        if (op.getResult().getType().hasStaticShape())
          return {};
        return {op.getShape()};
      })
      .Case([](tensor::PadOp op) {
        // Padding that varies is a shift where the sum of both sides is fixed:
        // the static size of the result says so.
        SmallVector<Value> sizes;
        for (auto [dim, sides] : llvm::enumerate(
                 llvm::zip(op.getMixedLowPad(), op.getMixedHighPad())))
          if (op.getResultType().isDynamicDim(dim))
            for (OpFoldResult side : {std::get<0>(sides), std::get<1>(sides)})
              if (auto value = dyn_cast<Value>(side))
                sizes.push_back(value);
        return sizes;
      })
      .Case([](OffsetSizeAndStrideOpInterface op) { return op.getSizes(); })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

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
  explicit Walk(ReplicationAnalysis &analysis)
      : analysis(analysis), axes(analysis.meshAxes) {}

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
    analysis.causes[value].push_back(cause);
    return true;
  }

  /// Makes `value` vary over `state`: over what the `values` bring, and over
  /// the rest by the op itself.
  void join(Value value, ReplicationState state, Operation *op,
            ValueRange values) {
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
    analysis.controlCauses[&region].push_back(cause);
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
    ReplicationState inner;
    if (auto group = dyn_cast<ReplicationOpInterface>(op))
      visitGroupOp(group);
    else if (isStructuredControlFlow(op))
      inner = visitControlFlow(op);
    else if (isa<CallOpInterface, CallBoundaryOpInterface>(op))
      visitCall(op);
    else
      inner = visitLocal(op);
    return inner | unite(op->getOperands()) | unite(op->getResults());
  }

  void visitGroupOp(ReplicationOpInterface op) {
    ReplicationState group = axes.getSet(op.getGroupAxes());
    ReplicationState operands = unite(op->getOperands());
    if (op.getWantedState() == WantedState::Varying)
      operands |= group;
    ReplicationState state = op.inferState(operands, group) & axes.getAll();
    // What the group does is the op's own doing, whatever it was given.
    for (Value result : op->getResults()) {
      join(result, state - group, op, op->getOperands());
      join(result, {state, Value(), op});
    }
  }

  void visitCall(Operation *op) {
    auto boundary = dyn_cast<CallBoundaryOpInterface>(op);
    FunctionOpInterface callee = getCalledFunction(op);
    for (OpResult result : op->getResults()) {
      unsigned number = result.getResultNumber();
      AxesAttrInterface mark = boundary ? boundary.getResultMark(number)
                               : callee ? getResultMark(callee, number)
                                        : AxesAttrInterface();
      join(result, {axes.getAll() - axes.getSet(mark), Value(), op});
    }
  }

  ReplicationState visitLocal(Operation *op) {
    // A shape is the same on all ranks, whatever the elements are.
    SmallVector<Value> operands(op->getOperands());
    if (isa<ShapedDimOpInterface, tensor::RankOp>(op))
      llvm::erase_if(operands, [](Value value) {
        return isa<ShapedType>(value.getType());
      });
    ReplicationState state = unite(operands);
    if (op->getNumResults() && mayTouchMemory(op))
      state = axes.getAll();

    ReplicationState inner;
    for (Region &region : op->getRegions()) {
      for (BlockArgument argument : region.getArguments())
        join(argument, state, op, operands);
      inner |= visitRegion(region);
    }
    for (Value result : op->getResults())
      join(result, state, op, operands);
    if (op->getNumRegions() == 0)
      return {};
    // The body of a local op is one computation: all of it varies alike.
    for (Value result : op->getResults())
      joinBody(result, state | inner, op);
    for (Region &region : op->getRegions())
      for (Value operand : operands)
        control(region, {analysis.getData(operand), operand, op});
    for (Region &region : op->getRegions())
      control(region, {state | inner, Value(), op});
    return inner;
  }

  /// Joins `state` with causes among the values that the body uses or defines.
  void joinBody(Value result, ReplicationState state, Operation *op) {
    if (analysis.getData(result).contains(state))
      return;
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
    return inner;
  }

  void controlRegions(Operation *op, ArrayRef<Value> conditions) {
    for (Region &region : op->getRegions())
      for (Value condition : conditions)
        control(region, {analysis.getData(condition), condition, op, true});
  }

  ReplicationAnalysis &analysis;
  const MeshAxes &axes;
  bool changed = false;
};

FailureOr<ReplicationAnalysis>
ReplicationAnalysis::run(FunctionOpInterface function) {
  ReplicationAnalysis analysis(function);
  if (function.isDeclaration())
    return analysis;
  WalkResult structured = function->walk([&](Operation *op) {
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
  Walk(analysis).run();
  return analysis;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

ReplicationState ReplicationAnalysis::getControl(Region *region) const {
  ReplicationState state;
  for (; region; region = region->getParentRegion())
    state |= control.lookup(region);
  return state;
}

ReplicationState ReplicationAnalysis::getControl(Operation *op) const {
  return getControl(op->getParentRegion());
}

ReplicationState ReplicationAnalysis::getState(Value value) const {
  return getData(value) | getControl(value.getParentRegion());
}

/// Adds the states of the successor inputs that `operand` is handed to.
static ReplicationState getSuccessorState(const ReplicationAnalysis &analysis,
                                          OpOperand &operand,
                                          OperandRange handedOver,
                                          const RegionSuccessor &successor) {
  unsigned begin = handedOver.getBeginOperandIndex();
  unsigned number = operand.getOperandNumber();
  if (handedOver.empty() || number < begin ||
      number >= begin + handedOver.size())
    return {};
  return analysis.getState(successor.getSuccessorInputs()[number - begin]);
}

ReplicationState
ReplicationAnalysis::getRequiredState(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  Operation *parent = op->getParentOp();
  ReplicationState state = getControl(op);

  if (isa<FunctionOpInterface>(parent) && op->hasTrait<OpTrait::IsTerminator>())
    return meshAxes.getAll() - meshAxes.getSet(getResultMark(function, number));

  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  if (terminator && isStructuredControlFlow(parent)) {
    SmallVector<RegionSuccessor> successors;
    cast<RegionBranchOpInterface>(parent).getSuccessorRegions(
        RegionBranchPoint(terminator), successors);
    for (const RegionSuccessor &successor : successors)
      state |= getSuccessorState(*this, operand,
                                 terminator.getSuccessorOperands(successor),
                                 successor);
    return state;
  }
  if (isStructuredControlFlow(op)) {
    auto branch = cast<RegionBranchOpInterface>(op);
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (const RegionSuccessor &successor : successors)
      state |= getSuccessorState(*this, operand,
                                 branch.getEntrySuccessorOperands(successor),
                                 successor);
    return state;
  }
  if (auto call = dyn_cast<CallBoundaryOpInterface>(op))
    return state |
           (meshAxes.getAll() - meshAxes.getSet(call.getOperandMark(number)));
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    FunctionOpInterface callee = getCalledFunction(op);
    return state | (meshAxes.getAll() -
                    meshAxes.getSet(callee ? getArgumentMark(callee, number)
                                           : AxesAttrInterface()));
  }

  for (Value other : op->getOperands())
    state |= getData(other);
  if (auto group = dyn_cast<ReplicationOpInterface>(op)) {
    if (group.getWantedState() == WantedState::Varying)
      state |= meshAxes.getSet(group.getGroupAxes());
    return state;
  }
  for (Value result : op->getResults())
    state |= getData(result);
  for (Region &region : op->getRegions())
    state |= control.lookup(&region);
  return state;
}

HeldGroups
ReplicationAnalysis::getHeldGroups(FunctionOpInterface callee) const {
  auto [entry, isNew] = heldGroups.try_emplace(callee);
  if (!isNew)
    return entry->second;
  HeldGroups held;
  callee->walk([&](Operation *op) {
    HeldGroups own;
    auto group = dyn_cast<ReplicationOpInterface>(op);
    if (group && group.isSynchronizing())
      own = {meshAxes.getSet(group.getGroupAxes()), op};
    else if (FunctionOpInterface called = getCalledFunction(op))
      own = getHeldGroups(called);
    if (!own.op)
      return;
    // Point at an op over a group that has several ranks, if there is one.
    if (!held.op || (held.axes.isReplicated() && !own.axes.isReplicated()))
      held.op = own.op;
    held.axes |= own.axes;
  });
  return heldGroups[callee] = held;
}
