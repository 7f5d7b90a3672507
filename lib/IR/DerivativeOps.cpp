//===- DerivativeOps.cpp - Where derivatives begin and end ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/IR/DerivativeOps.h"
#include "Verification.h"

using namespace mlir;
using namespace mlir::comm;

bool comm::isDerivativeOp(Operation *op) {
  return isa<VjpOp, JvpOp, ValueAndGradOp>(op);
}

FunctionOpInterface comm::lookupCallee(Operation *op) {
  auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  return SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
}

/// The numbers of the arguments to differentiate: `wrt`, or all of floats.
static SmallVector<int64_t> getWrt(FunctionOpInterface function,
                                   std::optional<ArrayRef<int64_t>> wrt) {
  return wrt ? SmallVector<int64_t>(*wrt)
             : getBoundaryCotangents(function.getArgumentTypes());
}

/// vjp_c1, vjp_c3 and their twins: the function and `wrt`.
static FailureOr<FunctionOpInterface>
verifyFunctionAndWrt(Operation *op, FlatSymbolRefAttr callee,
                     std::optional<ArrayRef<int64_t>> wrt,
                     SymbolTableCollection &symbols) {
  if (failed(verifyInFunction(op)))
    return failure();
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, callee);
  if (!function)
    return op->emitOpError("'") << callee.getValue() << "' is not a function";
  if (function.isDeclaration())
    return (op->emitOpError("'")
            << callee.getValue() << "' has no body to differentiate")
               .attachNote(function.getLoc())
           << "it is declared here";
  int64_t previous = -1;
  for (int64_t number : wrt.value_or(ArrayRef<int64_t>())) {
    if (number < 0 || number >= (int64_t)function.getNumArguments())
      return op->emitOpError("wrt names argument ")
             << number << ", but '" << callee.getValue() << "' has "
             << function.getNumArguments();
    if (number <= previous)
      return op->emitOpError("wrt expects argument numbers in ascending order, "
                             "each once, got ")
             << number << " after " << previous;
    Type type = function.getArgumentTypes()[number];
    if (!hasBoundaryCotangent(type))
      return op->emitOpError("wrt names argument ")
             << number << " of type " << type << ", which has no derivative";
    previous = number;
  }
  return function;
}

/// The types of `got` are `expected`, `what` is "operand" or "result".
static LogicalResult verifyTypes(Operation *op, StringRef what, TypeRange got,
                                 TypeRange expected) {
  if (got.size() != expected.size())
    return op->emitOpError("expects ")
           << expected.size() << " " << what << "s, got " << got.size();
  for (auto [number, types] : llvm::enumerate(llvm::zip(got, expected))) {
    auto [actual, wanted] = types;
    if (actual != wanted)
      return op->emitOpError("expects ") << what << " " << number << " of type "
                                         << wanted << ", got " << actual;
  }
  return success();
}

/// The function's result types, then the types of the arguments in `wrt`.
static SmallVector<Type> getResultTypes(FunctionOpInterface function,
                                        std::optional<ArrayRef<int64_t>> wrt) {
  SmallVector<Type> types(function.getResultTypes());
  for (int64_t number : getWrt(function, wrt))
    types.push_back(function.getArgumentTypes()[number]);
  return types;
}

static AxesAttrInterface getMark(Attribute attribute) {
  return dyn_cast_or_null<AxesAttrInterface>(attribute);
}

static AxesAttrInterface
getResultOrGradientMark(FunctionOpInterface function, unsigned result,
                        std::optional<ArrayRef<int64_t>> wrt) {
  if (result < function.getNumResults())
    return getMark(function.getResultAttr(result, kReplicatedAttrName));
  return getMark(function.getArgAttr(
      getWrt(function, wrt)[result - function.getNumResults()],
      kReplicatedAttrName));
}

/// vjp_c2, jvp_c2: the operands are the arguments of the function and `seeds`.
static LogicalResult verifySeededOperands(Operation *op, int64_t numArguments,
                                          FunctionOpInterface function,
                                          ArrayRef<Type> seeds) {
  if (numArguments != (int64_t)function.getNumArguments())
    return op->emitOpError("expects ")
           << function.getNumArguments() << " arguments, got " << numArguments;
  SmallVector<Type> operands(function.getArgumentTypes());
  llvm::append_range(operands, seeds);
  return verifyTypes(op, "operand", op->getOperandTypes(), operands);
}

/// The types of those that have a derivative.
static SmallVector<Type> getFloatTypes(ArrayRef<Type> types) {
  return llvm::to_vector(llvm::make_filter_range(types, hasBoundaryCotangent));
}

/// The mark of the float result with this number among them.
static AxesAttrInterface getFloatResultMark(FunctionOpInterface function,
                                            unsigned number) {
  int64_t result = getBoundaryCotangents(function.getResultTypes())[number];
  return getMark(function.getResultAttr(result, kReplicatedAttrName));
}

