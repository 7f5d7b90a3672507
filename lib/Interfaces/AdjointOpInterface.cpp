//===- AdjointOpInterface.cpp - The adjoint of an op ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::comm;

bool comm::isDifferentiable(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isa<FloatType>(tensor.getElementType());
  if (isa<FloatType>(type))
    return true;
  auto cotangent = dyn_cast<CotangentTypeInterface>(type);
  return cotangent && cotangent.isDifferentiable();
}

bool comm::hasBoundaryCotangent(Type type) {
  return isDifferentiable(type) && !isa<CotangentTypeInterface>(type);
}

SmallVector<int64_t> comm::getBoundaryCotangents(TypeRange types) {
  SmallVector<int64_t> positions;
  for (auto [position, type] : llvm::enumerate(types))
    if (hasBoundaryCotangent(type))
      positions.push_back(position);
  return positions;
}

Value comm::emitConstant(OpBuilder &builder, Location loc, Type type,
                         double value, ArrayRef<OpFoldResult> sizes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  FloatAttr element = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (!tensor)
    return arith::ConstantOp::create(builder, loc, element);
  if (tensor.hasStaticShape())
    return arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(tensor, element.getValue()));
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (tensor.isDynamicDim(dim))
      dynamicSizes.push_back(
          getValueOrCreateConstantIndexOp(builder, loc, size));
  Value scalar = arith::ConstantOp::create(builder, loc, element);
  return tensor::SplatOp::create(builder, loc, tensor, scalar, dynamicSizes);
}

Value comm::emitZero(OpBuilder &builder, Location loc, Type type,
                     ArrayRef<OpFoldResult> sizes) {
  return emitConstant(builder, loc, type, 0.0, sizes);
}

#include "comm/Interfaces/CotangentTypeInterface.cpp.inc"

#include "comm/Interfaces/AdjointOpInterface.cpp.inc"

#include "comm/Interfaces/RegionAdjointOpInterface.cpp.inc"
