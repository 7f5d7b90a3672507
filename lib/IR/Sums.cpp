//===- Sums.cpp - Sums of equal collectives -------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Laws.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::comm;

/// Whether a + b = op(x + y) for a = op(x), b = op(y), with one collective less
/// on the right (or one `vary`, behind which more of them may meet).
/// `all_slice` and `root_mask` are not among them: they move nothing, and would
/// add larger tensors.
static bool isSameLinearOp(CollectiveOpInterface a, CollectiveOpInterface b) {
  Operation *first = a, *second = b;
  if (first->getName() != second->getName())
    return false;
  // The two that match their axes as sets.
  if (isa<VaryOp>(first))
    return haveSameAxes(a.getGroup(), b.getGroup());
  if (auto reduce = dyn_cast<AllReduceOp>(first))
    return isAdditive(reduce.getReduction()) &&
           reduce.getReduction() == cast<AllReduceOp>(second).getReduction() &&
           haveSameAxes(a.getGroup(), b.getGroup());
  return isa<AllGatherOp, AllToAllOp, BroadcastOp, GatherOp, PermuteOp,
             ReduceOp, ReduceScatterOp, ScatterOp>(first) &&
         first->getAttrDictionary() == second->getAttrDictionary();
}

/// The later one of two ops of a block. Steps from both at once while they may
/// stand close to each other: `isBeforeInBlock` numbers the whole block anew
/// when many ops have been inserted at one place, as a sum of many terms does.
static Operation *getLaterOp(Operation *a, Operation *b) {
  Operation *fromA = a, *fromB = b;
  for (int step = 0; step < 64; ++step) {
    if (fromA == b)
      return b;
    if (fromB == a)
      return a;
    fromA = fromA ? fromA->getNextNode() : nullptr;
    fromB = fromB ? fromB->getNextNode() : nullptr;
  }
  return a->isBeforeInBlock(b) ? b : a;
}

// op(x) + op(y) = op(x + y) for linear op
template <typename AddOp>
static LogicalResult addCollectives(AddOp add, PatternRewriter &rewriter) {
  auto a = getOnlyUsed<CollectiveOpInterface>(add.getLhs());
  auto b = getOnlyUsed<CollectiveOpInterface>(add.getRhs());
  if (!a || !b || a->getBlock() != b->getBlock() || !isSameLinearOp(a, b) ||
      a.getInputValue().getType() != b.getInputValue().getType())
    return failure();
  // Both operands are there where the later one stands.
  Operation *later = getLaterOp(a, b);
  rewriter.setInsertionPoint(later);
  Operation *sum = rewriter.clone(*add);
  sum->setOperands({a.getInputValue(), b.getInputValue()});
  sum->getResult(0).setType(a.getInputValue().getType());
  Operation *merged = rewriter.clone(*later);
  merged->setOperand(0, sum->getResult(0));
  rewriter.replaceOp(add, merged->getResults());
  return success();
}

void comm::populateSumLaws(RewritePatternSet &patterns) {
  patterns.add(addCollectives<arith::AddFOp>)
      .add(addCollectives<arith::AddIOp>);
}