//===----------------------------------------------------------------------===//
// comm.vjp
//===----------------------------------------------------------------------===//

LogicalResult VjpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<FunctionOpInterface> function = verifyFunctionAndWrt(
      *this, getCalleeAttr(), getWrt(), symbols); // vjp_c1, vjp_c3
  if (failed(function))
    return failure();
  if (failed(verifySeededOperands(
          *this, getNumArguments(), *function,
          getFloatTypes(function->getResultTypes())))) // vjp_c2
    return failure();
  // vjp_c4
  return verifyTypes(*this, "result", getResultTypes(),
                     ::getResultTypes(*function, getWrt()));
}

AxesAttrInterface VjpOp::getOperandMark(unsigned operand) {
  FunctionOpInterface function = lookupCallee(*this);
  if (operand < function.getNumArguments())
    return getMark(function.getArgAttr(operand, kReplicatedAttrName));
  return getFloatResultMark(function, operand - function.getNumArguments());
}

AxesAttrInterface VjpOp::getResultMark(unsigned result) {
  return getResultOrGradientMark(lookupCallee(*this), result, getWrt());
}

//===----------------------------------------------------------------------===//
// comm.jvp
//===----------------------------------------------------------------------===//

LogicalResult JvpOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<FunctionOpInterface> function = verifyFunctionAndWrt(
      *this, getCalleeAttr(), getWrt(), symbols); // jvp_c1, jvp_c3
  if (failed(function))
    return failure();
  SmallVector<Type> tangents;
  for (int64_t number : ::getWrt(*function, getWrt()))
    tangents.push_back(function->getArgumentTypes()[number]);
  if (failed(verifySeededOperands(*this, getNumArguments(), *function,
                                  tangents))) // jvp_c2
    return failure();
  // jvp_c4
  SmallVector<Type> results(function->getResultTypes());
  llvm::append_range(results, getFloatTypes(function->getResultTypes()));
  return verifyTypes(*this, "result", getResultTypes(), results);
}

AxesAttrInterface JvpOp::getOperandMark(unsigned operand) {
  FunctionOpInterface function = lookupCallee(*this);
  unsigned arguments = function.getNumArguments();
  int64_t number = operand < arguments
                       ? operand
                       : ::getWrt(function, getWrt())[operand - arguments];
  return getMark(function.getArgAttr(number, kReplicatedAttrName));
}

AxesAttrInterface JvpOp::getResultMark(unsigned result) {
  FunctionOpInterface function = lookupCallee(*this);
  unsigned results = function.getNumResults();
  return result < results
             ? getMark(function.getResultAttr(result, kReplicatedAttrName))
             : getFloatResultMark(function, result - results);
}

//===----------------------------------------------------------------------===//
// comm.value_and_grad
//===----------------------------------------------------------------------===//

LogicalResult ValueAndGradOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<FunctionOpInterface> function =
      verifyFunctionAndWrt(*this, getCalleeAttr(), getWrt(),
                           symbols); // value_and_grad_c1, value_and_grad_c4
  if (failed(function))
    return failure();
  // value_and_grad_c2
  Type loss =
      function->getNumResults() ? function->getResultTypes()[0] : Type();
  auto tensor = dyn_cast_or_null<RankedTensorType>(loss);
  if (!loss || !hasBoundaryCotangent(loss) ||
      (tensor && tensor.getRank() != 0)) {
    InFlightDiagnostic error = emitOpError("expects result 0 of '")
                               << getCallee()
                               << "' to be the loss, a float scalar, got ";
    if (loss)
      error << loss;
    else
      error << "no result";
    return error;
  }
  // value_and_grad_c3
  if (failed(verifyTypes(*this, "operand", getOperandTypes(),
                         function->getArgumentTypes())))
    return failure();
  // value_and_grad_c5
  return verifyTypes(*this, "result", getResultTypes(),
                     ::getResultTypes(*function, getWrt()));
}

AxesAttrInterface ValueAndGradOp::getOperandMark(unsigned operand) {
  return getMark(lookupCallee(*this).getArgAttr(operand, kReplicatedAttrName));
}

AxesAttrInterface ValueAndGradOp::getResultMark(unsigned result) {
  return getResultOrGradientMark(lookupCallee(*this), result, getWrt());
}

//===----------------------------------------------------------------------===//
// comm.stop_gradient
//===----------------------------------------------------------------------===//

OpFoldResult StopGradientOp::fold(FoldAdaptor) {
  Operation *op = getInput().getDefiningOp();
  bool hasNoDerivative = op && (op->hasTrait<StopsDerivative>() ||
                                op->hasTrait<OpTrait::ConstantLike>());
  return hasNoDerivative ? getInput() : Value();
}
