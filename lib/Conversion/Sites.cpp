//===- Sites.cpp - Where in the user's program a call is from -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Interfaces/AdjointOpInterface.h"

using namespace mlir;
using namespace mlir::comm;

std::string comm::getSiteDetail(Operation *op) {
  if (auto kept = op->getAttrOfType<StringAttr>(kDetailAttrName))
    return kept.str();
  auto collective = dyn_cast<ReplicationOpInterface>(op);
  if (!collective)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  // With the words of the op's syntax. What the runtime knows from the call
  // (reduction, root, channel, pairs) it says itself.
  const std::pair<StringRef, StringRef> dims[] = {
      {"split_dim", "split"}, {"concat_dim", "concat"}, {"dim", "dim"}};
  for (auto [name, word] : dims)
    if (auto dim = op->getAttrOfType<IntegerAttr>(name))
      stream << word << " " << dim.getInt() << " ";
  auto axes = cast<AxesAttr>(Attribute(collective.getGroupAxes()));
  stream << "over " << axes.getMesh() << "[";
  llvm::interleaveComma(axes.getAxes(), stream);
  stream << "]";
  return text;
}

/// Whether the differentiator made the op for a backward.
static bool isInBackward(Operation *op) {
  WalkResult walk = op->getLoc()->walk([](Location loc) {
    auto named = dyn_cast<NameLoc>(loc);
    return named && named.getName() == kBackwardLocName
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

Value RuntimeCalls::getSite(OpBuilder &builder, Operation *op, StringRef name) {
  StringRef file;
  int32_t line = 0, column = 0;
  // Also inside of fused, named and call site locations: of an inlined op, the
  // line in the callee.
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = at.getFilename();
    line = at.getLine();
    column = at.getColumn();
  }
  std::string detail = getSiteDetail(op);
  if (isInBackward(op))
    detail += detail.empty() ? "backward" : ", backward";
  if (name.empty())
    name = op->getName().getStringRef();

  Builder attributes(module.getContext());
  auto key = attributes.getArrayAttr(
      {attributes.getStringAttr(name), attributes.getStringAttr(file),
       attributes.getI32IntegerAttr(line), attributes.getI32IntegerAttr(column),
       attributes.getStringAttr(detail)});
  LLVM::GlobalOp nameText = getString(name), fileText = getString(file),
                 detailText = getString(detail);
  LLVM::GlobalOp site =
      getStruct("comm_site", key, [&](OpBuilder &body, Location loc) {
        return SmallVector<Value>{
            getAddress(body, loc, nameText), getAddress(body, loc, fileText),
            getI32(body, loc, line), getI32(body, loc, column),
            getAddress(body, loc, detailText)};
      });
  return getAddress(builder, op->getLoc(), site);
}
