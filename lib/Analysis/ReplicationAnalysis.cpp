//===- ReplicationAnalysis.cpp - The state of every value -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
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

bool comm::isStructuredControlFlow(Operation *op) {
  return op->getNumRegions() != 0 && isa<ControllingOpInterface>(op) &&
         isa<RegionBranchOpInterface>(op);
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

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

ReplicationState ReplicationAnalysis::getControl(Operation *op) const {
  return getControl(op->getParentRegion());
}

ReplicationState ReplicationAnalysis::getState(Value value) const {
  return getData(value) | getControl(value.getParentRegion());
}

void ReplicationAnalysis::addSuccessorStates(
    Operation *op, MutableArrayRef<ReplicationState> states) const {
  SmallVector<RegionSuccessor> successors;
  auto add = [&](OperandRange handedOver, const RegionSuccessor &successor) {
    if (handedOver.empty())
      return;
    auto *state = states.begin() + handedOver.getBeginOperandIndex();
    for (Value input :
         successor.getSuccessorInputs().take_front(handedOver.size()))
      *state++ |= getState(input);
  };
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (const RegionSuccessor &successor : successors)
      add(branch.getEntrySuccessorOperands(successor), successor);
    return;
  }
  auto terminator = cast<RegionBranchTerminatorOpInterface>(op);
  cast<RegionBranchOpInterface>(op->getParentOp())
      .getSuccessorRegions(RegionBranchPoint(terminator), successors);
  for (const RegionSuccessor &successor : successors)
    add(terminator.getSuccessorOperands(successor), successor);
}

SmallVector<ReplicationState>
ReplicationAnalysis::getRequiredStates(Operation *op) const {
  const MeshAxes &axes = getMeshAxes();
  Operation *parent = op->getParentOp();
  ReplicationState state = getControl(op);
  unsigned numOperands = op->getNumOperands();
  SmallVector<ReplicationState> states(numOperands, state);
  auto setByMarks = [&](ReplicationState always,
                        function_ref<AxesAttrInterface(unsigned)> getMark) {
    for (unsigned number = 0; number < numOperands; ++number)
      states[number] = always | (axes.getAll() - axes.getSet(getMark(number)));
    return states;
  };

  bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
  if (isTerminator && isa<FunctionOpInterface>(parent))
    return setByMarks(
        {}, [&](unsigned number) { return getResultMark(function, number); });
  bool isBranch = isTerminator && isa<RegionBranchTerminatorOpInterface>(op) &&
                  isStructuredControlFlow(parent);
  if (isBranch || isStructuredControlFlow(op)) {
    addSuccessorStates(op, states);
    return states;
  }
  if (auto call = dyn_cast<CallBoundaryOpInterface>(op))
    return setByMarks(
        state, [&](unsigned number) { return call.getOperandMark(number); });
  if (isa<CallOpInterface>(op)) {
    FunctionOpInterface callee = facts->getCalledFunction(op);
    return setByMarks(state, [&](unsigned number) {
      return callee ? getArgumentMark(callee, number) : AxesAttrInterface();
    });
  }

  for (Value operand : op->getOperands())
    state |= getData(operand);
  if (auto group = dyn_cast<ReplicationOpInterface>(op)) {
    if (group.getWantedState() == WantedState::Varying)
      state |= axes.getSet(group.getGroupAxes());
  } else {
    for (Value result : op->getResults())
      state |= getData(result);
    for (Region &region : op->getRegions())
      state |= getControl(&region);
  }
  states.assign(numOperands, state);
  return states;
}
