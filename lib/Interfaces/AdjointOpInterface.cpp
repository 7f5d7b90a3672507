//===- AdjointOpInterface.cpp - The adjoint of an op ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/RegionAdjointOpInterface.h"
#include "comm/Interfaces/RegionTangentOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

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

SmallVector<Value> comm::emitLinearTangent(OpBuilder &builder, Operation *op,
                                           const Primals &primals,
                                           ValueRange tangents) {
  SmallVector<Value> operands;
  for (auto [number, tangent] : llvm::enumerate(tangents)) {
    Type type = op->getOperand(number).getType();
    if (!isDifferentiable(type))
      operands.push_back(primals.getOperand(number));
    else
      operands.push_back(
          tangent ? tangent
                  : emitZero(builder, op->getLoc(), type,
                             primals.getOperandSizes(builder, number)));
  }
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  // The op may promise that its values are finite; its tangents need not be.
  auto flagged = dyn_cast<arith::ArithFastMathInterface>(clone);
  if (arith::FastMathFlagsAttr attr =
          flagged ? flagged.getFastMathFlagsAttr() : nullptr)
    clone->setAttr(
        flagged.getFastMathAttrName(),
        arith::FastMathFlagsAttr::get(
            op->getContext(), attr.getValue() & ~(arith::FastMathFlags::nnan |
                                                  arith::FastMathFlags::ninf)));
  return llvm::map_to_vector(clone->getResults(), [](Value result) {
    return isDifferentiable(result.getType()) ? result : Value();
  });
}

#include "comm/Interfaces/CotangentTypeInterface.cpp.inc"

#include "comm/Interfaces/AdjointOpInterface.cpp.inc"

#include "comm/Interfaces/RegionAdjointOpInterface.cpp.inc"

#include "comm/Interfaces/RegionTangentOpInterface.cpp.inc"
