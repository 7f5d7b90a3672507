//===- AnnotateReplication.cpp - Prints the states as attributes ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/IR/Comm.h"
#include "comm/Transforms/Passes.h"

namespace mlir::comm {
#define GEN_PASS_DEF_ANNOTATEREPLICATION
#include "comm/Transforms/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct AnnotateReplication
    : comm::impl::AnnotateReplicationBase<AnnotateReplication> {
  void runOnOperation() override {
    bool valid = true;
    ModuleFacts facts(getOperation());
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      valid &= succeeded(annotate(function, facts));
    if (!valid)
      signalPassFailure();
  }

  static LogicalResult annotate(FunctionOpInterface function,
                                ModuleFacts &facts) {
    FailureOr<ReplicationAnalysis> analysis =
        ReplicationAnalysis::run(function, facts);
    if (failed(analysis))
      return failure();
    Builder builder(function->getContext());
    auto getState = [&](Value value) -> Attribute {
      return builder.getStrArrayAttr(
          analysis->getMeshAxes().getNames(analysis->getState(value)));
    };
    if (function.isDeclaration())
      return success();
    for (BlockArgument argument : function.getArguments())
      function.setArgAttr(argument.getArgNumber(), kStateAttrName,
                          getState(argument));
    Operation *terminator = function.getFunctionBody().back().getTerminator();
    for (OpOperand &result : terminator->getOpOperands())
      function.setResultAttr(result.getOperandNumber(), kStateAttrName,
                             getState(result.get()));
    function->walk([&](Operation *op) {
      if (op == function)
        return;
      SmallVector<Attribute> results, arguments;
      for (Value result : op->getResults())
        results.push_back(getState(result));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          arguments.push_back(getState(argument));
      if (results.size() == 1)
        op->setAttr(kStateAttrName, results[0]);
      else if (!results.empty())
        op->setAttr(kStateAttrName, builder.getArrayAttr(results));
      if (!arguments.empty())
        op->setAttr(kArgumentStatesAttrName, builder.getArrayAttr(arguments));
    });
    return success();
  }
};
} // namespace
