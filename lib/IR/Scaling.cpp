//===- Scaling.cpp - Multiples of a value ---------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scaling.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;

static Value emitNumberLike(OpBuilder &builder, Location loc, Value x,
                            int64_t n) {
  return emitConstant(builder, loc, x.getType(), n,
                      tensor::getMixedSizes(builder, loc, x));
}

Value comm::emitMultiple(OpBuilder &builder, Location loc, Value x, int64_t n) {
  return n == 1 ? x
                : arith::MulFOp::create(builder, loc, x,
                                        emitNumberLike(builder, loc, x, n));
}

Value comm::emitQuotient(OpBuilder &builder, Location loc, Value x, int64_t n) {
  return n == 1 ? x
                : arith::DivFOp::create(builder, loc, x,
                                        emitNumberLike(builder, loc, x, n));
}
