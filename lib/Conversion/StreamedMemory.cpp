//===- StreamedMemory.cpp - What is written past the caches ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedMemory.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::comm;

/// The bytes from which on memory is written past the caches: docs/Runtime.md,
/// "Machine code", has the reason.
static constexpr int64_t minStreamedBytes = 16 << 20;

/// Whether the memory is known to have so many bytes. An i1 takes one.
static bool isLarge(Value memory) {
  auto type = dyn_cast<MemRefType>(memory.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat())
    return false;
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return type.getNumElements() >= minStreamedBytes / bytes;
}

/// The store that is all that is done to this memory, or to the same elements
/// as another shape.
static memref::StoreOp getOnlyStore(Value memory) {
  while (memory.hasOneUse()) {
    OpOperand &use = *memory.use_begin();
    Operation *user = use.getOwner();
    auto store = dyn_cast<memref::StoreOp>(user);
    if (store && store.getMemRef() == memory)
      return store;
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp>(
            user))
      return nullptr;
    memory = user->getResult(0);
  }
  return nullptr;
}

/// Whether a loop visits 0 to size - 1, one after the other.
static bool visitsAll(scf::ForOp loop, int64_t size) {
  return isConstantIntValue(loop.getLowerBound(), 0) &&
         isConstantIntValue(loop.getUpperBound(), size) &&
         isConstantIntValue(loop.getStep(), 1);
}

bool comm::isStreamed(BlockArgument memory) {
  memref::StoreOp store = isLarge(memory) ? getOnlyStore(memory) : nullptr;
  if (!store)
    return false;
  // A loop for each dimension, the last one innermost, and no other.
  Block *block = store->getBlock();
  for (auto [index, size] : llvm::reverse(llvm::zip_equal(
           store.getIndices(), store.getMemRefType().getShape()))) {
    auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
    if (!loop || index != loop.getInductionVar() || !visitsAll(loop, size))
      return false;
    block = loop->getBlock();
  }
  return block == memory.getOwner();
}
