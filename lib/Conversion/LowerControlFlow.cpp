//===- LowerControlFlow.cpp - Structured control flow becomes branches ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Passes.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Rewrite/PatternApplicator.h"

namespace mlir::comm {
#define GEN_PASS_DEF_LOWERCONTROLFLOW
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct LowerControlFlow : comm::impl::LowerControlFlowBase<LowerControlFlow> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet list(context);
    populateSCFToControlFlowConversionPatterns(list);
    patterns = std::move(list);
    return success();
  }

  void runOnOperation() override {
    PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    // Some become others: a parallel loop becomes loops.
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<Operation *> ops;
      getOperation().walk<WalkOrder::PreOrder, ReverseIterator>(
          [&](Operation *op) {
            if (isa<scf::SCFDialect>(op->getDialect()) &&
                !op->hasTrait<OpTrait::IsTerminator>())
              ops.push_back(op);
          });
      // In each block from the last to the first: a loop splits its block, and
      // what has been split off already need not be moved again. Outer ops
      // before inner ones: scf.index_switch wants regions of one block.
      for (Operation *op : ops) {
        rewriter.setInsertionPoint(op);
        changed |= succeeded(applicator.matchAndRewrite(op, rewriter));
      }
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
