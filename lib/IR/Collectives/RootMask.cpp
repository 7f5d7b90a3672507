//===- RootMask.cpp - comm.root_mask --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult RootMaskOp::verify() {
  return verifySameType(*this); // root_mask_c2
}

LogicalResult RootMaskOp::verifyGroup(int64_t groupSize) {
  return verifyRankInGroup(*this, getRoot(), groupSize, "root"); // root_mask_c1
}

StringRef RootMaskOp::getVaryingAlternative() {
  return "to keep one rank's own value and zeros elsewhere, write "
         "'comm.permute' with the pair (root, root)";
}

// y_root = x, 0 elsewhere  =>  x̄ = ȳ_root = broadcast ȳ
SmallVector<Value> RootMaskOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                           ValueRange cotangents) {
  return {BroadcastOp::create(builder, getLoc(), cotangents[0], getRoot(),
                              getAxes())
              .getResult()};
}
