//===- ReduceScatter.cpp - comm.reduce_scatter ----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Scaling.h"
#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/true)) ||        // c5
      failed(verifyDim(*this, getDim(), "dim")))              // c1
    return failure();
  return verifyAdditive(*this, getReduction()); // reduce_scatter_c4
}

LogicalResult ReduceScatterOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyDivisible(*this, getDim(), groupSize))) // reduce_scatter_c2
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // reduce_scatter_c3
}

// y_i = chunk i of sum_j x_j  =>  x̄ = vary(all_gather ȳ); avg: of ȳ/n
SmallVector<Value> ReduceScatterOp::emitAdjoint(OpBuilder &builder,
                                                const Primals &,
                                                ValueRange cotangents) {
  Value cotangent = cotangents[0];
  if (getReduction() == ReductionKind::Avg)
    cotangent = emitQuotient(builder, getLoc(), cotangent,
                             getGroupSize(*this, getAxes()));
  Value gathered =
      AllGatherOp::create(builder, getLoc(), getInput().getType(), cotangent,
                          getDim(), getAxes())
          .getResult();
  return {VaryOp::create(builder, getLoc(), gathered, getAxes())};
}
