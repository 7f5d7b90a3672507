//===- EvaluateLinalg.cpp - Structured ops --------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), loops);
  int64_t rhs = evaluate(binary.getRHS(), loops);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return lhs % rhs;
  default:
    return lhs / rhs;
  }
}

/// The values of a body, where an argument holds one number for each point.
Values Evaluator::runBody(Block &body, Values arguments) {
  // A point has no shape of its own, so values are set without a look at types.
  auto observed = std::move(observer);
  observer = nullptr;
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    values[argument] = std::make_shared<WorldTensor>(std::move(value));
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      const std::vector<int64_t> &points = loopIndices[index.getDim()];
      WorldTensor y = makeIndex({static_cast<int64_t>(points.size())});
      for (int64_t k = 0; k < y.getCount(); ++k)
        y.integers[k] = points[k % y.size];
      values[index] = std::make_shared<WorldTensor>(std::move(y));
      continue;
    }
    run(&op);
  }
  Values results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(get(value));
  observer = std::move(observed);
  return results;
}

/// The value e where the body yields the maximum or minimum of its accumulator
/// `init` and e.
static Value getExtremumOperand(Value yielded, Value init) {
  Operation *op = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                       arith::MinNumFOp>(op) ||
      !init.hasOneUse())
    return {};
  if (op->getOperand(0) == init)
    return op->getOperand(1);
  return op->getOperand(1) == init ? op->getOperand(0) : Value();
}

static std::vector<int64_t> inWorld(const World &world, const WorldTensor &x,
                                    ArrayRef<int64_t> positions) {
  std::vector<int64_t> source;
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    for (int64_t position : positions)
      source.push_back(rank * x.size + position);
  return source;
}

static std::vector<int64_t> pick(ArrayRef<int64_t> from,
                                 ArrayRef<int64_t> points) {
  std::vector<int64_t> picked;
  for (int64_t point : points)
    picked.push_back(from[point]);
  return picked;
}

/// An extremum is shared between all that attain it, the init included, and not
/// by pairs. False where an output is none.
bool Evaluator::runExtrema(linalg::LinalgOp op,
                           ArrayRef<std::vector<int64_t>> positions,
                           const Values &operands) {
  Block &body = *op.getBlock();
  int64_t inputs = op.getNumDpsInputs();
  SmallVector<Value> extrema;
  for (int64_t output = 0; output < op.getNumDpsInits(); ++output) {
    extrema.push_back(
        getExtremumOperand(body.getTerminator()->getOperand(output),
                           body.getArgument(inputs + output)));
    if (!extrema.back())
      return false;
  }
  Values arguments;
  for (auto [operand, at] : llvm::zip(operands, positions))
    arguments.push_back(gather(operand, {static_cast<int64_t>(at.size())},
                               inWorld(world, operand, at)));
  runBody(body, std::move(arguments));
  for (auto [output, extremum] : llvm::enumerate(extrema)) {
    const WorldTensor &e = get(extremum), &init = operands[inputs + output];
    ArrayRef<int64_t> at = positions[inputs + output];
    WorldTensor y = init;
    bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(
        body.getTerminator()->getOperand(output).getDefiningOp());
    for (int64_t rank = 0; rank < world.ranks; ++rank)
      for (int64_t i = 0; i < y.size; ++i) {
        SmallVector<Candidate> candidates{{&init, rank * init.size + i}};
        for (auto [point, target] : llvm::enumerate(at))
          if (target == i)
            candidates.push_back(
                {&e, e.size == 1 ? rank : rank * e.size + int64_t(point)});
        setExtremum(y, rank * y.size + i, isMaximum, candidates);
      }
    set(op->getResult(output), std::move(y));
  }
  return true;
}

void Evaluator::runStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return fail(op, "the reference knows structured ops on tensors only");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));

  SmallVector<int64_t> extents(op.getNumLoops(), -1);
  for (auto [map, operand] : llvm::zip(maps, operands))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        int64_t &extent = extents[loop.getPosition()];
        if (extent >= 0 && extent != operand.shape[dim])
          return fail(op, "the shapes of a structured op do not fit");
        extent = operand.shape[dim];
      }
  if (llvm::is_contained(extents, -1))
    return fail(op, "the reference does not know the extent of a loop");

  // Where each operand is read or written at each point of the loops.
  int64_t count = oracle::getSize(extents);
  std::vector<std::vector<int64_t>> positions(operands.size());
  std::vector<std::vector<int64_t>> indices(extents.size());
  /// Points by their place in the reduction loops.
  std::map<std::vector<int64_t>, std::vector<int64_t>> batches;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (int64_t point = 0; point < count; ++point) {
    SmallVector<int64_t, 4> loops = getIndices(extents, point);
    for (auto [number, map] : llvm::enumerate(maps)) {
      SmallVector<int64_t, 4> at;
      for (AffineExpr expr : map.getResults())
        at.push_back(evaluate(expr, loops));
      positions[number].push_back(getPosition(operands[number].shape, at));
    }
    std::vector<int64_t> key;
    for (auto [loop, iterator] : llvm::enumerate(iterators)) {
      indices[loop].push_back(loops[loop]);
      if (iterator == utils::IteratorType::reduction)
        key.push_back(loops[loop]);
    }
    batches[key].push_back(point);
  }

  auto outer = std::move(loopIndices);
  loopIndices.assign(indices.begin(), indices.end());
  bool hasReduction =
      llvm::is_contained(iterators, utils::IteratorType::reduction);
  if (!hasReduction || !runExtrema(op, positions, operands)) {
    int64_t inputs = op.getNumDpsInputs();
    Values outputs(operands.begin() + inputs, operands.end());
    for (auto &[key, points] : batches) {
      Values arguments;
      for (auto [number, at] : llvm::enumerate(positions)) {
        const WorldTensor &x = static_cast<int64_t>(number) < inputs
                                   ? operands[number]
                                   : outputs[number - inputs];
        arguments.push_back(gather(x, {static_cast<int64_t>(points.size())},
                                   inWorld(world, x, pick(at, points))));
      }
      for (auto [loop, index] : llvm::enumerate(indices))
        loopIndices[loop] = pick(index, points);
      Values results = runBody(*op.getBlock(), std::move(arguments));
      for (auto [output, result] : llvm::enumerate(results)) {
        WorldTensor &y = outputs[output];
        std::vector<int64_t> target =
            inWorld(world, y, pick(positions[inputs + output], points));
        for (auto [k, at] : llvm::enumerate(target))
          y.copy(at, result, result.size == 1 ? k / points.size() : k);
      }
    }
    for (auto [result, value] : llvm::zip(op->getResults(), outputs))
      set(result, std::move(value));
  }
  loopIndices = std::move(outer);
}
