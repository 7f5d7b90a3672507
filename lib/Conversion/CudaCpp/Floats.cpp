//===- Floats.cpp - Floating-point numbers, and one kind as another
//---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

static std::string paste(StringRef function, StringRef argument) {
  return (function + "(" + argument + ")").str();
}

/// The function of <cmath> that an op of the math dialect is, for f64.
static StringRef getFunction(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("math.absf", "fabs")
      .Case("math.powf", "pow")
      .Case("math.roundeven", "rint")
      .Case("arith.maxnumf", "fmax")
      .Case("arith.minnumf", "fmin")
      .Case("arith.remf", "fmod")
      .Cases({"math.acos",  "math.acosh", "math.asin",     "math.asinh",
              "math.atan",  "math.atan2", "math.atanh",    "math.cbrt",
              "math.ceil",  "math.cos",   "math.copysign", "math.cosh",
              "math.erf",   "math.erfc",  "math.exp",      "math.exp2",
              "math.expm1", "math.floor", "math.fma",      "math.log",
              "math.log10", "math.log1p", "math.log2",     "math.round",
              "math.rsqrt", "math.sin",   "math.sinh",     "math.sqrt",
              "math.tan",   "math.tanh",  "math.trunc"},
             name.split('.').second)
      .Default("");
}

static std::string compare(arith::CmpFPredicate predicate, const std::string &a,
                           const std::string &b) {
  using Predicate = arith::CmpFPredicate;
  auto both = [&](const char *sign) { return a + " " + sign + " " + b; };
  auto no = [&](const char *sign) { return "!(" + both(sign) + ")"; };
  std::string different = a + " < " + b + " || " + a + " > " + b;
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return "false";
  case Predicate::AlwaysTrue:
    return "true";
  case Predicate::OEQ:
    return both("==");
  case Predicate::UNE:
    return both("!=");
  case Predicate::OGT:
    return both(">");
  case Predicate::OGE:
    return both(">=");
  case Predicate::OLT:
    return both("<");
  case Predicate::OLE:
    return both("<=");
  // A comparison with NaN does not hold.
  case Predicate::UGT:
    return no("<=");
  case Predicate::UGE:
    return no("<");
  case Predicate::ULT:
    return no(">=");
  case Predicate::ULE:
    return no(">");
  case Predicate::ONE:
    return "(" + different + ")";
  case Predicate::UEQ:
    return "!(" + different + ")";
  case Predicate::ORD:
    return "(" + a + " == " + a + " && " + b + " == " + b + ")";
  case Predicate::UNO:
    return "(" + a + " != " + a + " || " + b + " != " + b + ")";
  }
  return "";
}

std::optional<Expression> Emitter::computeFloat(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  Type type = op->getOperand(0).getType();
  if (!isa<FloatType>(type))
    return std::nullopt;
  // f16 and bf16: in f32, rounded after each operation.
  auto operand = [&](unsigned number, Precedence within = Any) {
    Value value = op->getOperand(number);
    return isHalf(value.getType()) ? paste("float", get(value))
                                   : get(value, within);
  };
  auto round = [&](Expression result) {
    return isHalf(op->getResult(0).getType())
               ? Expression{paste(getTypeName(type), result.text)}
               : result;
  };
  StringRef name = op->getName().getStringRef();
  StringRef sign = llvm::StringSwitch<StringRef>(name)
                       .Case("arith.addf", "+")
                       .Case("arith.subf", "-")
                       .Case("arith.mulf", "*")
                       .Case("arith.divf", "/")
                       .Default("");
  if (!sign.empty()) {
    Precedence precedence =
        sign == "+" || sign == "-" ? Additive : Multiplicative;
    return round({operand(0, precedence) + " " + sign.str() + " " +
                      operand(1, Precedence(precedence - 1)),
                  precedence});
  }
  if (auto comparison = dyn_cast<arith::CmpFOp>(op)) {
    std::string text = compare(comparison.getPredicate(), operand(0, Additive),
                               operand(1, Additive));
    char first = text.front(), last = text.back();
    bool isClosed = last == ')' && (first == '(' || first == '!');
    return Expression{text, isClosed ? Unary : Comparison};
  }
  if (isa<arith::NegFOp>(op))
    return round({"-" + operand(0, Atomic), Unary});
  if (isa<math::IsNaNOp>(op))
    return Expression{"(" + operand(0, Additive) +
                      " != " + operand(0, Additive) + ")"};
  if (isa<math::IsFiniteOp>(op))
    return Expression{paste("fabs", operand(0)) + " < INFINITY", Comparison};
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
    StringRef helper = isa<arith::MaximumFOp>(op) ? "maximum" : "minimum";
    program.helpers.insert(helper);
    return round({paste(helper, operand(0) + ", " + operand(1))});
  }
  if (isa<math::FPowIOp>(op)) {
    // In f64, which has all integers of 32 bits: the last one is the sign's.
    std::string power =
        paste("pow", paste("double", operand(0)) + ", " +
                         paste("double", asSigned(op->getOperand(1), Any)));
    return type.isF64() ? Expression{power} : round({paste("float", power)});
  }
  StringRef function = getFunction(name);
  if (function.empty())
    return std::nullopt;
  std::string operands;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    operands += (i ? ", " : "") + operand(i);
  return round({paste((function + (type.isF64() ? "" : "f")).str(), operands)});
}

