//===- MergeEqualOps.cpp - Keeps one of equal ops -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeEqualOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::comm;

namespace {
/// An op, what it is looked up by, and how often something had been written
/// before it (0 for an op that reads nothing).
struct KnownOp {
  Operation *op;
  unsigned hash;
  unsigned numWrites;
};

struct KnownOpInfo {
  static KnownOp getEmptyKey() {
    return {DenseMapInfo<Operation *>::getEmptyKey(), 0, 0};
  }
  static KnownOp getTombstoneKey() {
    return {DenseMapInfo<Operation *>::getTombstoneKey(), 0, 0};
  }
  static unsigned getHashValue(const KnownOp &known) { return known.hash; }
  static bool isEqual(const KnownOp &a, const KnownOp &b) {
    if (a.op == b.op)
      return true;
    auto isKey = [](const KnownOp &known) {
      return known.op == getEmptyKey().op || known.op == getTombstoneKey().op;
    };
    return a.hash == b.hash && a.numWrites == b.numWrites && !isKey(a) &&
           !isKey(b) &&
           OperationEquivalence::isEquivalentTo(
               a.op, b.op, OperationEquivalence::IgnoreLocations);
  }
};

enum class Access { None, Read, Write };
} // namespace

/// What an op does to anything but values; a write where nobody knows.
static Access getAccess(Operation *op) {
  auto effectOp = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effectOp || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return isMemoryEffectFree(op) ? Access::None : Access::Write;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effectOp.getEffects(effects);
  if (effects.empty())
    return Access::None;
  return llvm::all_of(effects,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return isa<MemoryEffects::Read>(effect.getEffect());
                      })
             ? Access::Read
             : Access::Write;
}

/// The order of the operands does not count: it does not in commutative ops.
static unsigned hash(Operation *op) {
  size_t operands = 0;
  for (Value operand : op->getOperands())
    operands += llvm::hash_value(operand.getAsOpaquePointer());
  return llvm::hash_combine(op->getName().getAsOpaquePointer(), operands,
                            op->hashProperties());
}

static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && isOpTriviallyDead(&op))
      op.erase();
}

static void mergeEqualOps(Block &block,
                          llvm::function_ref<void(Operation *)> keep) {
  llvm::DenseSet<KnownOp, KnownOpInfo> knownOps;
  unsigned numWrites = 1;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Access access =
        op.hasTrait<OpTrait::IsTerminator>() ? Access::Write : getAccess(&op);
    if (access == Access::Write) {
      ++numWrites;
      keep(&op);
      continue;
    }
    auto [known, isNew] = knownOps.insert(
        {&op, hash(&op), access == Access::Read ? numWrites : 0});
    if (isNew) {
      keep(&op);
      continue;
    }
    op.replaceAllUsesWith(known->op);
    op.erase();
  }
}

/// Moves the constants of a block to its start, as folding does.
static void hoistConstants(Block &block) {
  Operation *lastInFront = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!op.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (op.getPrevNode() == lastInFront)
      lastInFront = &op;
    else
      op.moveBefore(&block.front());
  }
}

void comm::mergeEqualOps(Region &region,
                         llvm::function_ref<void(Operation *)> keep) {
  // Not by recursion: regions nest as deep as the user likes.
  SmallVector<Block *> blocks = {&region.front()};
  while (!blocks.empty()) {
    Block &block = *blocks.pop_back_val();
    eraseDeadOps(block);
    ::mergeEqualOps(block, [&](Operation *op) {
      keep(op);
      for (Region &nested : op->getRegions())
        // The body of a contraction has a product, a sum and a terminator.
        if (!nested.empty() && llvm::hasNItemsOrMore(nested.front(), 4))
          blocks.push_back(&nested.front());
    });
  }
  hoistConstants(region.front());
}
