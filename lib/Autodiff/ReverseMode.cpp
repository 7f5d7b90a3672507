//===- ReverseMode.cpp - Pulling cotangents back through a block ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// What cannot be differentiated
//===----------------------------------------------------------------------===//

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

/// Looks for the paths that the integer arguments of a call take to its float
/// results: a callee is differentiated without a thought of its integers.
/// `callers` are the callees on the way here.
static LogicalResult
verifyIntegerArguments(CallOpInterface call, const ActivityAnalysis &activity,
                       SmallVector<Operation *> callers = {}) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  if (!callee || callee.isExternal() ||
      llvm::is_contained(callers, callee.getOperation()))
    return success();
  Block &block = callee.getFunctionBody().front();
  SmallVector<Value> sources, sinks;
  for (auto [operand, argument] :
       llvm::zip(call.getArgOperands(), block.getArguments()))
    if (activity.isDependent(operand) && !isDifferentiable(operand.getType()))
      sources.push_back(argument);
  if (sources.empty())
    return success();
  for (auto [result, returned] :
       llvm::zip(call->getResults(), block.getTerminator()->getOperands()))
    if (activity.isActive(result))
      sinks.push_back(returned);

  callers.push_back(callee.getOperation());
  ActivityAnalysis inside(block, sources, sinks);
  bool ok = true;
  for (Operation &op : block.without_terminator()) {
    if (!inside.isOnPath(&op))
      continue;
    if (auto nestedCall = dyn_cast<CallOpInterface>(op)) {
      ok &= succeeded(verifyIntegerArguments(nestedCall, inside, callers));
      continue;
    }
    bool readsInteger = false;
    forEachReadValue(&op, [&](Value value) {
      readsInteger |=
          inside.isDependent(value) && !isDifferentiable(value.getType());
    });
    if (!readsInteger)
      continue;
    WalkResult walk = op.walk([&](Operation *nested) -> WalkResult {
      auto counts = [&](Value value) {
        return nested != &op || inside.isDependent(value);
      };
      if (!comesBackFromIntegers(nested, counts))
        return WalkResult::advance();
      InFlightDiagnostic error = reportIntegerPath(nested);
      error.attachNote(call.getLoc()) << "the integer is passed here";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success(ok);
}

static LogicalResult verifyOpAdjoint(Operation *op,
                                     const ActivityAnalysis &activity,
                                     bool allowRegionOps) {
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
  if (allowRegionOps && isa<RegionAdjointOpInterface>(op)) {
    auto call = dyn_cast<CallOpInterface>(op);
    return call ? verifyIntegerArguments(call, activity) : success();
  }
  auto adjoint = dyn_cast<AdjointOpInterface>(op);
  if (!adjoint && isa<RegionBranchOpInterface>(op))
    return op->emitError()
           << "'" << op->getName()
           << "' is control flow, which is not differentiated: only "
              "straight-line code and calls are";
  auto isDependentValue = [&](Value v) { return activity.isDependent(v); };
  if ((adjoint || wanted.none()) && comesBackFromIntegers(op, isDependentValue))
    return reportIntegerPath(op);
  if (!adjoint) {
    return op->emitError()
           << "'" << op->getName()
           << "' has no adjoint: implement AdjointOpInterface for it";
  }
  if (op->getNumRegions() != 0) {
    bool capturesActive = false, readsInteger = false;
    forEachReadValue(op, [&](Value value) {
      capturesActive |= activity.isActive(value) &&
                        !llvm::is_contained(op->getOperands(), value);
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
                                       bool allowRegionOps) {
  bool ok = true;
  for (Operation &op : block.without_terminator())
    ok &= succeeded(verifyOpAdjoint(&op, activity, allowRegionOps));
  return success(ok);
}

//===----------------------------------------------------------------------===//
// ReverseMode
//===----------------------------------------------------------------------===//

void ReverseMode::accumulate(Value primal, Value cotangent) {
  if (!cotangent)
    return;
  Value &sum = cotangents[primal];
  sum = sum ? arith::AddFOp::create(builder, cotangent.getLoc(), sum, cotangent)
            : cotangent;
}

SmallVector<Value> ReverseMode::getResultCotangents(Operation *op) const {
  return llvm::map_to_vector(op->getResults(), [&](Value result) {
    return cotangents.lookup(result);
  });
}

namespace {
/// The primal values of one op.
class OpPrimals : public Primals {
public:
  OpPrimals(Operation *op, const llvm::BitVector &wanted,
            const ReverseMode::LookupPrimal &lookupPrimal,
            const ReverseMode::LookupSizes &lookupSizes)
      : op(op), wanted(wanted), lookupPrimal(lookupPrimal),
        lookupSizes(lookupSizes) {}

  Value getOperand(unsigned index) const override {
    return lookupPrimal(op->getOperand(index));
  }
  Value getResult(unsigned index) const override {
    return lookupPrimal(op->getResult(index));
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    return lookupSizes(builder, op->getOperand(index));
  }
  bool isWanted(unsigned operand) const override { return wanted[operand]; }

private:
  Operation *op;
  const llvm::BitVector &wanted;
  const ReverseMode::LookupPrimal &lookupPrimal;
  const ReverseMode::LookupSizes &lookupSizes;
};
} // namespace

void ReverseMode::emitAdjoint(AdjointOpInterface op) {
  SmallVector<Value> seeds = getResultCotangents(op);
  if (llvm::none_of(seeds, [](Value seed) { return bool(seed); }))
    return;
  llvm::BitVector wanted = activity.getWantedOperands(op);
  if (wanted.none())
    return;
  OpPrimals primals(op, wanted, lookupPrimal, lookupSizes);
  SmallVector<Value> contributions = op.emitAdjoint(builder, primals, seeds);
  for (auto [operand, contribution] :
       llvm::zip(op->getOpOperands(), contributions))
    if (wanted[operand.getOperandNumber()])
      accumulate(operand.get(), contribution);
}

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

/// The value `primal` of a body at the insertion point, cloning what defines
/// it.
static Value cloneBodyValue(OpBuilder &builder, Block &body, IRMapping &primals,
                            Value primal) {
  if (Value known = primals.lookupOrNull(primal))
    return known;
  Operation *op = primal.getDefiningOp();
  // What is defined outside of the body is visible wherever the op is.
  if (!op || op->getBlock() != &body)
    return primal;
  for (Value operand : op->getOperands())
    cloneBodyValue(builder, body, primals, operand);
  builder.clone(*op, primals);
  return primals.lookup(primal);
}

SmallVector<Value> comm::emitBodyAdjoint(OpBuilder &builder, Block &body,
                                         IRMapping &primals, ValueRange seeds,
                                         ValueRange wanted) {
  ValueRange yielded = body.getTerminator()->getOperands();
  ActivityAnalysis activity(body, wanted, yielded);
  auto lookup = [&](Value primal) {
    return cloneBodyValue(builder, body, primals, primal);
  };
  ReverseMode reverse(
      builder, activity, lookup,
      [](OpBuilder &, Value) -> SmallVector<OpFoldResult> { return {}; });
  for (auto [value, seed] : llvm::zip(yielded, seeds))
    if (activity.isActive(value))
      reverse.accumulate(value, seed);
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (activity.isOnPath(&op))
      reverse.emitAdjoint(cast<AdjointOpInterface>(op));
  return llvm::map_to_vector(
      wanted, [&](Value value) { return reverse.getCotangent(value); });
}

LogicalResult comm::verifyBodyAdjoint(Block &body, ValueRange wanted) {
  ActivityAnalysis activity(body, wanted, body.getTerminator()->getOperands());
  return verifyBlockAdjoint(body, activity, /*allowRegionOps=*/false);
}
