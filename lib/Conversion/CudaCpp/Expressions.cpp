//===- Expressions.cpp - Numbers and what is computed with them
//-------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// Whether an index is not negative for all that is known of it.
static bool isNonNegative(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  if (!value.getType().isIndex())
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           isNonNegative(loop.getLowerBound());
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::ThreadIdOp, memref::DimOp, AxisIndexOp,
          arith::IndexCastUIOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp,
          arith::CeilDivUIOp, arith::ShRUIOp>(op))
    return llvm::all_of(op->getOperands(), isNonNegative);
  return false;
}

/// Whether the text gives the number as an unsigned one.
static bool isUnsigned(Value value) {
  Operation *op = value.getDefiningOp();
  bool isOfUnsigned =
      isa_and_nonnull<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op);
  if (value.getType().isIndex())
    return isOfUnsigned && !llvm::all_of(op->getOperands(), isNonNegative);
  return value.getType().isSignlessInteger() && !value.getType().isInteger(1) &&
         (isOfUnsigned || isa_and_nonnull<arith::IndexCastUIOp, arith::ExtUIOp,
                                          arith::FPToUIOp>(op));
}

static std::string getUnsignedName(Type type) {
  return "u" + getTypeName(type);
}

std::string Emitter::getType(Value value) {
  return isUnsigned(value) ? getUnsignedName(value.getType())
                           : getTypeName(value.getType());
}

std::string Emitter::asUnsigned(Value value, Precedence within) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  if (constant && *constant >= 0 && !value.getType().isInteger(1))
    return get(value, within) + (value.getType().isIndex() ? "" : "u");
  if (isUnsigned(value) || value.getType().isInteger(1) || isNonNegative(value))
    return get(value, within);
  return getUnsignedName(value.getType()) + "(" + get(value) + ")";
}

