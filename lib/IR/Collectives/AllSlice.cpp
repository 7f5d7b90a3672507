//===- AllSlice.cpp - comm.all_slice --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Verification.h"

using namespace mlir;
using namespace mlir::comm;

LogicalResult AllSliceOp::verify() {
  return verifyDim(*this, getDim(), "dim"); // all_slice_c1
}

LogicalResult AllSliceOp::verifyGroup(int64_t groupSize) {
  if (failed(verifyDivisible(*this, getDim(), groupSize))) // all_slice_c2
    return failure();
  return verifyResized(*this, groupSize, getDim(), {}); // all_slice_c3
}

StringRef AllSliceOp::getVaryingAlternative() {
  return "to take a part of each rank's own value, write "
         "'tensor.extract_slice' at 'comm.axis_index'";
}

// y_i = chunk i of x  =>  x̄ = the chunks put together = all_gather ȳ
SmallVector<Value> AllSliceOp::emitAdjoint(OpBuilder &builder, const Primals &,
                                           ValueRange cotangents) {
  return {AllGatherOp::create(builder, getLoc(), getInput().getType(),
                              cotangents[0], getDim(), getAxes())
              .getResult()};
}
