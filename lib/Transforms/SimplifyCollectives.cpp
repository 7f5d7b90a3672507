//===- SimplifyCollectives.cpp - Applies the laws of the collectives ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/IR/Comm.h"
#include "comm/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::comm {
#define GEN_PASS_DEF_SIMPLIFYCOLLECTIVES
#include "comm/Transforms/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct SimplifyCollectives
    : comm::impl::SimplifyCollectivesBase<SimplifyCollectives> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateCollectiveLaws(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
