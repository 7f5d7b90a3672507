//===- LinalgLoops.cpp - The loops of a structured op's adjoint -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// y[p(i)] = f(x[m(i)], ...) over loops i  =>  x̄[m(i)] += f̄(x[m(i)], ...,
// ȳ[p(i)]) over the same loops: those that m lacks become reductions.

#include "LinalgLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::linalg;

//===----------------------------------------------------------------------===//
// Where sizes come from
//===----------------------------------------------------------------------===//

/// The dimension that a loop indexes alone.
static std::optional<unsigned> getDim(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

/// With several results some cotangents may turn out to be zero, and what reads
/// them is not there: sizes then come from the operands alone.
static bool hasOneCotangent(LinalgOp op) {
  return llvm::count_if(op->getResultTypes(), isDifferentiable) == 1;
}

/// An operand of the op that has a dimension indexed by the loop alone, and
/// that dimension. Structured ops have one for each loop.
static std::pair<unsigned, unsigned> getOwner(LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<unsigned> dim =
            getDim(op.getMatchingIndexingMap(&operand), loop))
      return {operand.getOperandNumber(), *dim};
  llvm_unreachable("a loop of a structured op has no extent");
}

static AffineMap getMap(LinalgOp op, unsigned operand) {
  return op.getMatchingIndexingMap(&op->getOpOperand(operand));
}

static bool isCovered(const BodyAdjoint &body, ArrayRef<BlockArgument> reads,
                      unsigned loop) {
  return llvm::any_of(reads, [&](BlockArgument argument) {
    return getDim(body.getMap(argument), loop).has_value();
  });
}

static void addReads(const BodyAdjoint &body, ArrayRef<BlockArgument> reads,
                     SmallVectorImpl<Residual> &residuals) {
  for (BlockArgument argument : reads) {
    if (body.isSeed(argument))
      continue;
    unsigned index = body.getIndex(argument);
    residuals.push_back(body.isOperand(argument) ? Residual::operand(index)
                                                 : Residual::result(index));
  }
}

/// The sizes for loops that neither what is read nor `result` covers.
static void addUncovered(LinalgOp op, const BodyAdjoint &body,
                         ArrayRef<BlockArgument> reads, AffineMap result,
                         SmallVectorImpl<Residual> &residuals) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!hasOneCotangent(op) ||
        (!isCovered(body, reads, loop) && !getDim(result, loop)))
      residuals.push_back(Residual::operandSizes(getOwner(op, loop).first));
}

void AdjointLoops::getResiduals(LinalgOp op, const BodyAdjoint &body,
                                unsigned operand,
                                SmallVectorImpl<Residual> &residuals) {
  SetVector<BlockArgument> reads = body.getReads(body.getCotangent(operand));
  AffineMap map = getMap(op, operand);
  addReads(body, reads.getArrayRef(), residuals);
  addUncovered(op, body, reads.getArrayRef(), map, residuals);
  auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  for (unsigned dim = 0; type && dim < type.getRank(); ++dim) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (type.isDynamicDim(dim) &&
        (!loop || !hasOneCotangent(op) ||
         !isCovered(body, reads.getArrayRef(), loop.getPosition()))) {
      residuals.push_back(Residual::operandSizes(operand));
      return;
    }
  }
}

void AdjointLoops::getExtremumResiduals(LinalgOp op, const BodyAdjoint &body,
                                        unsigned output,
                                        SmallVectorImpl<Residual> &residuals) {
  OpOperand *init = op.getDpsInitOperand(output);
  residuals.push_back(Residual::operand(init->getOperandNumber()));
  residuals.push_back(Residual::result(output));
  SetVector<BlockArgument> reads = body.getReads(body.getAttained(output));
  addReads(body, reads.getArrayRef(), residuals);
  addUncovered(op, body, reads.getArrayRef(), op.getMatchingIndexingMap(init),
               residuals);
}

Value AdjointLoops::getTensor(BlockArgument argument) const {
  unsigned index = body.getIndex(argument);
  if (body.isSeed(argument))
    return seeds[index];
  return body.isOperand(argument) ? primals.getOperand(index)
                                  : primals.getResult(index);
}

OpFoldResult AdjointLoops::getExtent(unsigned loop,
                                     ArrayRef<BlockArgument> reads) {
  if (hasOneCotangent(op))
    for (BlockArgument argument : reads)
      if (std::optional<unsigned> dim = getDim(body.getMap(argument), loop))
        return tensor::getMixedSize(builder, op.getLoc(), getTensor(argument),
                                    *dim);
  auto [operand, dim] = getOwner(op, loop);
  return primals.getOperandSizes(builder, operand)[dim];
}

