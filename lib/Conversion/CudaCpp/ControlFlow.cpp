//===- ControlFlow.cpp - Loops and conditions
//-------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

void Emitter::declare(ValueRange values, ValueRange initial,
                      StringRef otherwise) {
  for (auto [number, value] : llvm::enumerate(values)) {
    auto start = [&](const std::string &text) {
      return initial.empty() ? ";" : " = " + text + ";";
    };
    std::string name = makeName(value, otherwise);
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      line(getTypeName(value.getType()) + " " + name +
           start(initial.empty() ? "" : get(initial[number])));
      set(value, {name});
      continue;
    }
    View from = initial.empty() ? View() : getView(initial[number]);
    line(getTypeName(type.getElementType()) + " *" + name +
         start(from.pointer));
    bindVariable(value, name);
    const View &to = getView(value);
    for (unsigned dim : getDynamicSizes(type))
      line("int64_t " + to.sizes[dim] +
           start(initial.empty() ? "" : from.sizes[dim]));
    for (unsigned dim : getDynamicStrides(type))
      line("int64_t " + to.strides[dim] +
           start(initial.empty() ? "" : from.strides[dim]));
  }
}

void Emitter::assign(ValueRange variables, ValueRange values) {
  struct Assignment {
    std::string type, to, from;
  };
  SmallVector<Assignment> assignments;
  auto add = [&](const std::string &type, const std::string &to,
                 const std::string &from) {
    if (to != from)
      assignments.push_back({type, to, from});
  };
  for (auto [variable, value] : llvm::zip_equal(variables, values)) {
    auto type = dyn_cast<MemRefType>(variable.getType());
    if (!type) {
      add(getTypeName(variable.getType()), get(variable), get(value));
      continue;
    }
    View to = getView(variable), from = getView(value);
    add(getTypeName(type.getElementType()) + " *", to.pointer, from.pointer);
    for (unsigned dim : getDynamicSizes(type))
      add("int64_t", to.sizes[dim], from.sizes[dim]);
    for (unsigned dim : getDynamicStrides(type))
      add("int64_t", to.strides[dim], from.strides[dim]);
  }
  // All are read before any is written, where one is another's new value.
  bool areIndependent = llvm::none_of(assignments, [&](const Assignment &a) {
    return llvm::any_of(assignments, [&](const Assignment &b) {
      return &a != &b && StringRef(b.from).contains(a.to);
    });
  });
  if (!areIndependent)
    for (Assignment &assignment : assignments) {
      std::string name = names.make("next_" + assignment.to);
      bool isPointer = assignment.type.back() == '*';
      line((isPointer ? "" : "const ") + assignment.type +
           (isPointer ? "" : " ") + name + " = " + assignment.from + ";");
      assignment.from = name;
    }
  for (const Assignment &assignment : assignments)
    line(assignment.to + " = " + assignment.from + ";");
}

void Emitter::emitFor(scf::ForOp op) {
  if (op.getUnsignedCmp())
    return fail(op);
  declare(op.getRegionIterArgs(), op.getInitArgs(), "carried");
  std::string i = makeName(op.getInductionVar(), "i");
  set(op.getInductionVar(), {i});
  std::string step = get(op.getStep(), Multiplicative);
  open("for (" + getTypeName(op.getInductionVar().getType()) + " " + i + " = " +
       get(op.getLowerBound()) + "; " + i + " < " +
       asSigned(op.getUpperBound(), Additive) + "; " +
       (step == "1" ? "++" + i : i + " += " + step) + ")");
  beginBlock();
  emitBlock(*op.getBody());
  assign(op.getRegionIterArgs(), op.getYieldedValues());
  endBlock();
  close();
  for (auto [result, variable] :
       llvm::zip_equal(op.getResults(), op.getRegionIterArgs())) {
    if (isa<MemRefType>(result.getType()))
      getView(result) = View(getView(variable));
    else
      set(result, lookup(variable));
  }
}

void Emitter::emitIf(scf::IfOp op) {
  declare(op.getResults(), {}, "chosen");
  auto branch = [&](Block *block) {
    beginBlock();
    emitBlock(*block);
    assign(op.getResults(), block->getTerminator()->getOperands());
    endBlock();
  };
  open("if (" + get(op.getCondition()) + ")");
  branch(op.thenBlock());
  if (op.elseBlock()) {
    --indent;
    open("} else");
    branch(op.elseBlock());
  }
  close();
}

void Emitter::emitWhile(scf::WhileOp op) {
  declare(op.getResults(), {}, "last");
  declare(op.getBeforeArguments(), op.getInits(), "carried");
  open("while (true)");
  beginBlock();
  emitBlock(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  endBlock();
  assign(op.getResults(), condition.getArgs());
  std::string holds = get(condition.getCondition(), Unary);
  open("if (!" + holds + ")");
  line("break;");
  close();
  // The second half reads what the first gave, and so do later ops.
  for (auto [argument, value] :
       llvm::zip_equal(op.getAfterArguments(), op.getResults())) {
    if (isa<MemRefType>(argument.getType()))
      getView(argument) = View(getView(value));
    else
      set(argument, lookup(value));
  }
  beginBlock();
  emitBlock(*op.getAfterBody());
  assign(op.getBeforeArguments(), op.getYieldOp().getOperands());
  endBlock();
  close();
}

void Emitter::emitSwitch(scf::IndexSwitchOp op) {
  declare(op.getResults(), {}, "chosen");
  auto branch = [&](const Twine &label, Block &block) {
    open(label);
    beginBlock();
    emitBlock(block);
    assign(op.getResults(), block.getTerminator()->getOperands());
    endBlock();
    line("break;");
    close();
  };
  line("switch (" + get(op.getArg()) + ") {");
  for (auto [number, value] : llvm::enumerate(op.getCases()))
    branch("case " + Twine(value) + ":", op.getCaseBlock(number));
  branch("default:", op.getDefaultBlock());
  line("}");
}

bool Emitter::emitControlFlow(Operation *op) {
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(op))
    return false;
  beginRegions();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    emitFor(loop);
  else if (auto condition = dyn_cast<scf::IfOp>(op))
    emitIf(condition);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    emitWhile(loop);
  else
    emitSwitch(cast<scf::IndexSwitchOp>(op));
  endRegions();
  return true;
}
