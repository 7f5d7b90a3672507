//===- AllGather.cpp - comm.all_gather ------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult AllGatherOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true))) // all_gather_c3
    return failure();
  return verifyDim(*this, getDim(), "dim"); // all_gather_c1
}

LogicalResult AllGatherOp::verifyGroup(int64_t groupSize) {
  return verifyResized(*this, groupSize, {}, getDim()); // all_gather_c2
}

// y = concatenation of x_j  =>  x̄_i = chunk i of ȳ = all_slice ȳ
SmallVector<Value> AllGatherOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                            ValueRange cotangents) {
  return {AllSliceOp::create(builder, getLoc(), getInput().getType(),
                             cotangents[0], getDim(), getAxes())
              .getResult()};
}
