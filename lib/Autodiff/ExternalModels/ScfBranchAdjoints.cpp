//===- ScfBranchAdjoints.cpp - Adjoints of scf.if and scf.index_switch ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScfAdjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The two ops
//===----------------------------------------------------------------------===//

static Value getSelector(Operation *op) {
  if (auto ifOp = dyn_cast<scf::IfOp>(op))
    return ifOp.getCondition();
  return cast<scf::IndexSwitchOp>(op).getArg();
}

/// An op with the same branches, empty, and these results.
static Operation *emitLike(OpBuilder &builder, Operation *op, TypeRange types,
                           Value selector) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(selector);
  state.addTypes(types);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  return builder.create(state);
}

//===----------------------------------------------------------------------===//
// The forward
//===----------------------------------------------------------------------===//

/// A value that is never read, as small as its type allows where its size is
/// not known above.
static Value emitUnread(OpBuilder &builder, Value sample, SizesAbove &above) {
  Location loc = sample.getLoc();
  auto tensor = dyn_cast<RankedTensorType>(sample.getType());
  if (!tensor)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getZeroAttr(sample.getType()));
  SmallVector<OpFoldResult> sizes;
  if (above.areKnown(sample))
    sizes = above.emit(builder, sample);
  else
    for (int64_t size : tensor.getShape())
      sizes.push_back(
          builder.getIndexAttr(ShapedType::isDynamic(size) ? 0 : size));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, tensor.getElementType());
  return builder.createOrFold<tensor::CastOp>(loc, tensor, empty);
}

/// Lets the branches, which stand in `widened` already, hand out what they
/// keep, each by results of its own: one result for two values would be
/// replicated only where both are.
static void yieldKept(OpBuilder &builder, Operation *widened,
                      ArrayRef<const BlockAdjoint *> branches) {
  SizesAbove above(widened);
  for (auto [region, own] : llvm::zip_equal(widened->getRegions(), branches)) {
    Operation *terminator = region.front().getTerminator();
    builder.setInsertionPoint(terminator);
    SmallVector<Value> values;
    for (const BlockAdjoint *branch : branches)
      for (Value value : branch->getKept())
        values.push_back(branch == own ? value
                                       : emitUnread(builder, value, above));
    terminator->insertOperands(terminator->getNumOperands(), values);
  }
}

//===----------------------------------------------------------------------===//
// The backward
//===----------------------------------------------------------------------===//

namespace {
struct BranchAdjoint {
  Operation *forward;
  SmallVector<const BlockAdjoint *> branches;
  JointCaptures captures;
  KeptValues kept;
  KeptSizes sizes;
  unsigned numResults;

  SmallVector<Value> emitBackward(OpBuilder &builder, ValueRange residuals,
                                  ValueRange cotangents) const;

private:
  SmallVector<Value> emitBranch(OpBuilder &builder, unsigned number,
                                const IRMapping &outer,
                                ValueRange cotangents) const;
};
} // namespace

/// The cotangents of all captures in one branch, null where zero.
SmallVector<Value> BranchAdjoint::emitBranch(OpBuilder &builder,
                                             unsigned number,
                                             const IRMapping &outer,
                                             ValueRange cotangents) const {
  const BlockAdjoint &branch = *branches[number];
  IRMapping primals = outer;
  unsigned first = numResults;
  for (const BlockAdjoint *before : ArrayRef(branches).take_front(number))
    first += before->getKept().size();
  for (auto [value, result] :
       llvm::zip(branch.getKept(), forward->getResults().drop_front(first)))
    primals.map(value, outer.lookup(result));
  SmallVector<Value> seeds(cotangents);
  seeds.resize(forward->getNumResults());
  SmallVector<Value> none(branch.getCaptures().size());
  BlockAdjoint::Cotangents found =
      branch.emitBackward(builder, primals, seeds, none);
  SmallVector<Value> all(captures.get().size());
  captures.scatter(branch, found.captures, all);
  return all;
}