std::string Emitter::asSigned(Value value, Precedence within) {
  if (isUnsigned(value))
    return getTypeName(value.getType()) + "(" + get(value) + ")";
  return get(value, within);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

std::optional<Expression> Emitter::binary(Operation *op, StringRef sign,
                                          Precedence precedence) {
  Precedence tighter = Precedence(precedence - 1);
  // `a + b + c`, but no comparison of comparisons.
  bool chains = precedence == Additive || precedence == Multiplicative;
  // The other one is wide.
  std::string second = asSigned(op->getOperand(1), tighter);
  if (precedence == Additive && second == "int64_t(threadIdx.x)")
    second = "threadIdx.x";
  return Expression{asSigned(op->getOperand(0), chains ? precedence : tighter) +
                        " " + sign.str() + " " + second,
                    precedence};
}

/// Whether a number counts elements: it does not overflow.
static bool isCount(Value value) {
  if (value.getType().isIndex())
    return true;
  if (value.getType().getIntOrFloatBitWidth() < 32)
    return false;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::IndexCastOp, LLVM::ConstantOp>(op) ||
         (isa_and_nonnull<arith::MulIOp>(op) &&
          llvm::all_of(op->getOperands(), isCount));
}

/// By functions that only the device has.
std::optional<Expression> Emitter::countBits(Operation *op) {
  if (!op->getParentOfType<gpu::GPUFuncOp>())
    return std::nullopt;
  Value value = op->getOperand(0);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  std::string bits = asUnsigned(value, Any), size = std::to_string(width);
  std::string wide = width > 32 ? "ll" : "";
  if (width == 1)
    return isa<math::CtPopOp>(op) ? lookup(value)
                                  : Expression{"!" + get(value, Atomic), Unary};
  if (isa<math::CtPopOp>(op))
    return Expression{"__popc" + wide + "(" + bits + ")"};
  if (isa<math::CountTrailingZerosOp>(op))
    return Expression{get(value, Additive) + " == 0 ? " + size + " : __ffs" +
                          wide + "(" + bits + ") - 1",
                      Conditional};
  std::string zeros = "__clz" + wide + "(" + bits + ")";
  if (width >= 32)
    return Expression{zeros};
  return Expression{zeros + " - " + std::to_string(32 - width), Additive};
}

std::optional<Expression> Emitter::computeInteger(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return std::nullopt;
  Type type = op->getResult(0).getType();
  StringRef name = op->getName().getStringRef();
  bool isBool = op->getOperand(0).getType().isInteger(1);

  // They wrap around: as unsigned numbers of 32 bits at least.
  StringRef sign = llvm::StringSwitch<StringRef>(name)
                       .Case("arith.addi", "+")
                       .Case("arith.subi", "-")
                       .Case("arith.muli", "*")
                       .Default("");
  if (!sign.empty() && isBool) {
    if (sign == "*")
      return binary(op, "&&", Logical);
    return binary(op, "!=", Comparison);
  }
  if (!sign.empty()) {
    if (llvm::all_of(op->getOperands(), isCount))
      return binary(op, sign, sign == "*" ? Multiplicative : Additive);
    std::string wide = type.isInteger(64) ? "uint64_t" : "uint32_t";
    return Expression{getTypeName(type) + "(" + wide + "(" +
                      get(op->getOperand(0)) + ") " + sign.str() + " " + wide +
                      "(" + get(op->getOperand(1)) + "))"};
  }

  sign = llvm::StringSwitch<StringRef>(name)
             .Case("arith.andi", isBool ? "&&" : "&")
             .Case("arith.ori", isBool ? "||" : "|")
             .Case("arith.xori", isBool ? "!=" : "^")
             .Default("");
  if (!sign.empty()) {
    if (sign == "!=")
      return binary(op, sign, Comparison);
    // Bits of small numbers are those of ints.
    std::optional<Expression> bits = binary(op, sign, Logical);
    if (!isBool && (type.isInteger(8) || type.isInteger(16)))
      return Expression{getTypeName(type) + "(" + bits->text + ")"};
    return bits;
  }

  auto operation = [&](StringRef sign, bool signedness) {
    Value a = op->getOperand(0), b = op->getOperand(1);
    auto convert = [&](Value value, Precedence within) {
      return signedness ? asSigned(value, within) : asUnsigned(value, within);
    };
    bool isShift = sign == ">>" || sign == "<<";
    std::string first = convert(a, Multiplicative);
    // A literal is an int, which is not moved by 32 bits and more.
    if (isShift && (type.isIndex() || type.isInteger(64)) &&
        getConstantIntValue(a))
      first = (signedness ? "int64_t(" : "uint64_t(") + get(a) + ")";
    std::string text = first + " " + sign.str() + " " + convert(b, Unary);
    return Expression{isShift ? "(" + text + ")" : text,
                      isShift ? Atomic : Multiplicative};
  };
  if (isa<arith::DivSIOp>(op))
    return operation("/", true);
  if (isa<arith::RemSIOp>(op))
    return operation("%", true);
  if (isa<arith::DivUIOp>(op))
    return operation("/", false);
  if (isa<arith::RemUIOp>(op))
    return operation("%", false);
  if (isa<arith::ShRSIOp>(op))
    return operation(">>", true);
  if (isa<arith::ShRUIOp>(op))
    return operation(">>", false);
  if (isa<arith::ShLIOp>(op))
    return Expression{getTypeName(type) + operation("<<", false).text};

  auto call = [&](StringRef helper, bool signedness) {
    program.helpers.insert(helper);
    auto convert = [&](Value value) {
      std::string cast = signedness || type.isIndex() ? getTypeName(type)
                                                      : getUnsignedName(type);
      return cast + "(" + get(value) + ")";
    };
    return Expression{helper.str() + "(" + convert(op->getOperand(0)) + ", " +
                      convert(op->getOperand(1)) + ")"};
  };
  if (isa<arith::CeilDivSIOp>(op) ||
      (isa<arith::CeilDivUIOp>(op) &&
       llvm::all_of(op->getOperands(), isNonNegative)))
    return call("ceilDiv", true);
  if (isa<arith::FloorDivSIOp>(op))
    return call("floorDiv", true);

  if (isa<arith::CeilDivUIOp>(op)) {
    std::string a = asUnsigned(op->getOperand(0), Unary);
    std::string b = asUnsigned(op->getOperand(1), Unary);
    return Expression{getTypeName(type) + "(" + a + " / " + b + " + (" + a +
                      " % " + b + " != 0))"};
  }
  if (isa<math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(
          op))
    return countBits(op);

  auto choice = [&](StringRef sign, bool signedness) {
    auto convert = [&](Value value) {
      return signedness ? asSigned(value, Additive)
                        : asUnsigned(value, Additive);
    };
    std::string a = convert(op->getOperand(0)), b = convert(op->getOperand(1));
    // True is -1.
    bool isTurned = isBool && signedness;
    return Expression{(isTurned ? b : a) + " " + sign.str() + " " +
                          (isTurned ? a : b) + " ? " +
                          asSigned(op->getOperand(0), Logical) + " : " +
                          asSigned(op->getOperand(1), Logical),
                      Conditional};
  };
  if (isa<arith::MaxSIOp>(op))
    return choice(">", true);
  if (isa<arith::MinSIOp>(op))
    return choice("<", true);
  if (isa<arith::MaxUIOp>(op))
    return choice(">", false);
  if (isa<arith::MinUIOp>(op))
    return choice("<", false);

  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using arith::CmpIPredicate;
    CmpIPredicate predicate = compare.getPredicate();
    if (predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne)
      return binary(op,
                    predicate == CmpIPredicate::eq ? "==" : "!=", Comparison);
    StringRef text = arith::stringifyCmpIPredicate(predicate);
    bool signedness = text.consume_front("s");
    text.consume_front("u");
    std::string sign = text.starts_with("l") ? "<" : ">";
    if (text.ends_with("e"))
      sign += "=";
    Value a = compare.getLhs(), b = compare.getRhs();
    if (signedness && isBool)
      std::swap(a, b);
    auto convert = [&](Value value) {
      return signedness ? asSigned(value, Additive)
                        : asUnsigned(value, Additive);
    };
    return Expression{convert(a) + " " + sign + " " + convert(b), Comparison};
  }
  if (isa<math::AbsIOp>(op)) {
    std::string a = asSigned(op->getOperand(0), Unary);
    std::string text = a + " < 0 ? -" + a + " : " + a;
    // The smallest of the small numbers stays what it is.
    if (type.isInteger(8) || type.isInteger(16))
      return Expression{getTypeName(type) + "(" + text + ")"};
    return Expression{text, Conditional};
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Any number
//===----------------------------------------------------------------------===//

std::optional<Expression> Emitter::compute(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::string literal = getLiteral(constant.getValue());
    return Expression{literal,
                      StringRef(literal).starts_with("-") ? Additive : Atomic};
  }
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    return Expression{getLiteral(dyn_cast<TypedAttr>(constant.getValue()))};
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    if (!position)
      return std::nullopt;
    std::string size = getView(dim.getSource()).sizes[*position];
    bool isProduct = StringRef(size).contains(' ');
    return Expression{size, isProduct ? Multiplicative : Atomic};
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (isa<MemRefType>(select.getType()))
      return std::nullopt;
    return Expression{get(select.getCondition(), Logical) + " ? " +
                          asSigned(select.getTrueValue(), Logical) + " : " +
                          asSigned(select.getFalseValue(), Logical),
                      Conditional};
  }
  if (auto block = dyn_cast<gpu::BlockIdOp>(op))
    return Expression{"int64_t(blockIdx." +
                      stringifyDimension(block.getDimension()).str() + ")"};
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op))
    return Expression{"int64_t(threadIdx." +
                      stringifyDimension(thread.getDimension()).str() + ")"};
  if (std::optional<Expression> cast = computeCast(op))
    return cast;
  if (std::optional<Expression> number = computeFloat(op))
    return number;
  return computeInteger(op);
}
