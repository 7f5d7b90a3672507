//===- Scaling.cpp - Multiples of a value ---------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/IR/Scaling.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

/// n in every element of a tensor like x. An integer wraps around.
static Value emitNumberLike(OpBuilder &builder, Location loc, Value x,
                            int64_t n) {
  auto type = cast<RankedTensorType>(x.getType());
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return emitConstant(builder, loc, type, n,
                        tensor::getMixedSizes(builder, loc, x));
  llvm::APInt number(integer.getWidth(), n, /*isSigned=*/false,
                     /*implicitTrunc=*/true);
  if (type.hasStaticShape())
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, number));
  Value scalar = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(integer, number));
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, x, dim));
  return tensor::SplatOp::create(builder, loc, type, scalar, sizes);
}

Value comm::emitMultiple(OpBuilder &builder, Location loc, Value x, int64_t n) {
  if (n == 1)
    return x;
  Value factor = emitNumberLike(builder, loc, x, n);
  if (isa<IntegerType>(getElementTypeOrSelf(x)))
    return arith::MulIOp::create(builder, loc, x, factor);
  return arith::MulFOp::create(builder, loc, x, factor);
}

Value comm::emitQuotient(OpBuilder &builder, Location loc, Value x, int64_t n) {
  return n == 1 ? x
                : arith::DivFOp::create(builder, loc, x,
                                        emitNumberLike(builder, loc, x, n));
}

Value comm::emitZeroLike(OpBuilder &builder, Location loc, Value x) {
  return emitNumberLike(builder, loc, x, 0);
}

bool comm::isExactFactor(Type element, int64_t n) {
  auto type = dyn_cast<FloatType>(element);
  if (!type)
    return true;
  llvm::APFloat number(type.getFloatSemantics());
  return number.convertFromAPInt(llvm::APInt(64, n), /*IsSigned=*/true,
                                 llvm::APFloat::rmNearestTiesToEven) ==
         llvm::APFloat::opOK;
}
