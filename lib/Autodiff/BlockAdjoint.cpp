//===- BlockAdjoint.cpp - The adjoint of a block --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdjoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The forward
//===----------------------------------------------------------------------===//

/// Whether a call or region op carries a derivative.
static bool isDifferentiated(Operation *op, const ActivityAnalysis &activity) {
  return activity.isOnPath(op) &&
         (op->getNumRegions() != 0 || activity.getWantedOperands(op).any());
}

namespace {
/// What is computed again in the backward is left as it is in the forward: a
/// copy of the op before its rule replaces it. The calls in it run the forward
/// halves all the same, so that nothing but these is differentiated again.
class ForwardCopy {
public:
  ForwardCopy(RewriterBase &rewriter, Operation *op,
              const ActivityAnalysis &activity) {
    IRMapping mapping;
    copy = rewriter.clone(*op, mapping);
    copy->removeAttr(kRecomputeAttrName);
    op->walk([&](RegionAdjointOpInterface call) {
      if (isa<CallOpInterface>(call.getOperation()) &&
          isDifferentiated(call, activity))
        calls.push_back(cast<RegionAdjointOpInterface>(
            mapping.lookup(call.getOperation())));
    });
  }

  /// The copy; failure after an error.
  FailureOr<Operation *> finish(RewriterBase &rewriter,
                                RegionAdjointContext &context) {
    for (RegionAdjointOpInterface call : calls) {
      bool isAll = call == copy;
      rewriter.setInsertionPoint(call);
      FailureOr<RegionForward> forward = call.emitForward(rewriter, context);
      if (failed(forward))
        return failure();
      if (isAll)
        copy = forward->forward;
    }
    return copy;
  }

private:
  Operation *copy;
  SmallVector<RegionAdjointOpInterface> calls;
};
} // namespace

LogicalResult DrivenBlock::emitForwards() {
  const ActivityAnalysis &activity = function.getActivity();
  SmallVector<RegionAdjointOpInterface> ops;
  for (Operation &op : block.without_terminator())
    if (auto regionOp = dyn_cast<RegionAdjointOpInterface>(op))
      if (isDifferentiated(&op, activity))
        ops.push_back(regionOp);
  bool ok = true;
  IRRewriter rewriter(block.getParentOp()->getContext());
  for (RegionAdjointOpInterface op : ops) {
    SmallVector<Value> results(op->getResults());
    std::optional<ForwardCopy> copy;
    rewriter.setInsertionPoint(op);
    if (op->hasAttr(kRecomputeAttrName))
      copy.emplace(rewriter, op, activity);
    rewriter.setInsertionPoint(op);
    FailureOr<RegionForward> forward = op.emitForward(rewriter, function);
    if (failed(forward)) {
      ok = false;
      continue;
    }
    for (auto [old, value] : llvm::zip(results, forward->forward->getResults()))
      function.getActivity().replace(old, value);
    unsigned numResults = results.size();
    Operation *key = forward->forward;
    if (copy) {
      FailureOr<Operation *> original = copy->finish(rewriter, function);
      if (failed(original))
        return failure();
      key = *original;
      useCopy(key, *forward, numResults);
    }
    forwards[key] = {std::move(*forward), numResults};
  }
  return success(ok);
}

/// Lets `copy` compute the results of the original op, and leaves the forward
/// of the rule as a template for the backward.
void DrivenBlock::useCopy(Operation *copy, RegionForward &rule,
                          unsigned numResults) {
  Operation *forward = rule.forward;
  forward->setAttr(kRecomputeAttrName, UnitAttr::get(copy->getContext()));
  for (auto [result, original] : llvm::zip(
           copy->getResults().take_front(numResults), forward->getResults())) {
    original.replaceAllUsesWith(result);
    llvm::replace(rule.residuals, original, result);
    function.getActivity().replace(original, result);
  }
  function.addTemplate(forward);
}

void DrivenBlock::gatherResiduals() {
  const ActivityAnalysis &activity = function.getActivity();
  for (Operation &op : block.without_terminator()) {
    auto replaced = forwards.find(&op);
    if (replaced != forwards.end()) {
      for (Value value : replaced->second.rule.residuals)
        residuals.addValue(value);
      continue;
    }
    auto adjoint = dyn_cast<AdjointOpInterface>(op);
    if (!adjoint || !activity.isOnPath(&op))
      continue;
    llvm::BitVector wanted = activity.getWantedOperands(&op);
    if (wanted.none())
      continue;
    for (Residual residual : adjoint.getResiduals(wanted)) {
      switch (residual.kind) {
      case Residual::Kind::Operand:
        residuals.addValue(op.getOperand(residual.index));
        break;
      case Residual::Kind::Result:
        residuals.addValue(op.getResult(residual.index));
        break;
      case Residual::Kind::OperandSizes:
        residuals.addSizes(op.getOperand(residual.index));
        break;
      }
    }
  }
}

