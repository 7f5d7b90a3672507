//===- SizesAbove.cpp - Sizes that control flow does not change -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizesAbove.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

const SizesAbove::Bound *SizesAbove::find(Value tensor, int64_t dim) {
  auto [entry, isNew] = known.try_emplace({tensor, dim});
  std::optional<Bound> &bound = entry->second;
  if (isNew) {
    auto isAbove = [&](Value value, std::optional<int64_t>,
                       ValueBoundsConstraintSet &) {
      return !regionOp->isAncestor(value.getParentRegion()->getParentOp()) &&
             value.getDefiningOp() != regionOp;
    };
    Bound found;
    if (succeeded(ValueBoundsConstraintSet::computeBound(
            found.map, found.operands, presburger::BoundType::EQ, {tensor, dim},
            isAbove)))
      bound = found;
  }
  return bound ? &*bound : nullptr;
}

bool SizesAbove::areKnown(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape())
    return true;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && !find(value, dim))
      return false;
  return true;
}

static Value emitBound(OpBuilder &builder, Location loc, AffineMap map,
                       const ValueDimList &operands) {
  SmallVector<Value> values;
  for (auto [value, dim] : operands)
    values.push_back(dim ? builder.createOrFold<tensor::DimOp>(loc, value, *dim)
                         : value);
  return affine::expandAffineMap(builder, loc, map, values)->front();
}

SmallVector<OpFoldResult> SizesAbove::emit(OpBuilder &builder, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  if (!type)
    return sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
      continue;
    }
    const Bound *bound = find(value, dim);
    sizes.push_back(
        emitBound(builder, value.getLoc(), bound->map, bound->operands));
  }
  return sizes;
}

Value SizesAbove::emitSize(Value tensor, int64_t dim) {
  const Bound *bound = find(tensor, dim);
  if (!bound)
    return Value();
  OpBuilder builder(regionOp);
  return emitBound(builder, tensor.getLoc(), bound->map, bound->operands);
}
