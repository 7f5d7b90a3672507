//===- LinalgBodies.cpp - Adjoints of scalar bodies of structured ops -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgAdjoints.h"
#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::linalg;

//===----------------------------------------------------------------------===//
// What a result does with its init
//===----------------------------------------------------------------------===//

/// Whether `yielded` is `init` plus something that does not depend on it: the
/// one chain of uses from the init to the terminator has derivative 1.
static bool isSum(Value init, Value yielded) {
  Value value = init;
  for (; value != yielded;
       value = value.use_begin()->getOwner()->getResult(0)) {
    if (!value.hasOneUse())
      return false;
    OpOperand &use = *value.use_begin();
    bool isFirst = use.getOperandNumber() == 0;
    if (!isa<arith::AddFOp, arith::ExtFOp, arith::TruncFOp>(use.getOwner()) &&
        !(isa<arith::SubFOp>(use.getOwner()) && isFirst))
      return false;
  }
  return value.hasOneUse();
}

/// The value e where `yielded` is the maximum or minimum of `init` and e, null
/// where it is not.
static Value getExtremumOperand(Value init, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                       arith::MinNumFOp>(op) ||
      !init.hasOneUse() || !yielded.hasOneUse())
    return {};
  unsigned position = init.use_begin()->getOperandNumber();
  if (init.use_begin()->getOwner() != op)
    return {};
  return op->getOperand(1 - position);
}

BodyAdjoint::BodyAdjoint(LinalgOp op, const llvm::BitVector &wanted)
    : op(op), wanted(wanted), numOperands(op->getNumOperands()),
      cotangents(numOperands) {
  IRMapping mapping;
  op->getRegion(0).cloneInto(&primalRegion, mapping);
  classifyOutputs();
}

void BodyAdjoint::classifyOutputs() {
  Block &block = primalRegion.front();
  Operation *yield = block.getTerminator();
  unsigned numOutputs = op.getNumDpsInits();
  attained.resize(numOutputs);
  primalAttained.resize(numOutputs);
  SmallVector<Value> results;
  for (unsigned output = 0; output < numOutputs; ++output)
    results.push_back(
        block.addArgument(yield->getOperand(output).getType(), op.getLoc()));
  OpBuilder builder(yield);
  for (unsigned output = 0; output < numOutputs; ++output) {
    OpOperand *operand = op.getDpsInitOperand(output);
    Value init = block.getArgument(operand->getOperandNumber());
    Value yielded = yield->getOperand(output);
    if (op.getMatchingIndexingMap(operand).isPermutation()) {
      rules.push_back(InitRule::Operand);
      continue;
    }
    if (!isa<FloatType>(yielded.getType())) {
      rules.push_back(InitRule::None);
      continue;
    }
    if (isSum(init, yielded)) {
      rules.push_back(InitRule::Sum);
      continue;
    }
    Value extremum = getExtremumOperand(init, yielded);
    rules.push_back(extremum ? InitRule::Extremum : InitRule::None);
    if (!extremum)
      continue;
    // ē = seed · 1[e = y] is the adjoint of e · 1[e = y].
    Location loc = op.getLoc();
    Value isAttained = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OEQ, extremum, results[output]);
    Type type = yielded.getType();
    Value mask = arith::SelectOp::create(builder, loc, isAttained,
                                         emitConstant(builder, loc, type, 1.0),
                                         emitConstant(builder, loc, type, 0.0));
    Value masked = arith::MulFOp::create(builder, loc, mask, extremum);
    yield->setOperand(output, masked);
    primalAttained[output] = mask;
  }
}

//===----------------------------------------------------------------------===//
// Cutting values out of a block
//===----------------------------------------------------------------------===//

/// Calls `callback` once on each value of `block` or from above of it that
/// `value` depends on. Constants from above count as ops of the block.
static void forEachDependence(Block &block, Value value,
                              llvm::function_ref<void(Value)> callback) {
  SetVector<Value> reached;
  reached.insert(value);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Operation *definition = reached[i].getDefiningOp();
    callback(reached[i]);
    if (definition && (definition->getBlock() == &block ||
                       definition->hasTrait<OpTrait::ConstantLike>()))
      forEachReadValue(definition, [&](Value read) { reached.insert(read); });
  }
}

Value comm::cloneOutOf(Block &block, OpBuilder &builder, Value value,
                       IRMapping &mapping) {
  return cloneValue(builder, value, mapping, [&](Operation *op) {
    return op->getBlock() == &block || op->hasTrait<OpTrait::ConstantLike>();
  });
}

SetVector<BlockArgument> comm::getReads(Block &block, Value value) {
  SetVector<BlockArgument> reads;
  forEachDependence(block, value, [&](Value read) {
    auto argument = dyn_cast<BlockArgument>(read);
    if (argument && argument.getOwner() == &block)
      reads.insert(argument);
  });
  return reads;
}

