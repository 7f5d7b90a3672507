//===- GenerateControl.cpp - Calls and control flow of random programs ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

void Generator::stepCall() {
  // A callee may hold any collective, so it stands in no controlled region.
  if (control || callDepth > 1)
    return;
  AxisSet all = getAllAxes();

  Function callee;
  std::vector<Entry> arguments;
  bool isKnown = !helpers.empty() && choices.choose(2);
  if (isKnown) {
    callee = helpers[choices.choose(helpers.size())];
    for (auto [shape, mark] :
         llvm::zip(callee.argumentShapes, callee.argumentMarks)) {
      std::optional<Entry> entry = pickWhere([&](const Entry &entry) {
        return entry.shape == shape && !(entry.varying & mark);
      });
      if (!entry)
        return;
      arguments.push_back(*entry);
    }
  } else {
    SmallVector<SmallVector<int64_t>> shapes;
    SmallVector<AxisSet> marks;
    int64_t count = 1 + choices.choose(2);
    for (int64_t i = 0; i < count; ++i) {
      Entry entry = pick();
      arguments.push_back(entry);
      shapes.push_back(entry.shape);
      marks.push_back(chooseSubset(all & ~entry.varying));
    }
    ++callDepth;
    callee = makeFunction("helper" + std::to_string(helpers.size()) +
                              (callDepth > 1 ? "_inner" : ""),
                          shapes, marks, 1 + choices.choose(4), false);
    --callDepth;
    if (!module.lookupSymbol(callee.op.getName()))
      return;
    helpers.push_back(callee);
  }
  SmallVector<Value> operands;
  for (const Entry &entry : arguments)
    operands.push_back(getStatic(entry));
  // The types of a callee's results may leave sizes open.
  auto call = func::CallOp::create(builder, loc, callee.op, operands);
  for (auto [number, value] : llvm::enumerate(call.getResults()))
    add(value, callee.resultShapes[number], all & ~callee.resultMarks[number]);
}

AxisSet Generator::getAllAxes() const {
  AxisSet all = 0;
  for (size_t axis = 0; axis < axisSizes.size(); ++axis)
    if (axisSizes[axis] > 1)
      all |= AxisSet(1) << axis;
  return all;
}

std::pair<Value, AxisSet> Generator::makeCondition() {
  // Mostly the same on all ranks: then collectives may stand inside.
  return makeCondition(pick(),
                       /*isUniform=*/!control && choices.choose(4) != 3);
}

std::pair<Value, AxisSet> Generator::makeCondition(const Entry &x,
                                                   bool isUniform) {
  SmallVector<Value> at;
  for (int64_t size : x.shape)
    at.push_back(makeIndex(choices.choose(size)));
  AxisSet varying = x.varying;
  Value value = x.value;
  if (varying && isUniform) {
    SmallVector<int64_t> axes;
    for (size_t axis = 0; axis < axisSizes.size(); ++axis)
      if (varying >> axis & 1)
        axes.push_back(axis);
    value = AllReduceOp::create(builder, loc, value, ReductionKind::Sum,
                                getAttr(axes))
                .getResult();
    varying = 0;
  }
  Value scalar = tensor::ExtractOp::create(builder, loc, value, at);
  return {arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, scalar,
                                makeScalarConstant(chooseNumber())),
          varying};
}

void Generator::stepsInside(int64_t depth, AxisSet inner) {
  AxisSet outer = control;
  control |= inner;
  int64_t steps = choices.choose(4);
  for (int64_t i = 0; i < steps; ++i)
    step(depth + 1);
  control = outer;
}

void Generator::stepIf(int64_t depth) {
  if (depth > 1)
    return;
  auto [condition, varying] = makeCondition();
  Entry model = pick();
  SmallVector<Type> types{getType(model.shape)};
  writeBranches(scf::IfOp::create(builder, loc, types, condition,
                                  /*withElse=*/true),
                model, varying, depth);
}

void Generator::writeBranches(Operation *branch, const Entry &model,
                              AxisSet varying, int64_t depth) {
  size_t count = pool.size();
  AxisSet result = varying | control;
  for (Region &region : branch->getRegions()) {
    OpBuilder::InsertionGuard guard(builder);
    if (region.empty())
      builder.createBlock(&region);
    builder.setInsertionPointToStart(&region.front());
    stepsInside(depth, varying);
    Entry yielded = *pickWhere(
        [&](const Entry &entry) { return entry.shape == model.shape; });
    result |= yielded.varying;
    scf::YieldOp::create(builder, loc, getStatic(yielded));
    pool.resize(count);
  }
  add(branch->getResult(0), model.shape, result);
}

