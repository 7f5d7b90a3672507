//===- ForwardMode.cpp - Pushing tangents forward -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/ForwardMode.h"
#include "comm/Autodiff/ReverseMode.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return {};
  return tensor::getMixedSizes(builder, value.getLoc(), value);
}

//===----------------------------------------------------------------------===//
// The transpose of the adjoint
//===----------------------------------------------------------------------===//

namespace {
/// A block behind those of the region where a builder stands, for as long as it
/// lives.
class ScratchBlock {
public:
  explicit ScratchBlock(OpBuilder &builder) : block(new Block) {
    builder.getBlock()->getParent()->push_back(block);
  }
  ~ScratchBlock() {
    block->dropAllReferences();
    block->dropAllDefinedValueUses();
    block->erase();
  }
  Block &operator*() { return *block; }

private:
  Block *block;
};
} // namespace

// x̄ = A^T ȳ  =>  ẏ = (A^T)^T ẋ. The adjoint is written down with placeholders
// for the cotangents; the tangents of the operands are the cotangents of what
// it yields, and what reaches the placeholders are the tangents of the results.
FailureOr<SmallVector<Value>>
comm::emitTransposedAdjoint(OpBuilder &builder, AdjointOpInterface op,
                            const Primals &primals, ValueRange tangents) {
  ScratchBlock scratch(builder);
  Block &block = *scratch;
  SmallVector<Value> placeholders;
  // Of a placeholder only the sizes are read, which are the result's.
  IRMapping known;
  for (OpResult result : op->getResults()) {
    placeholders.push_back(
        isDifferentiable(result.getType())
            ? block.addArgument(result.getType(), result.getLoc())
            : Value());
    if (placeholders.back())
      known.map(placeholders.back(),
                primals.getResult(result.getResultNumber()));
  }
  OpBuilder inScratch(op->getContext());
  inScratch.setInsertionPointToEnd(&block);
  SmallVector<Value> adjoints =
      op.emitAdjoint(inScratch, primals, placeholders);
  SmallVector<Value> contributions;
  for (auto [adjoint, tangent] : llvm::zip(adjoints, tangents))
    if (adjoint && tangent)
      contributions.push_back(adjoint);
  UnrealizedConversionCastOp::create(inScratch, op->getLoc(), TypeRange(),
                                     contributions);

  ActivityAnalysis activity(block, block.getArguments(), contributions);
  bool isLinear = true;
  auto lookup = [&](Value value) {
    isLinear &= !activity.isDependent(value);
    return cloneValue(builder, value, known, [&](Operation *definition) {
      return definition->getBlock() == &block;
    });
  };
  auto lookupSizes = [&](OpBuilder &builder, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      return getSizes(builder, value);
    return getSizes(
        builder, cloneValue(builder, value, known, [&](Operation *definition) {
          return definition->getBlock() == &block;
        }));
  };
  if (failed(verifyBlockAdjoint(block, activity, /*driver=*/nullptr)))
    return op->emitError() << "'" << op->getName()
                           << "' has no tangent: its adjoint has no adjoint; "
                              "implement emitTangent for it";
  ReverseMode reverse(builder, activity, lookup, lookupSizes);
  for (auto [adjoint, tangent] : llvm::zip(adjoints, tangents))
    if (adjoint && tangent && activity.isActive(adjoint))
      reverse.accumulate(adjoint, tangent);
  for (Operation &adjointOp : llvm::reverse(block.without_terminator()))
    if (activity.isOnPath(&adjointOp))
      reverse.emitAdjoint(cast<AdjointOpInterface>(adjointOp));
  if (!isLinear)
    return op->emitError() << "'" << op->getName()
                           << "' has no tangent: its adjoint is not linear in "
                              "the cotangents; implement emitTangent for it";
  return llvm::map_to_vector(placeholders, [&](Value placeholder) {
    return placeholder ? reverse.getCotangent(placeholder) : Value();
  });
}

FailureOr<SmallVector<Value>> comm::emitTangent(OpBuilder &builder,
                                                AdjointOpInterface op,
                                                const Primals &primals,
                                                ValueRange tangents) {
  if (std::optional<SmallVector<Value>> own =
          op.emitTangent(builder, primals, tangents))
    return *own;
  return emitTransposedAdjoint(builder, op, primals, tangents);
}

//===----------------------------------------------------------------------===//
// ForwardMode
//===----------------------------------------------------------------------===//

namespace {
/// The primal values of an op behind which its tangent is emitted.
class CopiedPrimals : public Primals {
public:
  CopiedPrimals(Operation *copy, ArrayRef<Value> tangents)
      : copy(copy), tangents(tangents) {}

  Value getOperand(unsigned index) const override {
    return copy->getOperand(index);
  }
  Value getResult(unsigned index) const override {
    return copy->getResult(index);
  }
  SmallVector<OpFoldResult> getOperandSizes(OpBuilder &builder,
                                            unsigned index) const override {
    return getSizes(builder, copy->getOperand(index));
  }
  bool isWanted(unsigned operand) const override {
    return bool(tangents[operand]);
  }

private:
  Operation *copy;
  ArrayRef<Value> tangents;
};
} // namespace

Value ForwardMode::getTangentOrZero(Value value) {
  if (Value tangent = getTangent(value))
    return tangent;
  Value primal = getPrimal(value);
  return emitZero(builder, value.getLoc(), value.getType(),
                  getSizes(builder, primal));
}

LogicalResult ForwardMode::emitOp(Operation &op) {
  SmallVector<Value> given = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return getTangent(operand); });
  bool isGivenAny =
      llvm::any_of(given, [](Value tangent) { return bool(tangent); });
  // What a region reads from above has tangents as well.
  auto regionOp = dyn_cast<RegionTangentOpInterface>(op);
  bool isReached = isGivenAny || (regionOp && op.getNumRegions() != 0);
  if (!activity.isOnPath(&op) || !isReached) {
    builder.clone(op, primals);
    return success();
  }
  if (regionOp)
    return regionOp.emitTangent(*this);
  Operation *copy = builder.clone(op, primals);
  auto rule = dyn_cast<AdjointOpInterface>(copy);
  if (!rule)
    return op.emitError() << "'" << op.getName()
                          << "' has no tangent: implement AdjointOpInterface "
                             "for it";
  FailureOr<SmallVector<Value>> emitted =
      comm::emitTangent(builder, rule, CopiedPrimals(copy, given), given);
  if (failed(emitted))
    return failure();
  for (auto [result, tangent] : llvm::zip_equal(op.getResults(), *emitted))
    if (activity.isActive(result))
      setTangent(result, tangent);
  return success();
}

LogicalResult ForwardMode::emitBody(Block &block) {
  bool ok = true;
  for (Operation &op : block.without_terminator())
    ok &= succeeded(emitOp(op));
  return success(ok);
}
