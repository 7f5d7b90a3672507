//===- LaunchLoops.cpp - The loops of an op as threads --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::comm;
using linalg::GenericOp;

/// From so many elements on, a thread computes several.
static constexpr int64_t kManyElements = 1 << 20;
static constexpr int64_t kElementsPerThread = 4;
/// What is reduced by a block has at least so many elements where they are
/// neighbours in memory, and where they are not.
static constexpr int64_t kFewReduced = 64, kManyReduced = 1024;
/// So many results keep the device busy by a thread for each.
static constexpr int64_t kManyResults = 4096;

LaunchBuilder::LaunchBuilder(OpBuilder &builder, GenericOp op,
                             ArrayRef<Value> initial)
    : builder(builder), op(op), initial(initial), loc(op.getLoc()),
      staticSizes(op.getStaticLoopRanges()), indices(op.getNumLoops()) {
  auto loops = cast<linalg::LinalgOp>(op.getOperation());
  for (const Range &range : loops.createLoopRanges(builder, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
  op.getParallelDims(parallel);
  op.getReductionDims(reduced);
}

int64_t comm::multiplyStatic(ArrayRef<int64_t> sizes,
                             ArrayRef<unsigned> loops) {
  int64_t product = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(sizes[loop]))
      return ShapedType::kDynamic;
    product *= sizes[loop];
  }
  return product;
}

Value LaunchBuilder::multiply(ArrayRef<unsigned> loops) {
  int64_t known = multiplyStatic(staticSizes, loops);
  if (!ShapedType::isDynamic(known))
    return constant(known);
  Value product;
  for (unsigned loop : loops)
    product = product
                  ? arith::MulIOp::create(builder, loc, product, sizes[loop])
                  : sizes[loop];
  return product;
}

std::optional<TypedAttr> comm::getNeutralElement(Operation *combiner) {
  if (!combiner->getResult(0).getType().isIndex())
    return arith::getNeutralElement(combiner);
  // Upstream's asks the type for its width, which an index has not.
  Operation *ofNumbers = combiner->clone();
  ofNumbers->getResult(0).setType(IntegerType::get(combiner->getContext(), 64));
  std::optional<TypedAttr> neutral = arith::getNeutralElement(ofNumbers);
  ofNumbers->destroy();
  if (!neutral)
    return std::nullopt;
  return IntegerAttr::get(IndexType::get(combiner->getContext()),
                          cast<IntegerAttr>(*neutral).getValue());
}

/// Finds them for all results, or none.
bool LaunchBuilder::findCombiners() {
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    SmallVector<Operation *> found;
    if (!matchReduction(op.getRegionOutputArgs(), i, found) ||
        found.size() != 1 || found[0]->getNumOperands() != 2 ||
        !getNeutralElement(found[0]))
      return false;
    combiners.push_back(found[0]);
  }
  return true;
}

/// Whether what lies side by side in memory is reduced together.
bool LaunchBuilder::reducesNeighbours() {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() != 0 &&
           llvm::any_of(reduced, [&](unsigned loop) {
             return map.getResults().back().isFunctionOfDim(loop);
           });
  });
}

bool LaunchBuilder::shouldReduceByBlock() {
  if (reduced.empty() || !findCombiners())
    return false;
  int64_t elements = multiplyStatic(staticSizes, reduced);
  int64_t results = multiplyStatic(staticSizes, parallel);
  // What is not known is large.
  auto isAtLeast = [](int64_t size, int64_t least) {
    return ShapedType::isDynamic(size) || size >= least;
  };
  if (reducesNeighbours())
    return isAtLeast(elements, kFewReduced);
  return !ShapedType::isDynamic(results) && results < kManyResults &&
         isAtLeast(elements, kManyReduced);
}

gpu::LaunchOp LaunchBuilder::launch(Value blocks, int64_t threads,
                                    TypeRange shared) {
  Value one = constant(1);
  auto launch = gpu::LaunchOp::create(
      builder, loc, blocks, one, one, constant(threads), one, one,
      /*dynamicSharedMemorySize=*/Value(), /*asyncTokenType=*/Type(),
      /*asyncDependencies=*/ValueRange(), shared);
  builder.setInsertionPointToEnd(&launch.getBody().front());
  gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return launch;
}

//===----------------------------------------------------------------------===//
// One iteration
//===----------------------------------------------------------------------===//

/// Sets the indices of `loops` to those of iteration `linear` of them, the last
/// of which varies fastest.
void LaunchBuilder::split(Value linear, ArrayRef<unsigned> loops) {
  // Divisions of 32 bits take a fraction of the time.
  int64_t known = multiplyStatic(staticSizes, loops);
  bool isNarrow = !ShapedType::isDynamic(known) && known <= INT32_MAX;
  Type type = isNarrow ? Type(builder.getI32Type()) : builder.getIndexType();
  auto cast = [&](Value value, Type to) {
    return value.getType() == to
               ? value
               : arith::IndexCastUIOp::create(builder, loc, to, value)
                     .getResult();
  };
  Value rest = cast(linear, type);
  for (auto [position, loop] : llvm::enumerate(llvm::reverse(loops))) {
    Value index = rest;
    if (position + 1 != loops.size()) {
      Value size = cast(sizes[loop], type);
      index = arith::RemUIOp::create(builder, loc, rest, size);
      rest = arith::DivUIOp::create(builder, loc, rest, size);
    }
    indices[loop] = cast(index, builder.getIndexType());
  }
}

