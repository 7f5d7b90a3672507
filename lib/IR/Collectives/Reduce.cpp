//===- Reduce.cpp - comm.reduce -------------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Scaling.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult ReduceOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false)) ||
      failed(verifySameType(*this))) // reduce_c2
    return failure();
  return verifyAdditive(*this, getReduction()); // reduce_c3
}

LogicalResult ReduceOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // reduce_c1
}

// y_root = sum_j x_j, 0 elsewhere  =>  x̄ = vary(broadcast ȳ); avg: of ȳ/n
SmallVector<Value> ReduceOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                         ValueRange cotangents) {
  Value cotangent = cotangents[0];
  if (getReduction() == ReductionKind::Avg)
    cotangent = emitQuotient(builder, getLoc(), cotangent,
                             getGroupSize(*this, getAxes()));
  Value root = BroadcastOp::create(builder, getLoc(), cotangent, getRoot(),
                                   getAxes())
                   .getResult();
  return {VaryOp::create(builder, getLoc(), root, getAxes())};
}
