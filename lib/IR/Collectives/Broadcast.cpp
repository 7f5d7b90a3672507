//===- Broadcast.cpp - comm.broadcast -------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult BroadcastOp::verify() {
  if (failed(verifyForm(*this, /*needsDest=*/false)))
    return failure();
  return verifySameType(*this); // broadcast_c2
}

LogicalResult BroadcastOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // broadcast_c1
}

// y = x_root  =>  x̄_root = ȳ, 0 elsewhere = root_mask ȳ
SmallVector<Value> BroadcastOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                            ValueRange cotangents) {
  return {RootMaskOp::create(builder, getLoc(), cotangents[0], getRoot(),
                             getAxes())
              .getResult()};
}
