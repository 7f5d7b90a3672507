//===- Vary.cpp - comm.vary -----------------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult VaryOp::verify() { return verifySameType(*this); }

LogicalResult VaryOp::verifyGroup(int64_t) { return success(); }

StringRef VaryOp::getVaryingAlternative() {
  return "it is each rank's own already: drop the op, or name only the axes "
         "over which the operand is replicated";
}

// y_i = x  =>  x̄ = sum_j ȳ_j = all_reduce sum ȳ
SmallVector<Value> VaryOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                       ValueRange cotangents) {
  return {AllReduceOp::create(builder, getLoc(), cotangents[0],
                              ReductionKind::Sum, getAxes())
              .getResult()};
}
