//===- Functions.cpp - Parameters, results, calls and streams
//---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../SizeChecks.h"
#include "FunctionEmitter.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// The allocation or the argument that a memref is a view of; null where it may
/// be one of several.
static Value getBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? memref
                                                                 : Value();
  return isa_and_nonnull<memref::AllocOp, memref::GetGlobalOp>(
             memref.getDefiningOp())
             ? memref
             : Value();
}

void FunctionEmitter::waitForCommunication() {
  if (inCommunication.empty())
    return;
  program.helpers.insert("order");
  check("CUDA", "order(device.communication, device.compute, device.event)");
  inCommunication.clear();
}

void FunctionEmitter::compute(ValueRange memrefs) {
  bool mayMeet = llvm::any_of(memrefs, [&](Value memref) {
    Value buffer = getBuffer(memref);
    return !inCommunication.empty() &&
           (!buffer || inCommunication.contains(Value()) ||
            inCommunication.contains(buffer));
  });
  if (mayMeet)
    waitForCommunication();
  hasComputed = true;
}

void FunctionEmitter::communicate(ValueRange memrefs) {
  if (hasComputed) {
    program.helpers.insert("order");
    check("CUDA", "order(device.compute, device.communication, device.event)");
  }
  hasComputed = false;
  for (Value memref : memrefs)
    inCommunication.insert(getBuffer(memref));
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

bool cudacpp::isCallersBuffer(Type result) {
  auto type = dyn_cast<MemRefType>(result);
  return type && type.hasStaticShape();
}

/// What the parameters of a vector-Jacobian product are called: as those of the
/// function that it is of, and "d_" before these for cotangents. `first` and
/// `seconds` are theirs; nothing where they are not as many as they should be.
static SmallVector<std::string>
nameCotangents(ArrayRef<std::pair<std::string, Type>> first,
               ArrayRef<std::pair<std::string, Type>> second, size_t number) {
  SmallVector<std::string> hints;
  for (const auto &[name, type] : first)
    hints.push_back(name);
  for (const auto &[name, type] : second)
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      hints.push_back("d_" + name);
  if (hints.size() != number)
    hints.assign(number, "");
  return hints;
}

void FunctionEmitter::findNames() {
  resultNames = getResultHints(function);
  argumentNames.resize(function.getNumArguments());
  StringRef name = function.getName();
  if (!name.consume_back("_vjp"))
    return;
  auto primal = program.interfaces.find(name);
  if (primal == program.interfaces.end())
    return;
  const auto &[arguments, results] = primal->second;
  argumentNames =
      nameCotangents(arguments, results, function.getNumArguments());
  resultNames = nameCotangents(results, arguments, function.getNumResults());
}

SmallVector<std::string> FunctionEmitter::getParameters() {
  Program::Interface &interface = program.interfaces[function.getName()];
  SmallVector<std::string> parameters{"const Device &device",
                                      "const Communicators &communicators"};
  for (BlockArgument argument : function.getArguments()) {
    std::string number = std::to_string(argument.getArgNumber());
    StringRef known = argumentNames[argument.getArgNumber()];
    std::string name = known.empty() ? makeName(argument, "argument" + number)
                                     : names.make(known);
    interface.arguments.push_back({name, argument.getType()});
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      parameters.push_back(getTypeName(argument.getType()) + " " + name);
      set(argument, {name});
      continue;
    }
    parameters.push_back("const " + getTypeName(type.getElementType()) + " *" +
                         name);
    for (const std::string &variable : bindVariable(argument, name))
      parameters.push_back("int64_t " + variable);
  }
  auto terminator =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(terminator.getOperands())) {
    Value made = value;
    while (auto view = made.getDefiningOp<ViewLikeOpInterface>())
      made = view.getViewSource();
    std::string hint = getHint(made.getLoc());
    if (!resultNames[number].empty())
      hint = resultNames[number];
    std::string name =
        names.make(hint.empty() ? "result" + std::to_string(number) : hint);
    resultNames[number] = name;
    interface.results.push_back({name, value.getType()});
    auto type = dyn_cast<MemRefType>(value.getType());
    std::string element =
        getTypeName(type ? type.getElementType() : value.getType());
    bool isPointer = type && !isCallersBuffer(type);
    parameters.push_back(element + (isPointer ? " **" : " *") + name);
    if (type)
      for (unsigned dim : getDynamicSizes(type))
        parameters.push_back("int64_t *" + name + "_size" +
                             std::to_string(dim));
  }
  return parameters;
}