SmallVector<Value> LaunchBuilder::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(indices[dim.getPosition()]);
    else
      result.push_back(affine::AffineApplyOp::create(
          builder, loc, AffineMap::get(map.getNumDims(), 0, expr), indices));
  }
  return result;
}

Value LaunchBuilder::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(builder, loc, operand.get(),
                                getIndices(operand));
}

void LaunchBuilder::store(ValueRange values) {
  for (auto [value, init] : llvm::zip_equal(values, op.getDpsInitsMutable()))
    memref::StoreOp::create(builder, loc, value, init.get(), getIndices(init));
}

/// What the results were before; none where the op does not read it.
SmallVector<Value> LaunchBuilder::loadOutputs() {
  SmallVector<Value> values;
  for (auto [init, number] :
       llvm::zip_equal(op.getDpsInitsMutable(), initial)) {
    bool isRead = !reduced.empty() || op.payloadUsesValueFromOperand(&init);
    values.push_back(!isRead ? Value() : number ? number : load(init));
  }
  return values;
}

/// What the op yields in this iteration; `outputs` is what the results were.
SmallVector<Value> LaunchBuilder::runBody(ValueRange outputs) {
  IRMapping mapping;
  Block &body = *op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      mapping.map(op.getMatchingBlockArgument(input), load(*input));
  for (auto [argument, value] :
       llvm::zip_equal(op.getRegionOutputArgs(), outputs))
    if (value)
      mapping.map(argument, value);
  for (Operation &inner : body.without_terminator()) {
    Operation *copy = builder.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) {
      index.replaceAllUsesWith(indices[index.getDim()]);
      if (index.getOperation() != copy)
        index->erase();
    });
    if (auto index = dyn_cast<linalg::IndexOp>(copy)) {
      mapping.map(inner.getResult(0), indices[index.getDim()]);
      copy->erase();
    }
  }
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> LaunchBuilder::combine(ValueRange a, ValueRange b) {
  SmallVector<Value> results;
  for (auto [left, right, combiner] : llvm::zip_equal(a, b, combiners)) {
    IRMapping mapping;
    mapping.map(combiner->getOperand(0), left);
    mapping.map(combiner->getOperand(1), right);
    results.push_back(builder.clone(*combiner, mapping)->getResult(0));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// A thread for each element
//===----------------------------------------------------------------------===//

/// Loops over the reduced dimensions from `position` on.
SmallVector<Value> LaunchBuilder::reduce(unsigned position,
                                         ValueRange outputs) {
  if (position == reduced.size())
    return runBody(outputs);
  Value zero = constant(0), one = constant(1);
  auto loop = scf::ForOp::create(builder, loc, zero, sizes[reduced[position]],
                                 one, outputs);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  indices[reduced[position]] = loop.getInductionVar();
  SmallVector<Value> results = reduce(position + 1, loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, results);
  return loop.getResults();
}

/// Computes the element `linear` if it is before `end`.
void LaunchBuilder::computeElement(Value linear, Value end) {
  OpBuilder::InsertionGuard guard(builder);
  Value isElement = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, linear, end);
  auto guarded = scf::IfOp::create(builder, loc, isElement);
  builder.setInsertionPointToStart(guarded.thenBlock());
  split(linear, parallel);
  store(reduce(0, loadOutputs()));
}

gpu::LaunchOp LaunchBuilder::createThreadPerElement() {
  int64_t known = multiplyStatic(staticSizes, parallel);
  bool isKnown = !ShapedType::isDynamic(known);
  int64_t threads = isKnown && known < kMostThreads
                        ? llvm::alignTo(std::max<int64_t>(known, 1), kWarp)
                        : kMostThreads;
  int64_t perThread = isKnown && known >= kManyElements && reduced.empty()
                          ? kElementsPerThread
                          : 1;
  Value total = multiply(parallel);
  Value perBlock = constant(threads * perThread);
  Value blocks = isKnown
                     ? constant(llvm::divideCeil(known, threads * perThread))
                     : arith::CeilDivUIOp::create(builder, loc, total, perBlock)
                           .getResult();
  gpu::LaunchOp launch = this->launch(blocks, threads, {});
  Value first = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, launch.getBlockIds().x, perBlock),
      launch.getThreadIds().x);
  // Neighbouring threads read neighbouring elements.
  for (int64_t i = 0; i < perThread; ++i) {
    Value linear = i == 0 ? first
                          : arith::AddIOp::create(builder, loc, first,
                                                  constant(i * threads))
                                .getResult();
    computeElement(linear, total);
  }
  builder.setInsertionPointAfter(launch);
  return launch;
}

SmallVector<gpu::LaunchOp> LaunchBuilder::create(bool mayAllocate) {
  if (llvm::is_contained(staticSizes, 0) &&
      multiplyStatic(staticSizes, parallel) == 0)
    return {};
  if (!shouldReduceByBlock())
    return {createThreadPerElement()};
  int64_t parts = mayAllocate ? getNumParts() : 1;
  if (parts == 1)
    return {createBlocks(parts, /*memory=*/{})};
  return createBlocksPerElement(parts);
}

SmallVector<gpu::LaunchOp> comm::createLaunches(OpBuilder &builder,
                                                GenericOp op,
                                                ArrayRef<Value> initial,
                                                bool mayAllocate) {
  return LaunchBuilder(builder, op, initial).create(mayAllocate);
}
