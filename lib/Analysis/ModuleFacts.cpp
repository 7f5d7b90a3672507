//===- ModuleFacts.cpp - What analyses ask of a whole module --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Analysis/ModuleFacts.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

FunctionOpInterface ModuleFacts::getCalledFunction(Operation *op) {
  SymbolRefAttr callee;
  if (auto call = dyn_cast<CallOpInterface>(op))
    callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  else if (isa<CallBoundaryOpInterface>(op))
    callee = op->getAttrOfType<SymbolRefAttr>("callee");
  if (!callee)
    return {};
  return symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
}

/// Adds what another op or function holds. Points at an op over a group that
/// has several ranks, if there is one.
static void addGroups(HeldGroups &held, const HeldGroups &more) {
  if (!more.op)
    return;
  if (!held.op || (held.axes.isReplicated() && !more.axes.isReplicated()))
    held.op = more.op;
  held.axes |= more.axes;
}

HeldGroups ModuleFacts::getHeldGroups(FunctionOpInterface function) {
  auto known = heldGroups.find(function);
  if (known != heldGroups.end())
    return known->second;

  // Callees before their callers, and not by recursion: calls nest as deep as
  // the user likes. A function that is still open calls itself.
  struct OpenFunction {
    FunctionOpInterface function;
    /// What it holds, in program order: groups of its own, or a callee.
    SmallVector<std::pair<HeldGroups, FunctionOpInterface>> parts;
    size_t numVisited = 0;
  };
  SmallVector<OpenFunction> open;
  auto visit = [&](FunctionOpInterface callee) {
    heldGroups.try_emplace(callee);
    OpenFunction &opened = open.emplace_back();
    opened.function = callee;
    callee->walk([&](Operation *op) {
      auto group = dyn_cast<ReplicationOpInterface>(op);
      if (group && group.isSynchronizing())
        opened.parts.push_back(
            {{meshAxes.getSet(group.getGroupAxes()), op}, nullptr});
      else if (FunctionOpInterface called = getCalledFunction(op))
        opened.parts.push_back({{}, called});
    });
  };
  visit(function);
  while (!open.empty()) {
    OpenFunction &current = open.back();
    while (current.numVisited < current.parts.size()) {
      FunctionOpInterface called = current.parts[current.numVisited].second;
      if (called && !heldGroups.contains(called))
        break;
      ++current.numVisited;
    }
    if (current.numVisited < current.parts.size()) {
      visit(current.parts[current.numVisited].second);
      continue;
    }
    HeldGroups held;
    for (const auto &[groups, called] : current.parts)
      addGroups(held, called ? heldGroups.lookup(called) : groups);
    heldGroups[current.function] = held;
    open.pop_back();
  }
  return heldGroups.lookup(function);
}