SmallVector<OpFoldResult>
AdjointLoops::getSizes(unsigned operand, ArrayRef<BlockArgument> reads) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; type && dim < type.getRank(); ++dim) {
    auto loop = dyn_cast<AffineDimExpr>(getMap(op, operand).getResult(dim));
    if (!type.isDynamicDim(dim))
      sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
    else if (loop && hasOneCotangent(op) &&
             isCovered(body, reads, loop.getPosition()))
      sizes.push_back(getExtent(loop.getPosition(), reads));
    else
      sizes.push_back(primals.getOperandSizes(builder, operand)[dim]);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// One linalg.generic
//===----------------------------------------------------------------------===//

SmallVector<Value> AdjointLoops::emitGeneric(ArrayRef<Value> values,
                                             ArrayRef<AffineMap> maps,
                                             ValueRange outs, bool accumulate) {
  Location loc = op.getLoc();
  SetVector<BlockArgument> reads;
  for (Value value : values)
    reads.insert_range(body.getReads(value));
  SmallVector<Value> inputs;
  SmallVector<AffineMap> allMaps;
  for (BlockArgument argument : reads) {
    inputs.push_back(getTensor(argument));
    allMaps.push_back(body.getMap(argument));
  }
  SmallVector<utils::IteratorType> iterators;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    bool isParallel = getDim(maps[0], loop).has_value();
    iterators.push_back(isParallel ? utils::IteratorType::parallel
                                   : utils::IteratorType::reduction);
    if (isParallel || isCovered(body, reads.getArrayRef(), loop))
      continue;
    // An operand that is not read gives the loop its extent.
    inputs.push_back(tensor::EmptyOp::create(
        builder, loc, {getExtent(loop, reads.getArrayRef())},
        getElementTypeOrSelf(outs[0].getType())));
    allMaps.push_back(
        AffineMap::get(op.getNumLoops(), 0, builder.getAffineDimExpr(loop)));
  }
  allMaps.append(maps.begin(), maps.end());
  auto emitBody = [&](OpBuilder &nested, Location, ValueRange arguments) {
    IRMapping mapping;
    for (auto [read, argument] : llvm::zip_first(reads, arguments))
      mapping.map(read, argument);
    SmallVector<Value> yielded;
    for (auto [value, out] :
         llvm::zip(values, arguments.take_back(values.size()))) {
      Value result = body.clone(nested, value, mapping);
      yielded.push_back(accumulate
                            ? arith::AddFOp::create(nested, loc, out, result)
                            : result);
    }
    YieldOp::create(nested, loc, yielded);
  };
  return GenericOp::create(builder, loc, outs.getTypes(), inputs, outs, allMaps,
                           iterators, emitBody)
      .getResults();
}

//===----------------------------------------------------------------------===//
// Cotangents of operands
//===----------------------------------------------------------------------===//

/// Positions in `map` of the loops that `other` lacks, where `other` is `map`
/// without them.
static std::optional<SmallVector<int64_t>> getDropped(AffineMap map,
                                                      AffineMap other) {
  SmallVector<int64_t> dropped;
  unsigned kept = 0;
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    if (kept < other.getNumResults() && other.getResult(kept) == result)
      ++kept;
    else
      dropped.push_back(position);
  }
  if (kept != other.getNumResults())
    return std::nullopt;
  return dropped;
}

Value AdjointLoops::emitMoved(unsigned operand, Value cotangent,
                              AffineMap from) {
  Location loc = op.getLoc();
  AffineMap to = getMap(op, operand);
  if (from == to && from.isPermutation())
    return cotangent;

  // The named ops want equal types: each size is that of what is moved, if it
  // has it.
  auto emitEmpty = [&]() -> Value {
    SetVector<BlockArgument> reads = body.getReads(body.getCotangent(operand));
    SmallVector<OpFoldResult> sizes = getSizes(operand, reads.getArrayRef());
    for (auto [size, loop] : llvm::zip(sizes, to.getResults()))
      if (std::optional<unsigned> dim = from.getResultPosition(loop))
        size = tensor::getMixedSize(builder, loc, cotangent, *dim);
    return tensor::EmptyOp::create(builder, loc, sizes,
                                   getElementTypeOrSelf(cotangent.getType()));
  };
  if (from.isPermutation() && to.isPermutation()) {
    SmallVector<int64_t> permutation;
    for (AffineExpr result : to.getResults())
      permutation.push_back(*from.getResultPosition(result));
    return TransposeOp::create(builder, loc, cotangent, emitEmpty(),
                               permutation)
        ->getResult(0);
  }
  if (to.isPermutation() && from.isProjectedPermutation())
    if (auto added = getDropped(to, from))
      return BroadcastOp::create(builder, loc, cotangent, emitEmpty(), *added)
          ->getResult(0);
  if (from.isPermutation() && to.isProjectedPermutation())
    if (auto summed = getDropped(from, to)) {
      Value zeros = emitFilledWithZero(builder, loc, emitEmpty());
      return ReduceOp::create(
                 builder, loc, cotangent, zeros, *summed,
                 [](OpBuilder &nested, Location loc, ValueRange arguments) {
                   Value sum = arith::AddFOp::create(nested, loc, arguments[1],
                                                     arguments[0]);
                   YieldOp::create(nested, loc, sum);
                 })
          ->getResult(0);
    }
  return {};
}

