//===- Scatter.cpp - comm.scatter -----------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult ScatterOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true))) // scatter_c5
    return failure();
  return verifyDim(*this, getDim(), "dim"); // scatter_c1
}

LogicalResult ScatterOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyRankInGroup(*this, getRoot(), groupSize, "root")) || // c2
      failed(verifyDivisible(*this, getDim(), groupSize)))              // c3
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // scatter_c4
}

// y_i = chunk i of x_root  =>  x̄_root = the ȳ_j put together = gather ȳ
SmallVector<Value> ScatterOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                          ValueRange cotangents) {
  return {GatherOp::create(builder, getLoc(), getInput().getType(),
                           cotangents[0], getDim(), getRoot(), getAxes())
              .getResult()};
}
