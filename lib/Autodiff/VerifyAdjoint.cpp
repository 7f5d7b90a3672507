//===- VerifyAdjoint.cpp - What cannot be differentiated ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::comm;

/// Whether an operand is an integer that an op computes with: not one that it
/// selects by (the conditions of arith.select and scf.if, the index of
/// tensor.extract).
static bool isComputedWith(Operation *op, Value operand) {
  Type element = getElementTypeOrSelf(operand.getType());
  if (!element.isIntOrIndex() || op->getNumRegions() != 0)
    return false;
  return !isa<AdjointOpInterface>(op) ||
         (OpTrait::hasElementwiseMappableTraits(op) && !element.isInteger(1));
}

/// Whether an op turns integers into floats: it says nothing of what that means
/// for a derivative (arith.sitofp, arith.bitcast), or has no derivative by them
/// (the exponent of math.fpowi).
static bool comesBackFromIntegers(
    Operation *op,
    function_ref<bool(Value)> counts = [](Value) { return true; }) {
  return llvm::any_of(op->getResultTypes(), isDifferentiable) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isComputedWith(op, operand) && counts(operand);
         });
}

static InFlightDiagnostic reportIntegerPath(Operation *op) {
  return op->emitError()
         << "'" << op->getName()
         << "' brings back to a float an integer that depends on a "
            "differentiated argument: its derivative would be lost";
}