SmallVector<Value> AdjointLoops::emitGroup(ArrayRef<unsigned> operands) {
  bool accumulate = !getMap(op, operands[0]).isPermutation();
  SetVector<BlockArgument> reads;
  for (unsigned operand : operands)
    reads.insert_range(body.getReads(body.getCotangent(operand)));
  SmallVector<Value> values, outs;
  SmallVector<AffineMap> maps;
  for (unsigned operand : operands) {
    values.push_back(body.getCotangent(operand));
    maps.push_back(getMap(op, operand));
    Value empty = tensor::EmptyOp::create(
        builder, op.getLoc(), getSizes(operand, reads.getArrayRef()),
        getElementTypeOrSelf(op->getOperand(operand).getType()));
    outs.push_back(accumulate ? emitFilledWithZero(builder, op.getLoc(), empty)
                              : empty);
  }
  return emitGeneric(values, maps, outs, accumulate);
}

void AdjointLoops::emit(ArrayRef<unsigned> operands,
                        MutableArrayRef<Value> results) {
  // One generic for all operands whose cotangents sum over the same loops.
  using Key = std::pair<SmallVector<bool>, bool>;
  llvm::MapVector<Key, SmallVector<unsigned>, std::map<Key, unsigned>> groups;
  // What has been computed at every point, by its value in the body.
  llvm::DenseMap<Value, std::pair<Value, AffineMap>> known;
  llvm::DenseSet<Value> pointwise;
  SmallVector<unsigned> repeated;
  auto emitKnown = [&](unsigned operand) {
    auto found = known.find(body.getCotangent(operand));
    if (found != known.end())
      results[operand] =
          emitMoved(operand, found->second.first, found->second.second);
    return bool(results[operand]);
  };
  for (unsigned operand : operands) {
    Value value = body.getCotangent(operand);
    auto seed = dyn_cast<BlockArgument>(value);
    if (seed && body.isSeed(seed))
      known[value] = {getTensor(seed), body.getMap(seed)};
    if (emitKnown(operand))
      continue;
    AffineMap map = getMap(op, operand);
    if (map.isPermutation() && !pointwise.insert(value).second) {
      repeated.push_back(operand);
      continue;
    }
    SmallVector<bool> parallel;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      parallel.push_back(getDim(map, loop).has_value());
    groups[{parallel, map.isPermutation()}].push_back(operand);
  }
  for (bool isPointwise : {true, false}) {
    for (auto &[key, group] : groups) {
      if (key.second != isPointwise)
        continue;
      llvm::erase_if(group, emitKnown);
      if (group.empty())
        continue;
      for (auto [operand, result] : llvm::zip(group, emitGroup(group))) {
        results[operand] = result;
        if (isPointwise)
          known[body.getCotangent(operand)] = {result, getMap(op, operand)};
      }
    }
  }
  llvm::for_each(repeated, emitKnown);
  for (unsigned operand : operands) {
    Type type = op->getOperand(operand).getType();
    Value &result = results[operand];
    if (!isa<RankedTensorType>(type))
      result =
          tensor::ExtractOp::create(builder, op.getLoc(), result, ValueRange());
    else if (result.getType() != type)
      result = tensor::CastOp::create(builder, op.getLoc(), type, result);
  }
}

Value AdjointLoops::emitExtremumSeed(unsigned output) {
  Location loc = op.getLoc();
  OpOperand *operand = op.getDpsInitOperand(output);
  Value init = primals.getOperand(operand->getOperandNumber());
  Value result = primals.getResult(output);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, result);
  Value isAttained = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, init, result);
  Value attained = arith::SelectOp::create(
      builder, loc, isAttained,
      emitConstant(builder, loc, init.getType(), 1.0, sizes),
      emitConstant(builder, loc, init.getType(), 0.0, sizes));
  Value ties = emitGeneric(body.getAttained(output),
                           op.getMatchingIndexingMap(operand), attained,
                           /*accumulate=*/true)[0];
  seeds[output] = arith::DivFOp::create(builder, loc, seeds[output], ties);
  return arith::MulFOp::create(builder, loc, seeds[output], attained);
}
