//===- Gather.cpp - comm.gather -------------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult GatherOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true))) // gather_c4
    return failure();
  return verifyDim(*this, getDim(), "dim"); // gather_c1
}

LogicalResult GatherOp::verifyGroup(int64_t groupSize) {
  if (failed(
          verifyRankInGroup(*this, getRoot(), groupSize, "root"))) // gather_c2
    return failure();
  return verifyResized(*this, groupSize, {}, getDim()); // gather_c3
}

// y_root = concatenation of x_j  =>  x̄_i = chunk i of ȳ_root = scatter ȳ
SmallVector<Value> GatherOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                         ValueRange cotangents) {
  return {ScatterOp::create(builder, getLoc(), getInput().getType(),
                            cotangents[0], getDim(), getRoot(), getAxes())
              .getResult()};
}
