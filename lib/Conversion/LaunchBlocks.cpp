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

/// Combines what the threads have, and stores it with what was there.
void LaunchBuilder::reduceShared(gpu::LaunchOp launch, ValueRange partial) {
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
  store(combine(loadOutputs(), loadShared(thread)));
}

gpu::LaunchOp LaunchBuilder::createBlockPerElement() {
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
  gpu::LaunchOp launch = this->launch(multiply(parallel), threads, shared);
  split(launch.getBlockIds().x, parallel);

  SmallVector<Value> neutral;
  for (Operation *combiner : combiners)
    neutral.push_back(arith::ConstantOp::create(
        builder, loc, *arith::getNeutralElement(combiner)));
  auto loop = scf::ForOp::create(builder, loc, launch.getThreadIds().x, total,
                                 constant(threads), neutral);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    split(loop.getInductionVar(), reduced);
    scf::YieldOp::create(builder, loc, runBody(loop.getRegionIterArgs()));
  }
  reduceShared(launch, loop.getResults());
  return launch;
}
