//===- LinalgTangents.cpp - Tangents of the structured ops ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgAdjoints.h"
#include "comm/Autodiff/ForwardMode.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::linalg;

/// The op with other operands.
static Value emitLike(OpBuilder &builder, LinalgOp op, ValueRange operands) {
  return mlir::clone(builder, op, op->getResultTypes(), operands)->getResult(0);
}

/// A tensor of the sizes of an operand, with nothing in it.
static Value emitEmptyLike(OpBuilder &builder, LinalgOp op,
                           const Primals &primals, unsigned operand) {
  return tensor::EmptyOp::create(
      builder, op.getLoc(), primals.getOperandSizes(builder, operand),
      getElementTypeOrSelf(op->getOperand(operand).getType()));
}

//===----------------------------------------------------------------------===//
// Contractions and moves
//===----------------------------------------------------------------------===//

// y = c + sum_k a·b  =>  ẏ = ċ + sum_k ȧ·b + sum_k a·ḃ
static Value emitContractionTangent(OpBuilder &builder, LinalgOp op,
                                    const Primals &primals,
                                    ValueRange tangents) {
  Value sum = tangents[2];
  for (unsigned input : {0, 1}) {
    if (!tangents[input])
      continue;
    if (!sum)
      sum = emitFilledWithZero(builder, op.getLoc(),
                               emitEmptyLike(builder, op, primals, 2));
    SmallVector<Value> operands{primals.getOperand(0), primals.getOperand(1),
                                sum};
    operands[input] = tangents[input];
    sum = emitLike(builder, op, operands);
  }
  return sum;
}

/// The input that an op of one result moves as it is (a transpose, a
/// broadcast), if there is one.
static std::optional<unsigned> getMovedInput(LinalgOp op) {
  Block &body = *op.getBlock();
  if (op->getNumResults() != 1 || &body.front() != body.getTerminator())
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(body.getTerminator()->getOperand(0));
  if (!argument || argument.getOwner() != &body ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  return argument.getArgNumber();
}

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

namespace {
/// The tangent of the scalar body of a structured op, emitted into a block of
/// its own: one argument per operand of the op, then one per tangent.
class BodyTangent {
public:
  BodyTangent(OpBuilder &builder, LinalgOp op, const Primals &primals,
              ValueRange tangents)
      : builder(builder), op(op), primals(primals), tangents(tangents),
        rules(op->getNumOperands(), InitRule::Operand) {}

  /// Whether every result that has a tangent is a sum, or is computed once.
  bool classify();
  std::optional<SmallVector<Value>> emit();

private:
  bool emitBody();
  /// The operand, and the tangent or its primal, that an argument stands for.
  unsigned getOperandOf(BlockArgument argument) const {
    unsigned number = argument.getArgNumber();
    return number < op->getNumOperands() ? number
                                         : number - op->getNumOperands();
  }
  bool isTangent(BlockArgument argument) const {
    return argument.getArgNumber() >= op->getNumOperands();
  }
  AffineMap getMap(unsigned operand) const {
    auto structured = const_cast<LinalgOp &>(op);
    return structured.getMatchingIndexingMap(
        &structured->getOpOperand(operand));
  }
  bool isSum(unsigned operand) const { return rules[operand] == InitRule::Sum; }
  void addInput(Value value, unsigned operand);
  void coverLoops(ArrayRef<AffineMap> outMaps);

  OpBuilder &builder;
  LinalgOp op;
  const Primals &primals;
  ValueRange tangents;
  /// Of each operand; inputs are operands of the body.
  SmallVector<InitRule> rules;
  Region region;
  /// The tangents of what is yielded, in the block.
  SmallVector<Value> yielded;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> inputMaps;
};
} // namespace

bool BodyTangent::classify() {
  llvm::BitVector wanted(op->getNumOperands());
  for (auto [operand, tangent] : llvm::enumerate(tangents))
    wanted[operand] = bool(tangent);
  BodyAdjoint adjoint(op, wanted);
  for (int64_t output = 0; output < op.getNumDpsInits(); ++output)
    rules[op.getDpsInitOperand(output)->getOperandNumber()] =
        adjoint.getInitRule(output);
  return llvm::none_of(
      rules, [](InitRule rule) { return rule == InitRule::Extremum; });
}

bool BodyTangent::emitBody() {
  Block &body = *op.getBlock();
  Block &block = region.emplaceBlock();
  OpBuilder nested(op.getContext());
  nested.setInsertionPointToEnd(&block);
  SmallVector<Value> sources;
  for (BlockArgument argument : body.getArguments())
    block.addArgument(argument.getType(), argument.getLoc());
  for (BlockArgument argument : body.getArguments()) {
    block.addArgument(argument.getType(), argument.getLoc());
    unsigned operand = argument.getArgNumber();
    if (tangents[operand] || isSum(operand))
      sources.push_back(argument);
  }
  ValueRange results = body.getTerminator()->getOperands();
  ActivityAnalysis activity(body, sources, results);
  ForwardMode forward(nested, activity, /*functions=*/nullptr);
  for (BlockArgument argument : body.getArguments())
    forward.setPrimal(argument, block.getArgument(argument.getArgNumber()));
  for (Value source : sources)
    forward.setTangent(
        source, block.getArgument(cast<BlockArgument>(source).getArgNumber() +
                                  op->getNumOperands()));
  if (failed(forward.emitBody(body)))
    return false;
  for (Value result : results)
    yielded.push_back(forward.getTangent(result));
  return true;
}

void BodyTangent::addInput(Value value, unsigned operand) {
  inputs.push_back(value);
  inputMaps.push_back(getMap(operand));
}

/// Adds an operand that is not read for each loop that nothing else gives its
/// extent.
void BodyTangent::coverLoops(ArrayRef<AffineMap> outMaps) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    AffineExpr dim = builder.getAffineDimExpr(loop);
    auto covers = [&](AffineMap map) {
      return map.getResultPosition(dim).has_value();
    };
    if (llvm::any_of(inputMaps, covers) || llvm::any_of(outMaps, covers))
      continue;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      if (covers(getMap(operand))) {
        addInput(primals.getOperand(operand), operand);
        break;
      }
  }
}

