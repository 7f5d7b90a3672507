//===- ReplicationVerifier.cpp - What the states forbid -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

class ReplicationAnalysis::Verifier {
public:
  explicit Verifier(const ReplicationAnalysis &analysis)
      : analysis(analysis), axes(analysis.getMeshAxes()) {}

  LogicalResult verify() {
    FunctionOpInterface function = analysis.function;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function)
        return;
      verifySizes(op);
      if (auto group = dyn_cast<ReplicationOpInterface>(op))
        verifyGroupOp(group);
      else if (isa<CallOpInterface, CallBoundaryOpInterface>(op))
        verifyCall(op);
      else if (op->getParentOp() == function &&
               op->hasTrait<OpTrait::IsTerminator>())
        verifyClaims(op);
    });
    return success(isValid);
  }

private:
  InFlightDiagnostic error(Operation *op) {
    isValid = false;
    return op->emitError();
  }

  /// Found for the first error.
  const Causes &getCauses() {
    if (!causes)
      causes = analysis.findCauses();
    return *causes;
  }

  /// Attaches the ops that made `value` vary over `over`, from it back to where
  /// it begins, as notes.
  void attachChain(InFlightDiagnostic &diagnostic, Value value,
                   ReplicationState over);
  /// The note at the op by which a value begins to vary.
  void attachOrigin(InFlightDiagnostic &diagnostic, Value value, Operation *op,
                    ReplicationState over);

  void verifySizes(Operation *op) {
    if (op->hasAttr(kTapeAttrName))
      return;
    for (Value size : getSizeOperands(op)) {
      // What only controls the region does not count: the ranks that run it
      // agree on the size.
      ReplicationState state = analysis.getData(size);
      if (state.isReplicated())
        continue;
      InFlightDiagnostic diagnostic =
          error(op) << "'" << op->getName()
                    << "' op expects a size that is the same on all ranks, got "
                       "one that varies over axes "
                    << axes.format(state);
      attachChain(diagnostic, size, state);
      return;
    }
  }

  /// The innermost op around `op` in which nothing may synchronize.
  Operation *getLocalParent(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent != analysis.function;
         parent = parent->getParentOp())
      if (!isStructuredControlFlow(parent))
        return parent;
    return nullptr;
  }

  /// Reports a place that not all ranks of a group over `held` reach; true
  /// where it did. `what` says what the op does there: it runs, or calls what
  /// runs.
  bool verifyReached(Operation *op, ReplicationState held, StringRef what) {
    if (Operation *parent = getLocalParent(op)) {
      (error(op) << "'" << op->getName() << "' op" << what
                 << " inside a region of '" << parent->getName()
                 << "': a collective stands in a function or in a region of "
                    "scf's control flow")
              .attachNote(parent->getLoc())
          << "the region is here";
      return true;
    }
    ReplicationState over = analysis.getControl(op) & held;
    if (over.isReplicated())
      return false;
    InFlightDiagnostic diagnostic =
        error(op) << "'" << op->getName() << "' op" << what << " over axes "
                  << axes.format(over)
                  << " under a condition that varies over them: not all ranks "
                     "of a group would reach it";
    // The innermost region that varies, and why it does.
    for (Region *region = op->getParentRegion(); region;
         region = region->getParentRegion()) {
      auto found = getCauses().regions.find(region);
      if (found == getCauses().regions.end())
        continue;
      const auto *cause = llvm::find_if(found->second, [&](const auto &cause) {
        return cause.axes.intersects(over);
      });
      if (cause == found->second.end())
        continue;
      diagnostic.attachNote(cause->from.getLoc())
          << "the condition of '" << cause->op->getName()
          << "' varies over axes " << axes.format(cause->axes & over);
      attachChain(diagnostic, cause->from, cause->axes & over);
      break;
    }
    return true;
  }

  void verifyGroupOp(ReplicationOpInterface op) {
    ReplicationState group = axes.getSet(op.getGroupAxes());
    if (op.isSynchronizing() && verifyReached(op, group, " runs"))
      return;
    if (op.getWantedState() != WantedState::Replicated)
      return;
    // vary_c2, all_slice_c4, root_mask_c3
    for (Value operand : op->getOperands()) {
      ReplicationState over = analysis.getState(operand) & group;
      if (over.isReplicated())
        continue;
      InFlightDiagnostic diagnostic =
          error(op) << "'" << op->getName()
                    << "' op expects an operand that is replicated over axes "
                    << axes.format(group) << ", got one that varies over "
                    << axes.format(over);
      if (!op.getVaryingAlternative().empty())
        diagnostic.attachNote(op.getLoc()) << op.getVaryingAlternative();
      attachChain(diagnostic, operand, over);
    }
  }

  void verifyCall(Operation *op) {
    FunctionOpInterface callee = analysis.facts->getCalledFunction(op);
    if (!callee) {
      // Nobody knows what an indirect call holds.
      ReplicationState control = analysis.getControl(op);
      if (!control.isReplicated() || getLocalParent(op))
        verifyReached(op, control,
                      " calls an unknown function, which may run a collective");
      return;
    }
    HeldGroups held = analysis.facts->getHeldGroups(callee);
    if (held.op &&
        verifyReached(op, held.axes,
                      (" calls '@" + callee.getName() + "', which runs '" +
                       held.op->getName().getStringRef() + "'")
                          .str()))
      return;
    auto boundary = dyn_cast<CallBoundaryOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      AxesAttrInterface mark = boundary ? boundary.getOperandMark(number)
                                        : getArgumentMark(callee, number);
      ReplicationState over =
          (analysis.getState(operand.get()) | analysis.getControl(op)) &
          axes.getSet(mark);
      if (over.isReplicated())
        continue;
      InFlightDiagnostic diagnostic = error(op);
      diagnostic << "'" << op->getName() << "' op operand " << number
                 << " varies over axes " << axes.format(over) << ", but ";
      if (number < callee.getNumArguments())
        diagnostic << "argument " << number << " of '@" << callee.getName()
                   << "' is marked replicated over them";
      else
        diagnostic << "is the seed of a value of '@" << callee.getName()
                   << "' that is marked replicated over them";
      diagnostic.attachNote(callee.getLoc()) << "the function is here";
      attachChain(diagnostic, operand.get(), over);
    }
  }

  void verifyClaims(Operation *terminator) {
    FunctionOpInterface function = analysis.function;
    for (OpOperand &operand : terminator->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      ReplicationState mark = axes.getSet(getResultMark(function, number));
      ReplicationState over = analysis.getState(operand.get()) & mark;
      if (over.isReplicated())
        continue;
      InFlightDiagnostic diagnostic =
          error(terminator)
          << "result " << number << " of '@" << function.getName()
          << "' is marked replicated over axes " << axes.format(mark)
          << ", but varies over " << axes.format(over);
      attachChain(diagnostic, operand.get(), over);
    }
  }

  const ReplicationAnalysis &analysis;
  const MeshAxes &axes;
  std::optional<Causes> causes;
  bool isValid = true;
};