SmallVector<Value> BranchAdjoint::emitBackward(OpBuilder &builder,
                                               ValueRange residuals,
                                               ValueRange cotangents) const {
  IRMapping outer = kept.map(residuals);
  Location loc = forward->getLoc();
  // Which captures get a cotangent shows when the branches stand.
  Operation *draft =
      emitLike(builder, forward, {}, outer.lookup(getSelector(forward)));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<SmallVector<Value>> found;
  for (auto [number, region] : llvm::enumerate(draft->getRegions())) {
    builder.createBlock(&region);
    found.push_back(emitBranch(builder, number, outer, cotangents));
  }
  SmallVector<Value> contributions(captures.get().size());
  SmallVector<unsigned> yielded;
  for (unsigned i = 0; i < contributions.size(); ++i)
    if (llvm::any_of(found, [&](auto &values) { return bool(values[i]); }))
      yielded.push_back(i);
  SmallVector<Type> types;
  for (unsigned i : yielded)
    types.push_back(captures.get()[i].getType());
  for (auto [region, values] : llvm::zip(draft->getRegions(), found)) {
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<Value> operands;
    for (unsigned i : yielded)
      operands.push_back(
          values[i] ? values[i]
                    : sizes.emitZero(builder, outer, captures.get()[i]));
    scf::YieldOp::create(builder, loc, operands);
  }
  builder.setInsertionPoint(draft);
  Operation *backward = emitLike(builder, draft, types, draft->getOperand(0));
  for (auto [region, from] :
       llvm::zip(backward->getRegions(), draft->getRegions()))
    region.takeBody(from);
  draft->erase();
  for (auto [i, result] : llvm::zip_equal(yielded, backward->getResults()))
    contributions[i] = result;
  return contributions;
}

namespace {
// y = if c then f(x) else g(x)  =>  x̄ = if c then f_bwd(ȳ) else g_bwd(ȳ)
template <typename OpT>
struct Branch : RegionAdjointOpInterface::ExternalModel<Branch<OpT>, OpT> {
  FailureOr<RegionForward> emitForward(Operation *op, RewriterBase &rewriter,
                                       RegionAdjointContext &context) const {
    SmallVector<const BlockAdjoint *> branches;
    bool ok = true;
    for (Region &region : op->getRegions()) {
      FailureOr<const BlockAdjoint *> branch =
          context.prepareBlock(region.front(), /*given=*/{}, /*sized=*/{},
                               /*canKeep=*/nullptr);
      ok &= succeeded(branch);
      if (succeeded(branch))
        branches.push_back(*branch);
    }
    if (!ok)
      return failure();

    unsigned numResults = op->getNumResults();
    SmallVector<Type> types(op->getResultTypes());
    for (const BlockAdjoint *branch : branches)
      llvm::append_range(types, ValueRange(branch->getKept()).getTypes());
    rewriter.setInsertionPoint(op);
    Operation *widened = emitLike(rewriter, op, types, getSelector(op));
    for (auto [region, from] :
         llvm::zip(widened->getRegions(), op->getRegions()))
      region.takeBody(from);
    yieldKept(rewriter, widened, branches);
    rewriter.replaceOp(op, widened->getResults().take_front(numResults));

    BranchAdjoint adjoint{widened, branches, JointCaptures(branches),
                          {},      {},       numResults};
    adjoint.kept.add(getSelector(widened));
    adjoint.kept.add(widened->getResults().drop_front(numResults));
    for (const BlockAdjoint *branch : branches)
      adjoint.kept.add(branch->getRead());
    rewriter.setInsertionPoint(widened);
    for (Value capture : adjoint.captures.get())
      adjoint.sizes.add(rewriter, capture, adjoint.kept);

    RegionForward result;
    result.forward = widened;
    llvm::append_range(result.inputs, adjoint.captures.get());
    llvm::append_range(result.residuals, adjoint.kept.get());
    result.emitBackward = [adjoint](OpBuilder &builder, ValueRange residuals,
                                    ValueRange cotangents) {
      return adjoint.emitBackward(builder, residuals, cotangents);
    };
    return result;
  }
};
} // namespace

void comm::registerScfBranchAdjointModels(MLIRContext &context) {
  scf::IfOp::attachInterface<Branch<scf::IfOp>>(context);
  scf::IndexSwitchOp::attachInterface<Branch<scf::IndexSwitchOp>>(context);
}