/// Calls `callback` on every op of a block and of its control flow, in program
/// order, terminators apart.
static void forEachOpOfFlow(Block &block,
                            function_ref<void(Operation *)> callback) {
  for (Operation &op : block.without_terminator()) {
    callback(&op);
    if (isStructuredControlFlow(&op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          forEachOpOfFlow(region.front(), callback);
  }
}

//===----------------------------------------------------------------------===//
// Integers that are passed to calls
//===----------------------------------------------------------------------===//

namespace {
/// Looks for the paths that the integer arguments of calls take to their float
/// results: a callee is differentiated without a thought of its integers. What
/// has been asked of a function once is not asked again.
class IntegerArguments {
public:
  explicit IntegerArguments(AdjointDriver &driver) : driver(driver) {}

  /// Adds a call on a path of `activity`.
  void addCall(CallOpInterface call, const ActivityAnalysis &activity);
  LogicalResult verify();

private:
  /// A function of which some arguments depend on a source, as integers, and
  /// some results are active.
  struct Visit {
    FunctionOpInterface function;
    llvm::BitVector sources, sinks;
    Location passedAt;
  };
  LogicalResult verify(const Visit &visit);
  LogicalResult verifyOp(Operation *op, const ActivityAnalysis &inside,
                         Location passedAt);

  AdjointDriver &driver;
  SmallVector<Visit> pending;
  llvm::DenseMap<Operation *,
                 SmallVector<std::pair<llvm::BitVector, llvm::BitVector>, 1>>
      seen;
};
} // namespace

void IntegerArguments::addCall(CallOpInterface call,
                               const ActivityAnalysis &activity) {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  FunctionOpInterface callee = name ? driver.lookupFunction(name) : nullptr;
  if (!callee || callee.isExternal() || callee->hasAttr(kCustomVjpAttrName))
    return;
  llvm::BitVector sources(call.getArgOperands().size());
  for (auto [number, operand] : llvm::enumerate(call.getArgOperands()))
    sources[number] =
        activity.isDependent(operand) && !isDifferentiable(operand.getType());
  if (sources.none())
    return;
  llvm::BitVector sinks(call->getNumResults());
  for (auto [number, result] : llvm::enumerate(call->getResults()))
    sinks[number] = activity.isActive(result);
  auto &known = seen[callee];
  if (llvm::is_contained(known, std::pair(sources, sinks)))
    return;
  known.emplace_back(sources, sinks);
  pending.push_back({callee, sources, sinks, call.getLoc()});
}

LogicalResult IntegerArguments::verify(const Visit &visit) {
  Block &block = visit.function->getRegion(0).front();
  SmallVector<Value> sources, sinks;
  for (unsigned number : visit.sources.set_bits())
    sources.push_back(block.getArgument(number));
  for (unsigned number : visit.sinks.set_bits())
    sinks.push_back(block.getTerminator()->getOperand(number));
  ActivityAnalysis inside(block, sources, sinks);
  bool ok = true;
  forEachOpOfFlow(block, [&](Operation *op) {
    if (ok && inside.isOnPath(op) && !isStructuredControlFlow(op))
      ok = succeeded(verifyOp(op, inside, visit.passedAt));
  });
  return success(ok);
}

LogicalResult IntegerArguments::verifyOp(Operation *op,
                                         const ActivityAnalysis &inside,
                                         Location passedAt) {
  if (auto nestedCall = dyn_cast<CallOpInterface>(op)) {
    addCall(nestedCall, inside);
    return success();
  }
  bool readsInteger = false;
  forEachReadValue(op, [&](Value value) {
    readsInteger |=
        inside.isDependent(value) && !isDifferentiable(value.getType());
  });
  if (!readsInteger)
    return success();
  WalkResult walk = op->walk([&](Operation *nested) -> WalkResult {
    auto counts = [&](Value value) {
      return nested != op || inside.isDependent(value);
    };
    if (!comesBackFromIntegers(nested, counts))
      return WalkResult::advance();
    InFlightDiagnostic error = reportIntegerPath(nested);
    error.attachNote(passedAt) << "the integer is passed here";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult IntegerArguments::verify() {
  bool ok = true;
  while (!pending.empty())
    ok &= succeeded(verify(pending.pop_back_val()));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static LogicalResult verifyOpAdjoint(Operation *op,
                                     const ActivityAnalysis &activity,
                                     IntegerArguments *calls) {
  // A store hides a dependence from the analysis.
  bool isDependent = false, touchesMemory = false;
  for (Value operand : op->getOperands()) {
    isDependent |= activity.isDependent(operand);
    touchesMemory |= isa<BaseMemRefType>(operand.getType());
  }
  if (isDependent && touchesMemory)
    return op->emitError()
           << "'" << op->getName()
           << "' passes a value that depends on a differentiated argument "
              "through memory: differentiate on tensors, before bufferization";
  if (!activity.isOnPath(op))
    return success();

  llvm::BitVector wanted = activity.getWantedOperands(op);
  auto regionOp = dyn_cast<RegionAdjointOpInterface>(op);
  if (calls && regionOp) {
    if (auto call = dyn_cast<CallOpInterface>(op))
      calls->addCall(call, activity);
    return regionOp.verifyRegionAdjoint();
  }
  auto adjoint = dyn_cast<AdjointOpInterface>(op);
  if (!adjoint && isa<RegionBranchOpInterface>(op))
    return op->emitError()
           << "'" << op->getName()
           << "' is control flow that is not differentiated"
           << (calls ? ": implement RegionAdjointOpInterface for it"
                     : " in the body of an op");
  auto isDependentValue = [&](Value v) { return activity.isDependent(v); };
  if ((adjoint || wanted.none()) && comesBackFromIntegers(op, isDependentValue))
    return reportIntegerPath(op);
  if (!adjoint) {
    return op->emitError()
           << "'" << op->getName()
           << "' has no adjoint: implement AdjointOpInterface for it";
  }
  if (op->getNumRegions() != 0) {
    // An operand may be captured besides.
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    bool capturesActive = llvm::any_of(
        captured, [&](Value value) { return activity.isActive(value); });
    bool readsInteger = false;
    forEachReadValue(op, [&](Value value) {
      readsInteger |=
          activity.isDependent(value) && !isDifferentiable(value.getType());
    });
    if (capturesActive)
      return op->emitError()
             << "'" << op->getName()
             << "' captures a value that depends on a differentiated "
                "argument: pass it as an operand";
    if (readsInteger) {
      WalkResult walk = op->walk([&](Operation *nested) {
        return comesBackFromIntegers(nested)
                   ? WalkResult(LogicalResult(reportIntegerPath(nested)))
                   : WalkResult::advance();
      });
      if (walk.wasInterrupted())
        return failure();
    }
  }
  return wanted.any() ? adjoint.verifyAdjoint(wanted) : success();
}

LogicalResult comm::verifyBlockAdjoint(Block &block,
                                       const ActivityAnalysis &activity,
                                       AdjointDriver *driver) {
  std::optional<IntegerArguments> calls;
  if (driver)
    calls.emplace(*driver);
  bool ok = true;
  forEachOpOfFlow(block, [&](Operation *op) {
    ok &= succeeded(verifyOpAdjoint(op, activity, calls ? &*calls : nullptr));
  });
  if (calls)
    ok &= succeeded(calls->verify());
  return success(ok);
}
