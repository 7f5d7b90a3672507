//===- StoppedPaths.cpp - What hides from gradients -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoppedPaths.h"

#include "comm/Analysis/ActivityAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::comm;

bool comm::runner::hasStoppedPath(func::FuncOp function, unsigned argument) {
  SymbolTableCollection symbols;
  using Path = std::pair<Operation *, unsigned>;
  llvm::DenseSet<Path> seen;
  SmallVector<Path> pending = {{function, argument}};
  while (!pending.empty()) {
    Path path = pending.pop_back_val();
    auto visited = cast<func::FuncOp>(path.first);
    if (visited.isDeclaration() || !seen.insert(path).second)
      continue;
    Block &body = visited.getBody().front();
    ActivityAnalysis activity(body, ValueRange(body.getArgument(path.second)),
                              /*sinks=*/{});
    WalkResult stopped = visited.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        if (!activity.isDependent(operand.get()))
          continue;
        if (op->hasTrait<StopsDerivative>())
          return WalkResult::interrupt();
        if (auto call = dyn_cast<func::CallOp>(op))
          if (auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
                  call, call.getCalleeAttr()))
            pending.push_back({callee, operand.getOperandNumber()});
      }
      return WalkResult::advance();
    });
    if (stopped.wasInterrupted())
      return true;
  }
  return false;
}