//===----------------------------------------------------------------------===//
// Why a value varies
//===----------------------------------------------------------------------===//

void ReplicationAnalysis::Verifier::attachOrigin(InFlightDiagnostic &diagnostic,
                                                 Value value, Operation *op,
                                                 ReplicationState over) {
  std::string names = axes.format(over);
  FunctionOpInterface callee = analysis.facts->getCalledFunction(op);
  diagnostic.attachNote(op->getLoc())
      << "'" << op->getName() << "' makes a value that varies over axes "
      << names;
  if (!callee)
    return;
  // A call of an unmarked helper: say what to mark.
  std::string advice = " is unmarked: mark it, or inline the call";
  for (unsigned number = 0; number < callee.getNumArguments(); ++number)
    if (!axes.getSet(getArgumentMark(callee, number)).contains(over) &&
        !analysis.getState(op->getOperand(number)).intersects(over))
      diagnostic.attachNote(callee.getLoc())
          << "argument " << number << " of '@" << callee.getName() << "'"
          << advice;
  auto result = cast<OpResult>(value).getResultNumber();
  if (result < callee.getNumResults() &&
      !axes.getSet(getResultMark(callee, result)).contains(over))
    diagnostic.attachNote(callee.getLoc())
        << "result " << result << " of '@" << callee.getName() << "'" << advice;
}

void ReplicationAnalysis::Verifier::attachChain(InFlightDiagnostic &diagnostic,
                                                Value value,
                                                ReplicationState over) {
  // The chain of one axis: different axes may come from different places.
  SmallVector<std::pair<Value, VariationCause>> chain;
  ReplicationState wanted;
  for (unsigned axis = 0; axis < ReplicationState::kMaxAxes; ++axis)
    if (over.variesOver(axis)) {
      wanted = ReplicationState::varyingOver(axis);
      break;
    }
  auto find = [&](const auto &map, auto key) -> const VariationCause * {
    auto found = map.find(key);
    if (found == map.end())
      return nullptr;
    const auto *cause = llvm::find_if(found->second, [&](const auto &cause) {
      return cause.axes.contains(wanted);
    });
    return cause == found->second.end() ? nullptr : cause;
  };
  DenseSet<Value> seen;
  while (value && seen.insert(value).second) {
    const VariationCause *cause = find(getCauses().values, value);
    // Else what controls the region that the value stands in.
    for (Region *region = value.getParentRegion(); region && !cause;
         region = region->getParentRegion())
      cause = find(getCauses().regions, region);
    if (!cause)
      break;
    chain.emplace_back(value, *cause);
    value = cause->from;
  }

  constexpr size_t kEnd = 8;
  std::string names = axes.format(wanted);
  for (auto [position, link] : llvm::enumerate(chain)) {
    auto [target, cause] = link;
    if (position == kEnd && chain.size() > 2 * kEnd)
      diagnostic.attachNote(target.getLoc())
          << "through " << chain.size() - 2 * kEnd << " more values from here";
    if (position >= kEnd && position + kEnd < chain.size())
      continue;
    if (!cause.op) {
      auto argument = cast<BlockArgument>(target);
      diagnostic.attachNote(argument.getLoc())
          << "argument " << argument.getArgNumber() << " of '@"
          << analysis.getFunction().getName() << "' varies over axes " << names
          << ": it is not marked replicated over them";
    } else if (cause.isControl) {
      diagnostic.attachNote(cause.op->getLoc())
          << "'" << cause.op->getName()
          << "' runs its regions under a condition that varies over axes "
          << names;
    } else if (cause.from) {
      diagnostic.attachNote(cause.op->getLoc())
          << "'" << cause.op->getName()
          << "' uses a value that varies over axes " << names;
    } else {
      attachOrigin(diagnostic, target, cause.op, wanted);
    }
  }
}

//===----------------------------------------------------------------------===//
// What the states forbid
//===----------------------------------------------------------------------===//

LogicalResult ReplicationAnalysis::verify() const {
  if (getFunction().isDeclaration())
    return success();
  return Verifier(*this).verify();
}
