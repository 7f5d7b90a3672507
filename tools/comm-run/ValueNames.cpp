//===- ValueNames.cpp - Names of arguments and results in the text --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNames.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::comm::runner;

/// The text from `loc` on; empty where the location is in no text at hand.
static StringRef getTextAt(Location loc, const llvm::SourceMgr &text) {
  auto place = dyn_cast<FileLineColLoc>(loc);
  unsigned file = text.getMainFileID();
  const llvm::MemoryBuffer *buffer = text.getMemoryBuffer(file);
  if (!place || buffer->getBufferIdentifier() != place.getFilename().strref() ||
      isBytecode(*buffer))
    return {};
  // The source manager takes the place's own file to be the main one.
  llvm::SMLoc start =
      const_cast<llvm::SourceMgr &>(text).FindLocForLineAndColumn(
          file, place.getLine(), place.getColumn());
  if (!start.isValid())
    return {};
  return StringRef(start.getPointer(),
                   buffer->getBufferEnd() - start.getPointer());
}

/// Takes an SSA name such as "%y" or "%r#1" off the front of `text`; empty
/// where there is none.
static StringRef takeName(StringRef &text) {
  if (!text.consume_front("%"))
    return {};
  StringRef name = text.take_while([](char c) {
    return llvm::isAlnum(c) || StringRef("_$.-#").contains(c);
  });
  text = text.drop_front(name.size());
  return name;
}

/// Leaves out a name that a flag would take for a position.
static std::string getUsableName(StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()))
    return {};
  return name.str();
}

std::vector<std::string>
comm::runner::getArgumentNames(func::FuncOp function,
                               const llvm::SourceMgr &text) {
  std::vector<std::string> names;
  for (BlockArgument argument : function.getArguments()) {
    if (auto named = dyn_cast<NameLoc>(argument.getLoc())) {
      names.push_back(getUsableName(named.getName()));
      continue;
    }
    StringRef at = getTextAt(argument.getLoc(), text);
    names.push_back(getUsableName(takeName(at)));
  }
  return names;
}

std::vector<std::string>
comm::runner::getResultNames(func::FuncOp function,
                             const llvm::SourceMgr &text) {
  std::vector<std::string> names(function.getNumResults());
  StringRef at = getTextAt(function.back().getTerminator()->getLoc(), text);
  at.consume_front("func.");
  if (!at.consume_front("return"))
    return names;
  for (std::string &name : names) {
    at = at.ltrim();
    std::string found = getUsableName(takeName(at));
    if (!llvm::is_contained(names, found))
      name = found;
    at = at.ltrim();
    if (!at.consume_front(","))
      break;
  }
  return names;
}
