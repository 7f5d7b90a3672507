//===- AnnotateActivity.cpp - Prints the activity as attributes -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Transforms/Passes.h"

namespace mlir::comm {
#define GEN_PASS_DEF_ANNOTATEACTIVITY
#include "comm/Transforms/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct AnnotateActivity : comm::impl::AnnotateActivityBase<AnnotateActivity> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.getBody().hasOneBlock())
        annotate(function);
  }

  static void annotate(func::FuncOp function) {
    Block &block = function.getBody().front();
    SmallVector<Value> sources, sinks;
    for (Value argument : block.getArguments())
      if (hasBoundaryCotangent(argument.getType()))
        sources.push_back(argument);
    for (Value result : block.getTerminator()->getOperands())
      if (hasBoundaryCotangent(result.getType()))
        sinks.push_back(result);
    ActivityAnalysis activity(block, sources, sinks);
    auto unit = UnitAttr::get(function.getContext());
    for (BlockArgument argument : block.getArguments())
      if (activity.isActive(argument))
        function.setArgAttr(argument.getArgNumber(), kActiveAttrName, unit);
    block.walk([&](Operation *op) {
      if (activity.isOnPath(op))
        op->setAttr(kActiveAttrName, unit);
    });
  }
};
} // namespace
