//===- RegionFlow.cpp - How values flow through region ops ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/RegionFlow.h"

using namespace mlir;
using namespace mlir::comm;

void comm::forEachRegionEdge(
    RegionBranchOpInterface op,
    llvm::function_ref<void(OperandRange, ValueRange, Region *, Region *)>
        callback) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (const RegionSuccessor &successor : successors)
    callback(op.getEntrySuccessorOperands(successor),
             successor.getSuccessorInputs(), /*source=*/nullptr,
             successor.getSuccessor());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(
        region.front().getTerminator());
    if (!terminator)
      continue;
    successors.clear();
    op.getSuccessorRegions(RegionBranchPoint(terminator), successors);
    for (const RegionSuccessor &successor : successors)
      callback(terminator.getSuccessorOperands(successor),
               successor.getSuccessorInputs(), &region,
               successor.getSuccessor());
  }
}
