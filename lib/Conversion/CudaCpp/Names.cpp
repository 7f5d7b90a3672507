//===- Names.cpp - Names from the text that was compiled
//--------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "comm/Conversion/CudaCpp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

/// Marks a NameLoc that holds the name of a value; no other begins so.
static constexpr char kValueMark = '%';
static constexpr StringLiteral kResultNamesAttrName = "result_names";

//===----------------------------------------------------------------------===//
// Reading them
//===----------------------------------------------------------------------===//

/// The line that `loc` is in and the column, from 0; null where it is in no
/// text at hand.
static std::pair<StringRef, size_t> getLine(Location loc,
                                            const llvm::SourceMgr &text) {
  auto place = dyn_cast<FileLineColLoc>(loc);
  unsigned file = text.getMainFileID();
  const llvm::MemoryBuffer *buffer = text.getMemoryBuffer(file);
  if (!place || buffer->getBufferIdentifier() != place.getFilename().strref())
    return {};
  // The source manager takes the place's own file to be the main one.
  llvm::SMLoc start =
      const_cast<llvm::SourceMgr &>(text).FindLocForLineAndColumn(
          file, place.getLine(), 1);
  if (!start.isValid())
    return {};
  StringRef rest(start.getPointer(),
                 buffer->getBufferEnd() - start.getPointer());
  return {rest.split('\n').first, place.getColumn() - 1};
}

static StringRef takeName(StringRef text) {
  if (!text.consume_front("%"))
    return {};
  return text.take_while(
      [](char c) { return llvm::isAlnum(c) || StringRef("_$.-").contains(c); });
}

static Location addName(Location loc, StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()))
    return loc;
  return NameLoc::get(
      StringAttr::get(loc.getContext(), Twine(kValueMark) + name), loc);
}

/// Keeps what is returned, from "return %y, %z", with the function.
static void nameResults(Operation *op, const llvm::SourceMgr &text) {
  auto [line, column] = getLine(op->getLoc(), text);
  auto [before, rest] = line.drop_front(column).split("return");
  SmallVector<StringRef> operands;
  rest.split(':').first.split(operands, ',');
  if (operands.size() != op->getNumOperands() || operands.empty())
    return;
  SmallVector<StringRef> names;
  for (StringRef operand : operands)
    names.push_back(takeName(operand.trim()));
  op->getParentOp()->setAttr(kResultNamesAttrName,
                             Builder(op->getContext()).getStrArrayAttr(names));
}

void comm::nameValues(ModuleOp module, const llvm::SourceMgr &text) {
  module.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments()) {
          auto [line, column] = getLine(argument.getLoc(), text);
          argument.setLoc(
              addName(argument.getLoc(), takeName(line.drop_front(column))));
        }
    if (isa<func::ReturnOp>(op))
      nameResults(op, text);
    if (op->getNumResults() == 0)
      return;
    // "%h = arith.mulf": the location is the op's.
    auto [line, column] = getLine(op->getLoc(), text);
    StringRef before = line.take_front(column);
    before =
        before.substr(before.rfind('%') == StringRef::npos ? before.size()
                                                           : before.rfind('%'));
    if (before.contains('=') || column == 0)
      op->setLoc(addName(op->getLoc(), takeName(before)));
  });
}

//===----------------------------------------------------------------------===//
// Using them
//===----------------------------------------------------------------------===//