/// Moves the sizes of tensors from above out of the block, so that the backward
/// reads a number and not the tensor.
void DrivenBlock::hoistSizes() {
  Operation *parent = block.getParentOp();
  for (auto dim : llvm::make_early_inc_range(block.getOps<tensor::DimOp>())) {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index || dim.getSource().getParentBlock() == &block)
      continue;
    OpBuilder builder(parent);
    dim.getIndexMutable().assign(
        arith::ConstantIndexOp::create(builder, dim.getLoc(), *index));
    dim->moveBefore(parent);
  }
}

LogicalResult DrivenBlock::prepare(ValueRange sized) {
  if (failed(emitForwards()) || function.isInvalid())
    return failure();
  bool isBody = isa<FunctionOpInterface>(block.getParentOp());
  if (!isBody)
    hoistSizes();
  gatherResiduals();
  for (Value tensor : sized)
    residuals.addSizes(tensor);
  if (failed(residuals.plan()))
    return failure();
  if (isBody)
    return success();
  gatherCaptures();
  return success();
}

/// What ops on a path, and they alone, read from above: a comparison gives no
/// cotangent.
void DrivenBlock::gatherCaptures() {
  const ActivityAnalysis &activity = function.getActivity();
  llvm::SetVector<Value> found;
  block.walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !activity.isOnPath(op))
      return;
    for (Value operand : op->getOperands())
      if (activity.isActive(operand) &&
          operand.getParentRegion()->isProperAncestor(block.getParent()))
        found.insert(operand);
  });
  captures = found.takeVector();
}

FailureOr<const BlockAdjoint *>
FunctionAdjoint::prepareBlock(Block &block, ValueRange given, ValueRange sized,
                              llvm::function_ref<bool(Value)> canKeep) {
  blocks.push_back(std::make_unique<DrivenBlock>(block, *this, given, canKeep));
  DrivenBlock *prepared = blocks.back().get();
  if (failed(prepared->prepare(sized)))
    return failure();
  return static_cast<const BlockAdjoint *>(prepared);
}

static unsigned getDepth(Operation *op) {
  unsigned depth = 0;
  while ((op = op->getParentOp()))
    ++depth;
  return depth;
}

void FunctionAdjoint::eraseTemplates() {
  // Users before what they use, and inner ones before those that hold them.
  std::reverse(templates.begin(), templates.end());
  llvm::stable_sort(templates, [](Operation *a, Operation *b) {
    return getDepth(a) > getDepth(b);
  });
  for (Operation *op : templates)
    if (op->use_empty())
      op->erase();
  templates.clear();
}

//===----------------------------------------------------------------------===//
// The backward
//===----------------------------------------------------------------------===//

void DrivenBlock::emitRegionBackward(OpBuilder &builder, IRMapping &primals,
                                     Operation *op, const ReplacedOp &replaced,
                                     ReverseMode &reverse) const {
  const auto &[rule, numResults] = replaced;
  SmallVector<Value> seeds = reverse.getResultCotangents(op);
  seeds.truncate(numResults);
  if (llvm::none_of(seeds, [](Value seed) { return bool(seed); }))
    return;
  SmallVector<Value> kept =
      llvm::map_to_vector(rule.residuals, [&](Value value) {
        return residuals.lookup(builder, primals, value);
      });
  SmallVector<Value> contributions = rule.emitBackward(builder, kept, seeds);
  for (auto [input, contribution] : llvm::zip_equal(rule.inputs, contributions))
    if (function.isActive(input))
      reverse.accumulate(input, contribution);
}

BlockAdjoint::Cotangents DrivenBlock::emitBackward(OpBuilder &builder,
                                                   IRMapping &primals,
                                                   ValueRange seeds,
                                                   ValueRange sums) const {
  const ActivityAnalysis &activity = function.getActivity();
  ReverseMode reverse(
      builder, activity,
      [&](Value value) { return residuals.lookup(builder, primals, value); },
      [&](OpBuilder &builder, Value tensor) {
        return residuals.lookupSizes(builder, primals, tensor);
      });
  for (auto [capture, sum] : llvm::zip_equal(captures, sums))
    reverse.accumulate(capture, sum);
  for (auto [operand, seed] :
       llvm::zip_equal(block.getTerminator()->getOperands(), seeds))
    if (activity.isActive(operand))
      reverse.accumulate(operand, seed);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto replaced = forwards.find(&op);
    if (replaced != forwards.end())
      emitRegionBackward(builder, primals, &op, replaced->second, reverse);
    else if (auto adjoint = dyn_cast<AdjointOpInterface>(op))
      if (activity.isOnPath(&op))
        reverse.emitAdjoint(adjoint);
  }
  auto getCotangent = [&](Value value) { return reverse.getCotangent(value); };
  Cotangents cotangents;
  llvm::append_range(cotangents.arguments,
                     llvm::map_range(block.getArguments(), getCotangent));
  llvm::append_range(cotangents.captures,
                     llvm::map_range(captures, getCotangent));
  return cotangents;
}
