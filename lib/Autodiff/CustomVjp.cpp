//===- CustomVjp.cpp - Adjoints that functions carry ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomVjp.h"
#include "comm/Autodiff/Differentiate.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Interfaces/ReplicationOpInterface.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

unsigned CustomVjp::getNumResiduals() const {
  return isPair() ? func::FuncOp(forward).getNumResults() -
                        func::FuncOp(function).getNumResults()
                  : func::FuncOp(function).getNumArguments();
}

SmallVector<Value> CustomVjp::emitForward(OpBuilder &builder, Location loc,
                                          ValueRange arguments) const {
  SmallVector<Value> values(
      func::CallOp::create(builder, loc, forward, arguments).getResults());
  if (!isPair())
    llvm::append_range(values, arguments);
  return values;
}

SmallVector<Value> CustomVjp::emitBackward(OpBuilder &builder, Location loc,
                                           ValueRange residuals,
                                           ValueRange cotangents) const {
  SmallVector<Value> operands(residuals);
  llvm::append_range(operands, cotangents);
  return SmallVector<Value>(
      func::CallOp::create(builder, loc, backward, operands).getResults());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// What stands at one place of a function's boundary.
struct BoundaryValue {
  Type type;
  AxesAttrInterface mark;
  std::string name;
};

/// Compares the functions of a rule with what the function asks of them.
class RuleVerifier {
public:
  explicit RuleVerifier(func::FuncOp function) : function(function) {}

  LogicalResult verify(const CustomVjp &rule);

private:
  SmallVector<BoundaryValue> getArguments(func::FuncOp of);
  SmallVector<BoundaryValue> getResults(func::FuncOp of);
  void compare(func::FuncOp rule, StringRef what, ArrayRef<BoundaryValue> got,
               ArrayRef<BoundaryValue> expected);
  InFlightDiagnostic error(func::FuncOp rule, StringRef message) {
    isValid = false;
    InFlightDiagnostic diagnostic = function.emitError()
                                    << "'" << kCustomVjpAttrName << "' of '@"
                                    << function.getName() << "': " << message;
    diagnostic.attachNote(rule.getLoc()) << "the rule is here";
    return diagnostic;
  }

  func::FuncOp function;
  bool isValid = true;
};
} // namespace

SmallVector<BoundaryValue> RuleVerifier::getArguments(func::FuncOp of) {
  SmallVector<BoundaryValue> values;
  for (auto [number, type] : llvm::enumerate(of.getArgumentTypes()))
    values.push_back(
        {type,
         of.getArgAttrOfType<AxesAttrInterface>(number, kReplicatedAttrName),
         ("argument " + Twine(number) + " of '@" + of.getName() + "'").str()});
  return values;
}

SmallVector<BoundaryValue> RuleVerifier::getResults(func::FuncOp of) {
  SmallVector<BoundaryValue> values;
  for (auto [number, type] : llvm::enumerate(of.getResultTypes()))
    values.push_back(
        {type,
         of.getResultAttrOfType<AxesAttrInterface>(number, kReplicatedAttrName),
         ("result " + Twine(number) + " of '@" + of.getName() + "'").str()});
  return values;
}

static bool areSame(AxesAttrInterface a, AxesAttrInterface b) {
  if (!a || !b)
    return !a && !b;
  auto isIn = [](AxesAttrInterface a, AxesAttrInterface b) {
    return llvm::all_of(a.getAxes(), [&](StringAttr axis) {
      return llvm::is_contained(b.getAxes(), axis);
    });
  };
  return a.getMesh() == b.getMesh() && isIn(a, b) && isIn(b, a);
}