/// Finds the allocations that are results, so that they need not be made.
void FunctionEmitter::findResultParameters() {
  auto terminator =
      cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(terminator.getOperands())) {
    if (!isCallersBuffer(value.getType()))
      continue;
    Value memory = value;
    auto type = cast<MemRefType>(value.getType());
    auto isWhole = [&](Value memref) {
      auto other = cast<MemRefType>(memref.getType());
      return other.hasStaticShape() && other.getLayout().isIdentity() &&
             other.getNumElements() == type.getNumElements() &&
             other.getElementType() == type.getElementType();
    };
    while (isWhole(memory) && memory.getDefiningOp<ViewLikeOpInterface>())
      memory = memory.getDefiningOp<ViewLikeOpInterface>().getViewSource();
    Operation *op = memory.getDefiningOp();
    if (isWhole(memory) && isa_and_nonnull<memref::AllocOp, func::CallOp>(op) &&
        op->getBlock() == &function.getBody().front() &&
        resultMemory.try_emplace(memory, resultNames[number]).second)
      resultNumbers[memory] = number;
  }
}

void FunctionEmitter::emitReturn(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    const std::string &name = resultNames[number];
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      line("*" + name + " = " + get(value) + ";");
      continue;
    }
    const View view = getView(value);
    if (!isCallersBuffer(type)) {
      line("*" + name + " = " + view.pointer + ";");
      for (unsigned dim : getDynamicSizes(type))
        line("*" + name + "_size" + Twine(dim) + " = " + view.sizes[dim] + ";");
      continue;
    }
    // It is there already, or it is moved.
    if (view.pointer == name || isEmpty(value))
      continue;
    compute(value);
    check("CUDA", "cudaMemcpyAsync(" + name + ", " + view.pointer + ", " +
                      getBytes(value) +
                      ", cudaMemcpyDeviceToDevice, device.compute)");
    check("CUDA", "cudaFreeAsync(" + view.pointer + ", device.compute)");
  }
  waitForCommunication();
  line("return 0;");
}

FunctionText FunctionEmitter::run() {
  std::string place = getPlace(function.getLoc());
  std::string name = program.symbols.lookup(function);
  findNames();
  std::string head = (function.isPublic() ? "int " : "static int ") + name;
  head = joinLines(head + "(", getParameters()) + ")";
  findResultParameters();
  line("/// @" + function.getName() + (place.empty() ? "" : " of " + place));
  open(head);
  emitBlock(function.getBody().front());
  emitReturn(cast<func::ReturnOp>(function.getBody().front().getTerminator()));
  close();
  return {head + ";\n", text + "\n"};
}

FunctionText cudacpp::emitFunction(Program &program, func::FuncOp function) {
  return FunctionEmitter(program, function).run();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void FunctionEmitter::emitCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (callee.isExternal())
    return fail(op);
  SmallVector<std::string> arguments{"device", "communicators"};
  for (Value operand : op.getOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      arguments.push_back(get(operand));
      continue;
    }
    const View view = getView(operand);
    arguments.push_back(getPointer(operand));
    for (unsigned dim : getDynamicSizes(type))
      arguments.push_back(view.sizes[dim]);
    for (unsigned dim : getDynamicStrides(type))
      arguments.push_back(view.strides[dim]);
  }
  for (Value result : op.getResults()) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (type && isCallersBuffer(type)) {
      allocate(result, "result");
      arguments.push_back(getView(result).pointer);
      continue;
    }
    declare(result, {}, "result");
    arguments.push_back("&" + (type ? getView(result).pointer : get(result)));
    if (type)
      for (unsigned dim : getDynamicSizes(type))
        arguments.push_back("&" + getView(result).sizes[dim]);
  }
  waitForCommunication();
  check("", program.symbols.lookup(callee) + "(" + llvm::join(arguments, ", ") +
                ")");
  hasComputed = true;
}

/// A size that only the run knows.
void FunctionEmitter::emitCheck(func::CallOp op) {
  std::string dim =
      std::to_string(op->getAttrOfType<IntegerAttr>("dim").getInt());
  std::string what =
      describe(op, op->getAttrOfType<StringAttr>("of").getValue().str() +
                       ": dimension " + dim);
  std::string got = get(op.getOperand(0), Additive);
  std::string wrong, message;
  if (op.getCallee() == kCheckDivisible) {
    std::string ranks = std::to_string(
        comm::getGroupSize(op, op->getAttrOfType<AxesAttr>("axes")));
    wrong = get(op.getOperand(0), Multiplicative) + " % " + ranks + " != 0";
    message = " is not divisible by the group size (" + ranks + ")";
  } else {
    wrong = got + " != " + get(op.getOperand(1), Additive);
    message = " has another size than the result's type says";
  }
  open("if (" + wrong + ")");
  line("return fail(\"" + what + "\", \"" + StringRef(message).drop_front() +
       "\", __FILE__, __LINE__);");
  close();
}
