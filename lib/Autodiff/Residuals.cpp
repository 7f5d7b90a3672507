//===- Residuals.cpp - What a backward function keeps of the forward ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Residuals.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

void Residuals::addValue(Value value) { values.insert(value); }

void Residuals::addSizes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (type && !type.hasStaticShape())
    sized.insert(tensor);
}

void Residuals::materialize(OpBuilder &builder, Block *backwardEntry) {
  // A tensor that is kept anyway brings its sizes along.
  OpBuilder forwardBuilder(forward.getBody().front().getTerminator());
  for (Value tensor : sized) {
    if (values.contains(tensor))
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value size =
          tensor::DimOp::create(forwardBuilder, tensor.getLoc(), tensor, dim);
      dims[{tensor, dim}] = size;
      values.insert(size);
    }
  }
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>()) {
      builder.clone(*op, inBackward);
      continue;
    }
    kept.push_back(value);
    inBackward.map(value,
                   backwardEntry->addArgument(value.getType(), value.getLoc()));
  }
}

SmallVector<OpFoldResult> Residuals::lookupSizes(OpBuilder &builder,
                                                 Value tensor) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return {};
  if (Value kept = inBackward.lookupOrNull(tensor))
    return tensor::getMixedSizes(builder, tensor.getLoc(), kept);
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(dim))
      sizes.push_back(inBackward.lookup(dims.lookup({tensor, dim})));
    else
      sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
  }
  return sizes;
}