void RuleVerifier::compare(func::FuncOp rule, StringRef what,
                           ArrayRef<BoundaryValue> got,
                           ArrayRef<BoundaryValue> expected) {
  if (got.size() != expected.size()) {
    error(rule, ("expects " + Twine(expected.size()) + " " + what + "s of '@" +
                 rule.getName() + "', got " + Twine(got.size()))
                    .str());
    return;
  }
  auto print = [](AxesAttrInterface mark) -> std::string {
    if (!mark)
      return "unmarked";
    std::string text;
    llvm::raw_string_ostream(text) << "marked " << Attribute(mark);
    return text;
  };
  for (auto [value, wanted] : llvm::zip(got, expected)) {
    if (value.type != wanted.type) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "expects " << value.name << " to have type '" << wanted.type
          << "' as " << wanted.name << ", got '" << value.type << "'";
      error(rule, text);
    } else if (!areSame(value.mark, wanted.mark)) {
      error(rule, "expects " + value.name + " to be " + print(wanted.mark) +
                      " as " + wanted.name + ", got " + print(value.mark));
    }
  }
}

/// The floats among the values, as cotangents.
static SmallVector<BoundaryValue>
getCotangents(ArrayRef<BoundaryValue> values) {
  SmallVector<BoundaryValue> cotangents;
  for (const BoundaryValue &value : values)
    if (hasBoundaryCotangent(value.type)) {
      cotangents.push_back(value);
      cotangents.back().name = "the cotangent of " + value.name;
    }
  return cotangents;
}

LogicalResult RuleVerifier::verify(const CustomVjp &rule) {
  SmallVector<BoundaryValue> arguments = getArguments(function);
  SmallVector<BoundaryValue> results = getResults(function);
  SmallVector<BoundaryValue> residuals = arguments;
  if (rule.isPair()) {
    SmallVector<BoundaryValue> kept = getResults(rule.forward);
    size_t numResults = std::min(kept.size(), results.size());
    residuals.assign(kept.begin() + numResults, kept.end());
    kept.truncate(numResults);
    compare(rule.forward, "argument", getArguments(rule.forward), arguments);
    compare(rule.forward, "result", kept, results);
  }
  llvm::append_range(residuals, getCotangents(results));
  compare(rule.backward, "argument", getArguments(rule.backward), residuals);
  compare(rule.backward, "result", getResults(rule.backward),
          getCotangents(arguments));
  return success(isValid);
}

/// The functions that a rule names, one or two.
static FailureOr<SmallVector<func::FuncOp>> lookupRule(func::FuncOp function,
                                                       SymbolTable &symbols) {
  Attribute attribute = function->getAttr(kCustomVjpAttrName);
  SmallVector<Attribute> names{attribute};
  if (auto pair = dyn_cast<ArrayAttr>(attribute))
    names.assign(pair.begin(), pair.end());
  SmallVector<func::FuncOp> functions;
  for (Attribute name : names) {
    StringAttr symbol = cast<FlatSymbolRefAttr>(name).getAttr();
    auto rule = symbols.lookup<func::FuncOp>(symbol);
    if (!rule || rule.isDeclaration() || rule == function)
      return function.emitError()
             << "'" << kCustomVjpAttrName << "' of '@" << function.getName()
             << "': '@" << symbol.getValue() << "' "
             << (rule == function ? "is the function itself"
                 : rule           ? "has no body"
                                  : "is not a function of the module");
    functions.push_back(rule);
  }
  return functions;
}

FailureOr<CustomVjp> comm::getCustomVjp(func::FuncOp function,
                                        SymbolTable &symbols) {
  FailureOr<SmallVector<func::FuncOp>> functions =
      lookupRule(function, symbols);
  if (failed(functions))
    return failure();
  CustomVjp rule{function,
                 functions->size() == 2 ? functions->front() : function,
                 functions->back()};
  if (failed(RuleVerifier(function).verify(rule)))
    return failure();
  return rule;
}

LogicalResult comm::verifyCustomVjp(func::FuncOp function,
                                    SymbolTable &symbols) {
  if (!function->hasAttr(kCustomVjpAttrName))
    return success();
  return getCustomVjp(function, symbols);
}