AffineMap BodyAdjoint::getMap(BlockArgument argument) const {
  auto structured = const_cast<LinalgOp &>(op);
  unsigned index = getIndex(argument);
  OpOperand *operand = isOperand(argument)
                           ? &structured->getOpOperand(index)
                           : structured.getDpsInitOperand(index);
  return structured.getMatchingIndexingMap(operand);
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The arguments of the copied body that a cotangent is emitted for.
static SmallVector<Value> getWantedArguments(LinalgOp op, Block &block,
                                             const llvm::BitVector &wanted,
                                             ArrayRef<InitRule> rules) {
  SmallVector<Value> arguments;
  for (unsigned operand : wanted.set_bits()) {
    unsigned numInputs = op.getNumDpsInputs();
    if (operand < numInputs || rules[operand - numInputs] == InitRule::Operand)
      arguments.push_back(block.getArgument(operand));
  }
  return arguments;
}

void BodyAdjoint::emit(const llvm::BitVector &seeded) {
  Block &primal = primalRegion.front();
  Operation *yield = primal.getTerminator();
  Block &block = region.emplaceBlock();
  IRMapping primals;
  for (BlockArgument argument : primal.getArguments())
    primals.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
  SmallVector<Value> seeds;
  for (auto [output, value] : llvm::enumerate(yield->getOperands())) {
    Value seed = block.addArgument(value.getType(), op.getLoc());
    seeds.push_back(seeded[output] ? seed : Value());
  }
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> arguments = getWantedArguments(op, primal, wanted, rules);
  SmallVector<Value> results =
      emitBodyAdjoint(builder, primal, primals, seeds, arguments);
  for (auto [argument, cotangent] : llvm::zip(arguments, results))
    cotangents[cast<BlockArgument>(argument).getArgNumber()] = cotangent;
  for (auto [output, mask] : llvm::enumerate(primalAttained))
    if (mask)
      attained[output] = cloneOutOf(primal, builder, mask, primals);
}

//===----------------------------------------------------------------------===//
// What has no adjoint
//===----------------------------------------------------------------------===//

LogicalResult BodyAdjoint::verify() {
  if (!op.hasPureTensorSemantics())
    return op->emitOpError(
        "has no adjoint on memrefs: differentiate before bufferization");
  Block &block = primalRegion.front();
  Operation *yield = block.getTerminator();
  bool ok = true;
  for (auto [output, rule] : llvm::enumerate(rules)) {
    Value yielded = yield->getOperand(output);
    if (rule != InitRule::None || !isa<FloatType>(yielded.getType()))
      continue;
    bool isWanted = false, readsInit = false;
    unsigned init = op.getDpsInitOperand(output)->getOperandNumber();
    forEachDependence(block, yielded, [&](Value value) {
      auto argument = dyn_cast<BlockArgument>(value);
      if (!argument || argument.getOwner() != &block)
        return;
      isWanted |= wanted[argument.getArgNumber()];
      readsInit |= argument.getArgNumber() == init;
    });
    if (!isWanted && !wanted[init])
      continue;
    ok = false;
    InFlightDiagnostic error = op->emitOpError("has no adjoint: result #")
                               << output;
    if (!readsInit)
      error << " does not read its accumulator, so that it keeps only the last "
               "step of a reduction";
    else
      error << " is a reduction that is no sum, maximum or minimum of its "
               "accumulator and a value that does not depend on it";
  }
  if (!ok)
    return failure();
  if (failed(verifyBodyAdjoint(block,
                               getWantedArguments(op, block, wanted, rules))))
    return failure();
  return verifyReads();
}

LogicalResult BodyAdjoint::verifyReads() {
  // What is looked for below: captures and running values.
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (captured.empty() && llvm::all_of(rules, [](InitRule rule) {
        return rule == InitRule::Operand;
      }))
    return success();
  llvm::BitVector seeded(rules.size());
  for (auto [output, type] : llvm::enumerate(op->getResultTypes()))
    if (isDifferentiable(type))
      seeded.set(output);
  emit(seeded);
  SetVector<Value> captures;
  bool readsAccumulator = false;
  auto check = [&](Value value) {
    if (!value)
      return;
    forEachDependence(region.front(), value, [&](Value read) {
      if (auto argument = dyn_cast<BlockArgument>(read);
          argument && argument.getOwner() == &region.front()) {
        unsigned init = argument.getArgNumber() - op.getNumDpsInputs();
        readsAccumulator |= isOperand(argument) && init < rules.size() &&
                            rules[init] != InitRule::Operand;
        return;
      }
      Operation *definition = read.getDefiningOp();
      if (!definition || (definition->getParentRegion() != &region &&
                          !region.isAncestor(definition->getParentRegion()) &&
                          !definition->hasTrait<OpTrait::ConstantLike>()))
        captures.insert(read);
    });
  };
  llvm::for_each(cotangents, check);
  llvm::for_each(attained, check);
  if (readsAccumulator)
    return op->emitOpError("has no adjoint: it reads the running value of an "
                           "accumulator");
  if (captures.empty())
    return success();
  InFlightDiagnostic error =
      op->emitOpError("captures a value that its adjoint reads: pass it as an "
                      "operand");
  for (Value capture : captures)
    error.attachNote(capture.getLoc()) << "the captured value";
  return error;
}
