//===- Sums.cpp - Sums of equal collectives -------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Laws.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

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

//===----------------------------------------------------------------------===//
// Sums of rearranged all_reduces
//===----------------------------------------------------------------------===//

namespace {
/// An all_reduce and the local ops, innermost first, that only rearrange its
/// elements; none of them has another use.
struct RearrangedReduce {
  AllReduceOp reduce;
  SmallVector<Operation *> ops;
};
} // namespace

/// Whether a value has one use, sizes apart.
static bool hasOneUse(Value value) {
  return llvm::count_if(value.getUsers(), [](Operation *user) {
           return !isa<tensor::DimOp>(user);
         }) == 1;
}

static RearrangedReduce findReduce(Value value) {
  RearrangedReduce found;
  while (Operation *op = value.getDefiningOp()) {
    if (auto reduce = dyn_cast<AllReduceOp>(op))
      found.reduce = hasOneUse(value) ? reduce : AllReduceOp();
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    if (found.reduce || !value.hasOneUse() ||
        !isa<linalg::TransposeOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp>(op) ||
        (expand && !expand.getOutputShape().empty()))
      break;
    found.ops.push_back(op);
    value = op->getOperand(0);
  }
  std::reverse(found.ops.begin(), found.ops.end());
  return found;
}

/// The same rearrangement of `value`, at the rewriter's insertion point.
static Value rearrange(PatternRewriter &rewriter, ArrayRef<Operation *> ops,
                       Value value) {
  for (Operation *op : ops) {
    auto transpose = dyn_cast<linalg::TransposeOp>(op);
    if (!transpose) {
      Operation *clone = rewriter.clone(*op);
      clone->setOperand(0, value);
      value = clone->getResult(0);
      continue;
    }
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op->getLoc(), value);
    applyPermutationToVector(sizes, transpose.getPermutation());
    Value init = tensor::EmptyOp::create(rewriter, op->getLoc(), sizes,
                                         getElementTypeOrSelf(value));
    value = linalg::TransposeOp::create(rewriter, op->getLoc(), value, init,
                                        transpose.getPermutation())
                ->getResult(0);
  }
  return value;
}

// T(sum_j a_j) + U(sum_j b_j) = sum_j (T a_j + U b_j) for transposes and
// reshapes T and U, as of a weight that is used twice
template <typename AddOp>
static LogicalResult addRearranged(AddOp add, PatternRewriter &rewriter) {
  RearrangedReduce a = findReduce(add.getLhs());
  RearrangedReduce b = findReduce(add.getRhs());
  if (!a.reduce || !b.reduce || (a.ops.empty() && b.ops.empty()) ||
      a.reduce->getBlock() != b.reduce->getBlock() ||
      !isSameLinearOp(a.reduce, b.reduce))
    return failure();
  // The same sizes are those of what is reduced.
  for (AllReduceOp reduce : {a.reduce, b.reduce})
    for (Operation *user :
         llvm::make_early_inc_range(reduce.getResult().getUsers()))
      if (isa<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(
            user, [&] { user->setOperand(0, reduce.getInput()); });
  Operation *later = getLaterOp(a.reduce, b.reduce);
  rewriter.setInsertionPoint(later);
  Value x = rearrange(rewriter, a.ops, a.reduce.getInput());
  Value y = rearrange(rewriter, b.ops, b.reduce.getInput());
  Operation *sum = rewriter.clone(*add);
  sum->setOperands({x, y});
  Operation *merged = rewriter.clone(*later);
  merged->setOperand(0, sum->getResult(0));
  merged->getResult(0).setType(add.getType());
  rewriter.replaceOp(add, merged->getResults());
  return success();
}

void comm::populateSumLaws(RewritePatternSet &patterns) {
  patterns.add(addCollectives<arith::AddFOp>)
      .add(addCollectives<arith::AddIOp>)
      .add(addRearranged<arith::AddFOp>)
      .add(addRearranged<arith::AddIOp>);
}