void Generator::stepFor(int64_t depth) {
  if (depth > 1)
    return;
  Entry init = pick();
  size_t count = pool.size();
  Value lower = makeIndex(0), upper = makeIndex(choices.choose(4)),
        step = makeIndex(1 + choices.choose(2));
  // As long as the number of the outer run.
  if (runNumber && choices.choose(2))
    upper = runNumber;
  // What is carried may be taken to vary more than it does.
  AxisSet carried = choices.choose(2) ? getAllAxes() : init.varying;
  auto loop = scf::ForOp::create(builder, loc, lower, upper, step,
                                 ValueRange{getStatic(init)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    add(loop.getRegionIterArg(0), init.shape, carried);
    Value outerRun = std::exchange(runNumber, loop.getInductionVar());
    stepsInside(depth, 0);
    runNumber = outerRun;
    Entry yielded = *pickWhere([&](const Entry &entry) {
      return entry.shape == init.shape &&
             !(entry.varying & ~(carried | control));
    });
    scf::YieldOp::create(builder, loc, getStatic(yielded));
    pool.resize(count);
  }
  add(loop.getResult(0), init.shape, carried | init.varying);
}

void Generator::stepSwitch(int64_t depth) {
  if (depth > 1)
    return;
  Value selector;
  AxisSet varying = 0;
  if (runNumber && choices.choose(2)) {
    selector = runNumber;
  } else if (choices.choose(2)) {
    SmallVector<int64_t> axes = chooseAxes(getAllAxes());
    if (axes.empty())
      return;
    selector = makeAxisIndex(axes);
    varying = getSet(axes);
  } else {
    selector = makeIndex(choices.choose(4));
  }
  Entry model = pick();
  SmallVector<Type> types{getType(model.shape)};
  SmallVector<int64_t> cases{1, 0};
  cases.truncate(1 + choices.choose(2));
  writeBranches(scf::IndexSwitchOp::create(builder, loc, types, selector, cases,
                                           cases.size()),
                model, varying, depth);
}

void Generator::stepWhile(int64_t depth) {
  if (depth > 1)
    return;
  Entry init = pick();
  size_t count = pool.size();
  AxisSet carried = choices.choose(2) ? getAllAxes() : init.varying;
  bool isUniform = !control && choices.choose(4) != 3;
  AxisSet varying = isUniform ? 0 : carried;
  Value zero = makeIndex(0), bound = makeIndex(choices.choose(12));
  SmallVector<Value> inits{getStatic(init), zero};
  SmallVector<Type> types(ValueRange(inits).getTypes());
  auto loop = scf::WhileOp::create(builder, loc, types, inits);
  auto isCarriable = [&](const Entry &entry) {
    return entry.shape == init.shape &&
           !(entry.varying & ~(carried | varying | control));
  };
  OpBuilder::InsertionGuard guard(builder);
  for (Region *region : {&loop.getBefore(), &loop.getAfter()}) {
    Block *block = builder.createBlock(region, {}, types, {loc, loc});
    add(block->getArgument(0), init.shape, carried | varying);
    Entry argument = pool.back();
    stepsInside(depth, varying);
    Entry yielded = *pickWhere(isCarriable);
    Value run = block->getArgument(1);
    if (region == &loop.getAfter()) {
      Value next = arith::AddIOp::create(builder, loc, run, makeIndex(1));
      scf::YieldOp::create(builder, loc, ValueRange{getStatic(yielded), next});
    } else {
      // It ends, whatever the numbers are.
      Value goesOn = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, run, bound);
      if (choices.choose(2))
        goesOn = arith::AndIOp::create(
            builder, loc, goesOn, makeCondition(argument, isUniform).first);
      scf::ConditionOp::create(builder, loc, goesOn,
                               ValueRange{getStatic(yielded), run});
    }
    pool.resize(count);
  }
  builder.setInsertionPointAfter(loop);
  add(loop.getResult(0), init.shape, carried | varying | init.varying);
}

void Generator::markRecomputed(func::FuncOp function) {
  auto mark = UnitAttr::get(builder.getContext());
  function->walk([&](Operation *op) {
    bool isTensorOp = op->getNumResults() == 1 && !op->getNumSuccessors() &&
                      isa<RankedTensorType>(op->getResult(0).getType()) &&
                      !isa<RecvOp>(op);
    if (isTensorOp && choices.chooseOnceIn(8))
      op->setAttr(kRecomputeAttrName, mark);
  });
}
