//===- ScaleAverages.cpp - Averages become sums of parts ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"
#include "comm/IR/Scaling.h"

namespace mlir::comm {
#define GEN_PASS_DEF_SCALEAVERAGES
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct ScaleAverages : comm::impl::ScaleAveragesBase<ScaleAverages> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto reduce = dyn_cast<AllReduceOp>(op))
        scale(reduce, reduce.getAxes());
      else if (auto scatter = dyn_cast<ReduceScatterOp>(op))
        scale(scatter, scatter.getAxes());
      else if (auto reduce = dyn_cast<ReduceOp>(op))
        scale(reduce, reduce.getAxes());
    });
  }

  // avg_j x_j = sum_j x_j/n
  template <typename Op>
  static void scale(Op op, AxesAttr axes) {
    if (op.getReduction() != ReductionKind::Avg ||
        !isa<TensorType>(op.getInput().getType()))
      return;
    OpBuilder builder(op);
    // Before the sum: after it, an f16 may have overflowed where the average
    // has not.
    Value part = emitQuotient(builder, op.getLoc(), op.getInput(),
                              comm::getGroupSize(op, axes));
    op.getInputMutable().assign(part);
    op.setReduction(ReductionKind::Sum);
  }
};
} // namespace
