//===- Emitter.cpp - What becomes a statement, and its text
//-----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

/// So long an expression is a statement of its own.
static constexpr size_t kLongExpression = 48;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Emitter::line(const Twine &content) {
  text.append(indent * 2, ' ');
  text += content.str();
  text += '\n';
}

void Emitter::open(const Twine &content) {
  line(content + " {");
  ++indent;
}

void Emitter::close(const Twine &content) {
  --indent;
  line(content);
}

void Emitter::fail(Operation *op) {
  op->emitOpError("has no text in CUDA C++");
  program.isGood = false;
}

std::string cudacpp::joinLines(StringRef before, ArrayRef<std::string> parts) {
  std::string text = before.str();
  size_t width = before.size();
  for (auto [number, part] : llvm::enumerate(parts)) {
    bool isLast = number + 1 == parts.size();
    if (number != 0 && width + part.size() + 3 > 80) {
      text.back() = '\n';
      text += "    ";
      width = 4;
    }
    text += part + (isLast ? "" : ", ");
    width += part.size() + 2;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Expression Emitter::lookup(Value value) {
  // Constants have no place.
  if (Operation *op = value.getDefiningOp();
      op && !expressions.count(value) &&
      isa<arith::ConstantOp, LLVM::ConstantOp>(op))
    return *compute(op);
  auto found = expressions.find(value);
  return found == expressions.end() ? Expression{"?"} : found->second;
}

std::string Emitter::get(Value value, Precedence within) {
  Expression expression = lookup(value);
  return expression.precedence > within ? "(" + expression.text + ")"
                                        : expression.text;
}

void Emitter::set(Value value, Expression expression) {
  expressions[value] = std::move(expression);
}

std::string Emitter::makeName(Value value, StringRef otherwise) {
  std::string hint = getHint(value.getLoc());
  return names.make(hint.empty() ? otherwise : StringRef(hint));
}

View &Emitter::getView(Value memref) { return views[memref]; }

//===----------------------------------------------------------------------===//
// What is part of another expression
//===----------------------------------------------------------------------===//

/// Whether an op only computes a number from numbers.
static bool computesNumber(Operation *op) {
  if (isa<memref::DimOp, gpu::BlockIdOp, gpu::ThreadIdOp>(op))
    return true;
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         !isa<MemRefType>(op->getResult(0).getType());
}

/// Whether the op is written where its only user is.
static bool hasOneUserHere(Operation *op) {
  return op->getResult(0).hasOneUse() &&
         op->getResult(0).user_begin()->getBlock() == op->getBlock();
}

/// Whether the text has its operands more than once.
static bool repeatsOperands(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    using Predicate = arith::CmpFPredicate;
    Predicate predicate = compare.getPredicate();
    return predicate == Predicate::ONE || predicate == Predicate::UEQ ||
           predicate == Predicate::ORD || predicate == Predicate::UNO;
  }
  return isa<math::IsNaNOp, math::AbsIOp, math::CountTrailingZerosOp,
             arith::CeilDivUIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp>(op);
}

bool Emitter::isInlined(Operation *op) {
  if (!computesNumber(op) || !hasOneUserHere(op))
    return false;
  Operation *user = *op->getResult(0).user_begin();
  return !repeatsOperands(user) && !isa<memref::SubViewOp>(user);
}

/// A load is, if nothing is written before the statement that it is part of.
bool Emitter::isLoadInlined(memref::LoadOp load) {
  if (!hasOneUserHere(load))
    return false;
  Operation *statement = *load.getResult().user_begin();
  if (repeatsOperands(statement))
    return false;
  while (isInlined(statement))
    statement = *statement->getResult(0).user_begin();
  // The values of loops are assigned to after all others.
  if (statement->getNumRegions() != 0 || isa<scf::YieldOp>(statement))
    return false;
  for (Operation *op = load->getNextNode(); op != statement;
       op = op->getNextNode())
    if (!computesNumber(op) && !isa<memref::LoadOp>(op) &&
        !isa<ViewLikeOpInterface>(op))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      emit(&op);
}

/// What a number is called that has no name.
static StringRef getCommonName(Operation *op) {
  if (isa<gpu::BlockIdOp>(op))
    return "block";
  if (isa<gpu::ThreadIdOp>(op))
    return "thread";
  Type type = op->getResult(0).getType();
  if (type.isIndex())
    return "i";
  if (type.isInteger(1))
    return "is";
  return isa<FloatType>(type) ? "value" : "number";
}

void Emitter::emit(Operation *op) {
  if (isa<arith::ConstantOp, LLVM::ConstantOp>(op) ||
      (computesNumber(op) && op->use_empty()))
    return;
  if (auto both = dyn_cast<math::SincosOp>(op))
    return emitSincos(both);
  if (!computesNumber(op)) {
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && load->getParentOfType<gpu::GPUFuncOp>()) {
      Expression element{getView(load.getMemRef()).pointer + "[" +
                         getSubscript(load.getMemRef(), load.getIndices()) +
                         "]"};
      if (load->use_empty())
        return;
      if (!isLoadInlined(load)) {
        std::string name =
            makeName(load, getView(load.getMemRef()).pointer + "_i");
        line("const " + getTypeName(load.getType()) + " " + name + " = " +
             element.text + ";");
        element = {name};
      }
      return set(load, element);
    }
    if (!emitMemory(op) && !emitControlFlow(op) && !emitOther(op))
      fail(op);
    return;
  }
  std::optional<Expression> expression = compute(op);
  if (!expression || getType(op->getResult(0)).empty())
    return fail(op);
  Value result = op->getResult(0);
  if (isa<memref::DimOp>(op) ||
      (isInlined(op) && expression->text.size() <= kLongExpression))
    return set(result, *expression);
  // A name for it; or what has one already.
  bool isName = llvm::all_of(
      expression->text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isName && isa<arith::IndexCastOp>(op))
    return set(result, *expression);
  std::string name = makeName(result, getCommonName(op));
  StringRef value = expression->text;
  std::string type = getType(result);
  // The variable's type is the cast.
  if (value.starts_with(type + "(") && value.ends_with(")") &&
      value.drop_front(type.size() + 1).drop_back().find_first_of("()") ==
          StringRef::npos)
    value = value.drop_front(type.size() + 1).drop_back();
  line("const " + type + " " + name + " = " + value + ";");
  set(result, {name});
}