/// Two statements.
void Emitter::emitSincos(math::SincosOp op) {
  Type type = op.getOperand().getType();
  std::string name = getTypeName(type);
  std::string suffix = type.isF64() ? "" : "f";
  std::string operand = isHalf(type) ? paste("float", get(op.getOperand()))
                                     : get(op.getOperand());
  const std::pair<Value, std::string> results[] = {{op.getSin(), "sin"},
                                                   {op.getCos(), "cos"}};
  for (const auto &[result, function] : results) {
    std::string value = paste(function + suffix, operand);
    std::string variable = names.make("value");
    line("const " + name + " " + variable + " = " +
         (isHalf(type) ? paste(name, value) : value) + ";");
    set(result, {variable});
  }
}

std::optional<Expression> Emitter::computeCast(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() != 1)
    return std::nullopt;
  Value from = op->getOperand(0);
  Type type = op->getResult(0).getType();
  std::string name = getTypeName(type);
  bool isBool = from.getType().isInteger(1);
  // Integers and the other half have no way to a half but through float.
  auto toFloat = [&](const std::string &text) {
    return Expression{isHalf(type) ? paste(name, paste("float", text))
                                   : paste(name, text)};
  };
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return toFloat(get(from));
  if (isa<arith::SIToFPOp>(op))
    return isBool ? Expression{"-" + toFloat(get(from)).text, Unary}
                  : toFloat(asSigned(from, Any));
  if (isa<arith::UIToFPOp>(op))
    return toFloat(asUnsigned(from, Any));
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    bool isSigned = isa<arith::FPToSIOp>(op);
    std::string wide = isSigned ? name : "u" + name;
    std::string source =
        isHalf(from.getType()) ? paste("float", get(from)) : get(from);
    // What is less than one is none.
    if (type.isInteger(1))
      return Expression{"(" + paste("int", source) + " != 0)"};
    return Expression{paste(wide, source)};
  }
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    if (isBool)
      return Expression{"-" + paste(name, get(from)), Unary};
    // An index has the type of an i64.
    if (getType(from) == name)
      return lookup(from);
    return Expression{paste(name, asSigned(from, Any))};
  }
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    std::string wide = type.isIndex() ? name : "u" + name;
    return Expression{paste(wide, asUnsigned(from, Any))};
  }
  if (isa<arith::TruncIOp>(op)) {
    if (type.isInteger(1))
      return Expression{"((" + get(from, Unary) + " & 1) != 0)"};
    return Expression{paste(name, get(from))};
  }
  if (isa<arith::BitcastOp>(op)) {
    program.helpers.insert("bitCast");
    // What is computed of small numbers is an int.
    bool isSmall = from.getType().isInteger(8) || from.getType().isInteger(16);
    std::string bits = get(from);
    return Expression{
        "bitCast<" + name + ">(" +
        (isSmall ? paste(getTypeName(from.getType()), bits) : bits) + ")"};
  }
  return std::nullopt;
}