std::optional<SmallVector<Value>> BodyTangent::emit() {
  if (!emitBody())
    return std::nullopt;
  Block &block = region.front();
  SmallVector<Value> results(op->getNumResults());
  SmallVector<unsigned> emitted;
  SetVector<BlockArgument> reads;
  for (auto [output, value] : llvm::enumerate(yielded)) {
    unsigned init = op.getDpsInitOperand(output)->getOperandNumber();
    if (!value)
      continue;
    // Nothing is added to the init.
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && isTangent(argument) && getOperandOf(argument) == init) {
      results[output] = tangents[init];
      continue;
    }
    emitted.push_back(output);
    reads.insert_range(getReads(block, value));
  }
  if (emitted.empty())
    return results;

  SmallVector<Value> outs;
  SmallVector<AffineMap> outMaps;
  SmallVector<BlockArgument> arguments;
  for (BlockArgument read : reads) {
    unsigned operand = getOperandOf(read);
    if (isSum(operand))
      continue;
    addInput(isTangent(read) ? tangents[operand] : primals.getOperand(operand),
             operand);
    arguments.push_back(read);
  }
  for (unsigned output : emitted) {
    unsigned init = op.getDpsInitOperand(output)->getOperandNumber();
    Value out = isSum(init) ? tangents[init] : Value();
    if (!out) {
      out = emitEmptyLike(builder, op, primals, init);
      if (isSum(init))
        out = emitFilledWithZero(builder, op.getLoc(), out);
    }
    outs.push_back(out);
    outMaps.push_back(getMap(init));
  }
  coverLoops(outMaps);
  SmallVector<AffineMap> maps(inputMaps);
  llvm::append_range(maps, outMaps);
  auto emitRegion = [&](OpBuilder &nested, Location loc, ValueRange values) {
    IRMapping mapping;
    for (auto [argument, value] : llvm::zip_first(arguments, values))
      mapping.map(argument, value);
    ValueRange running = values.drop_front(inputs.size());
    for (auto [output, value] : llvm::zip_equal(emitted, running)) {
      unsigned init = op.getDpsInitOperand(output)->getOperandNumber();
      if (isSum(init))
        mapping.map(block.getArgument(op->getNumOperands() + init), value);
    }
    SmallVector<Value> results;
    for (unsigned output : emitted)
      results.push_back(cloneOutOf(block, nested, yielded[output], mapping));
    YieldOp::create(nested, loc, results);
  };
  auto generic = GenericOp::create(
      builder, op.getLoc(), ValueRange(outs).getTypes(), inputs, outs, maps,
      op.getIteratorTypesArray(), emitRegion);
  for (auto [output, value] : llvm::zip_equal(emitted, generic.getResults()))
    results[output] = value;
  return results;
}

std::optional<SmallVector<Value>>
comm::emitStructuredTangent(OpBuilder &builder, LinalgOp op,
                            const Primals &primals, ValueRange tangents) {
  if (isContraction(op))
    return SmallVector<Value>{
        emitContractionTangent(builder, op, primals, tangents)};
  if (std::optional<unsigned> input = getMovedInput(op)) {
    // ẏ = ẋ, moved
    SmallVector<Value> operands;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand)
      operands.push_back(primals.getOperand(operand));
    if (!tangents[*input])
      return SmallVector<Value>{Value()};
    operands[*input] = tangents[*input];
    return SmallVector<Value>{emitLike(builder, op, operands)};
  }
  BodyTangent body(builder, op, primals, tangents);
  if (!body.classify())
    return std::nullopt;
  return body.emit();
}
