//===- LaunchBlocks.cpp - A block of threads reduces ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::comm;

/// Combines what the threads have; the first one passes it on.
void LaunchBuilder::reduceShared(gpu::LaunchOp launch, ValueRange partial,
                                 function_ref<void(ValueRange)> storeAll) {
  Value thread = launch.getThreadIds().x;
  auto loadShared = [&](Value index) {
    SmallVector<Value> values;
    for (Value memory : launch.getWorkgroupAttributions())
      values.push_back(memref::LoadOp::create(builder, loc, memory, index));
    return values;
  };
  auto storeShared = [&](ValueRange values) {
    for (auto [value, memory] :
         llvm::zip_equal(values, launch.getWorkgroupAttributions()))
      memref::StoreOp::create(builder, loc, value, memory, thread);
  };
  auto onlyBefore = [&](Value end) {
    Value isBefore = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, thread, end);
    auto guarded = scf::IfOp::create(builder, loc, isBefore);
    builder.setInsertionPointToStart(guarded.thenBlock());
  };
  storeShared(partial);
  // Half of the threads, then a quarter, ...: each adds what the other half
  // has.
  int64_t threads = *getConstantIntValue(launch.getBlockSizeX());
  auto loop =
      scf::ForOp::create(builder, loc, constant(1),
                         constant(llvm::Log2_64(threads) + 1), constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  gpu::BarrierOp::create(builder, loc);
  Value half = arith::ShRUIOp::create(builder, loc, constant(threads),
                                      loop.getInductionVar());
  onlyBefore(half);
  Value other = arith::AddIOp::create(builder, loc, thread, half);
  storeShared(combine(loadShared(thread), loadShared(other)));
  builder.setInsertionPointAfter(loop);

  onlyBefore(constant(1));
  storeAll(loadShared(thread));
}

/// A launch of `parts` blocks for each element of the result: with more than
/// one, each writes what it has to `memory`.
gpu::LaunchOp LaunchBuilder::createBlocks(int64_t parts, ValueRange memory) {
  int64_t known = multiplyStatic(staticSizes, reduced);
  int64_t threads = kMostThreads;
  while (!ShapedType::isDynamic(known) && threads > kWarp &&
         threads / 2 >= known)
    threads /= 2;
  SmallVector<Type> shared;
  auto space = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  for (Value init : op.getDpsInits())
    shared.push_back(MemRefType::get({threads}, getElementTypeOrSelf(init),
                                     MemRefLayoutAttrInterface(), space));
  Value total = multiply(reduced);
  Value blocks = multiply(parallel);
  if (parts > 1)
    blocks = arith::MulIOp::create(builder, loc, blocks, constant(parts));
  gpu::LaunchOp launch = this->launch(blocks, threads, shared);
  Value element = launch.getBlockIds().x, first = launch.getThreadIds().x, part;
  if (parts > 1) {
    part = arith::RemUIOp::create(builder, loc, element, constant(parts));
    element = arith::DivUIOp::create(builder, loc, element, constant(parts));
    // Neighbouring blocks read neighbouring memory, as threads do.
    Value before = arith::MulIOp::create(builder, loc, part, constant(threads));
    first = arith::AddIOp::create(builder, loc, before, first);
  }
  split(element, parallel);

  SmallVector<Value> neutral;
  for (Operation *combiner : combiners)
    neutral.push_back(
        arith::ConstantOp::create(builder, loc, *getNeutralElement(combiner)));
  auto loop = scf::ForOp::create(builder, loc, first, total,
                                 constant(parts * threads), neutral);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    split(loop.getInductionVar(), reduced);
    scf::YieldOp::create(builder, loc, runBody(loop.getRegionIterArgs()));
  }
  reduceShared(launch, loop.getResults(), [&](ValueRange values) {
    if (parts == 1)
      return store(combine(loadOutputs(), values));
    SmallVector<Value> at;
    for (unsigned loop : parallel)
      at.push_back(indices[loop]);
    at.push_back(part);
    for (auto [value, buffer] : llvm::zip_equal(values, memory))
      memref::StoreOp::create(builder, loc, value, buffer, at);
  });
  builder.setInsertionPointAfter(launch);
  return launch;
}

int64_t LaunchBuilder::getNumParts() {
  int64_t results = multiplyStatic(staticSizes, parallel);
  int64_t elements = multiplyStatic(staticSizes, reduced);
  if (ShapedType::isDynamic(results) || results > kFewResults)
    return 1;
  // What is not known is large.
  if (ShapedType::isDynamic(elements))
    return kMostParts;
  return elements < kManyParts ? 1
                               : std::min(kMostParts, elements / kMostThreads);
}

/// The op that reduces what the blocks have written: its last loop is theirs.
linalg::GenericOp LaunchBuilder::reduceParts(ValueRange memory) {
  unsigned numLoops = parallel.size() + 1;
  SmallVector<AffineExpr> dims(op.getNumLoops(),
                               builder.getAffineConstantExpr(0));
  for (auto [position, loop] : llvm::enumerate(parallel))
    dims[loop] = builder.getAffineDimExpr(position);
  SmallVector<AffineMap> maps(memory.size(),
                              builder.getMultiDimIdentityMap(numLoops));
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init).replaceDimsAndSymbols(
        dims, {}, numLoops, 0));
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::parallel);
  kinds.back() = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
      builder, loc, memory, op.getDpsInits(), maps, kinds,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(body.getInsertionBlock());
        SmallVector<Value> results =
            combine(arguments.take_back(memory.size()),
                    arguments.take_front(memory.size()));
        linalg::YieldOp::create(builder, loc, results);
      });
}

SmallVector<gpu::LaunchOp>
LaunchBuilder::createBlocksPerElement(int64_t parts) {
  SmallVector<int64_t> shape;
  for (unsigned loop : parallel)
    shape.push_back(staticSizes[loop]);
  shape.push_back(parts);
  SmallVector<Value> memory;
  for (Value init : op.getDpsInits())
    memory.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get(shape, getElementTypeOrSelf(init))));
  SmallVector<gpu::LaunchOp> launches{createBlocks(parts, memory)};
  linalg::GenericOp rest = reduceParts(memory);
  llvm::append_range(launches, createLaunches(builder, rest, initial,
                                              /*mayAllocate=*/false));
  rest->erase();
  for (Value buffer : memory)
    memref::DeallocOp::create(builder, loc, buffer);
  return launches;
}