static bool isInBackward(Location loc) {
  WalkResult walk = loc->walk([](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    return named && named.getName() == kBackwardLocName
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// A name that C++ takes.
static std::string getUsable(StringRef name) {
  if (name.empty() || llvm::isDigit(name.front()))
    return "";
  std::string usable = name.str();
  for (char &c : usable)
    if (!llvm::isAlnum(c))
      c = '_';
  return usable;
}

SmallVector<std::string> cudacpp::getResultHints(Operation *function) {
  SmallVector<std::string> hints(cast<func::FuncOp>(function).getNumResults());
  auto names = function->getAttrOfType<ArrayAttr>(kResultNamesAttrName);
  if (names && names.size() == hints.size())
    for (auto [hint, name] : llvm::zip_equal(hints, names))
      hint = getUsable(cast<StringAttr>(name));
  return hints;
}

std::string cudacpp::getHint(Location loc) {
  std::string hint;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named ||
        !named.getName().strref().starts_with(Twine(kValueMark).str()))
      return WalkResult::advance();
    hint = named.getName().strref().drop_front().str();
    return WalkResult::interrupt();
  });
  hint = getUsable(hint);
  if (!hint.empty() && isInBackward(loc))
    hint = "d_" + hint;
  return hint;
}

std::string cudacpp::getPlace(Location loc) {
  auto at = loc->findInstanceOf<FileLineColLoc>();
  if (!at)
    return "";
  return (llvm::sys::path::filename(at.getFilename()) + ":" +
          Twine(at.getLine()))
      .str();
}

std::string cudacpp::describe(Operation *op, StringRef what) {
  std::string place = getPlace(op->getLoc());
  std::string text = place.empty() ? what.str() : place + ": " + what.str();
  return isInBackward(op->getLoc()) ? text + ", backward" : text;
}

static const char *const reservedNames[] = {
    // C++.
    "alignas", "alignof", "and", "asm", "auto", "bitand", "bitor", "bool",
    "break", "case", "catch", "char", "class", "compl", "const", "constexpr",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "main", "mutable", "namespace", "new", "not",
    "nullptr", "operator", "or", "private", "protected", "public", "register",
    "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "template", "this", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
    // The C library, whose functions are of the global namespace.
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
    "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
    "fabs", "floor", "fma", "fmax", "fmin", "fmod", "gamma", "hypot", "index",
    "j0", "j1", "jn", "lgamma", "log", "log10", "log1p", "log2", "logb", "max",
    "min", "norm", "pow", "rint", "round", "rsqrt", "signgam", "sin", "sinh",
    "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn", "stdin",
    "stdout", "stderr", "time", "read", "write", "free", "malloc", "INFINITY",
    "NAN", "size_t",
    // CUDA and the text's own.
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3",
    "Communicators", "communicators", "Device", "device", "CHECK", "CHECK_CUDA",
    "CHECK_NCCL", "CHECK_BLAS", "fail", "order", "gemm", "permute", "receive",
    "rankIn", "barrier", "reduceByGather", "allToAllInPlace", "sizeOf",
    "BlasType", "status_", "readNumber", "setNumber", "storeNumber", "bitCast",
    "maximum", "minimum", "ceilDiv", "floorDiv", "Sum", "Product", "Maximum",
    "Minimum", "And", "Or", "Xor", "reduceRanks"};

NameTable::NameTable(const NameTable *outer) : outer(outer) {
  if (!outer)
    for (const char *name : reservedNames)
      used.insert(name);
}

bool NameTable::isUsed(StringRef name) const {
  // The functions on f32 are called like expf.
  return used.contains(name) || (outer && outer->isUsed(name)) ||
         (!outer && name.consume_back("f") && used.contains(name));
}

std::string NameTable::make(StringRef hint) {
  std::string base;
  for (char c : hint)
    base += llvm::isAlnum(c) ? c : '_';
  // Names with two underscores are the implementation's.
  while (StringRef(base).contains("__"))
    base.erase(base.find("__"), 1);
  if (base.empty() || llvm::isDigit(base.front()) || base.front() == '_')
    base = "v" + base;
  std::string name = base;
  for (unsigned number = 1; isUsed(name); ++number)
    name = base +
           (llvm::isDigit(base.back()) || base.back() == '_' ? "" : "_") +
           (llvm::isDigit(base.back()) ? "_" : "") + std::to_string(number);
  used.insert(name);
  return name;
}
