//===- CustomDerivatives.cpp - Derivatives by the rule of a function ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomVjp.h"
#include "DerivativeRequest.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The functions around a rule
//===----------------------------------------------------------------------===//

namespace {
/// A generated function while its body is written.
struct NewFunction {
  NewFunction(Location loc, StringRef name, SymbolTable &symbols,
              Operation *after)
      : function(func::FuncOp::create(
            loc, name, FunctionType::get(loc.getContext(), {}, {}))),
        builder(loc.getContext()) {
    function.setPrivate();
    symbols.insert(function, std::next(Block::iterator(after)));
    entry = function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
  }

  Value addArgument(Type type, Attribute mark) {
    argumentMarks.push_back(mark);
    return entry->addArgument(type, function.getLoc());
  }
  void finish(ValueRange results, ArrayRef<Attribute> resultMarks) {
    func::ReturnOp::create(builder, function.getLoc(), results);
    function.setType(
        builder.getFunctionType(entry->getArgumentTypes(), results.getTypes()));
    setArgumentMarks(function, argumentMarks);
    setResultMarks(function, resultMarks);
  }

  func::FuncOp function;
  OpBuilder builder;
  Block *entry;
  SmallVector<Attribute> argumentMarks;
};
} // namespace

/// The dynamic sizes of the float results that no cotangent comes for: zeros
/// are made of them.
static SmallVector<Value> emitSizes(OpBuilder &builder, ValueRange results,
                                    ArrayRef<int64_t> of) {
  SmallVector<Value> sizes;
  for (auto [number, result] : llvm::enumerate(results)) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || !hasBoundaryCotangent(type) ||
        llvm::is_contained(of, int64_t(number)))
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(builder, result.getLoc(), result, dim));
  }
  return sizes;
}

/// A zero of which `sizes` begins with the dynamic sizes.
static Value emitZero(OpBuilder &builder, Location loc, Type type,
                      ValueRange &sizes) {
  SmallVector<OpFoldResult> all;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        all.push_back(builder.getIndexAttr(size));
        continue;
      }
      all.push_back(sizes.front());
      sizes = sizes.drop_front();
    }
  return comm::emitZero(builder, loc, type, all);
}

// f_fwd a = (f a, a) or forward a;  f_bwd (residuals, dr) = backward
// (residuals, dr), with zeros for the results that are not in `of`, as far as
// `wrt` asks
FailureOr<Differentiator::Halves>
Differentiator::emitCustomHalves(const Request &request,
                                 const CustomVjp &rule) {
  func::FuncOp function = request.function;
  Location loc = function.getLoc();
  NewFunction forward(loc, request.getName("fwd"), symbols, function);
  SmallVector<Value> arguments;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(forward.addArgument(type, request.getArgMark(number)));
  SmallVector<Value> values = rule.emitForward(forward.builder, loc, arguments);
  unsigned numResults = function.getNumResults();
  llvm::append_range(values, emitSizes(forward.builder,
                                       ArrayRef(values).take_front(numResults),
                                       request.of));
  forward.finish(values, SmallVector<Attribute>(values.size()));
  ArrayRef<Value> residuals = ArrayRef(values).drop_front(numResults);
  FailureOr<SmallVector<Attribute>> proved =
      hooks.getMarks(forward.function, residuals);
  if (failed(proved))
    return failure();
  SmallVector<Attribute> marks;
  for (unsigned number = 0; number < numResults; ++number)
    marks.push_back(request.getResultMark(number));
  llvm::append_range(marks, *proved);
  setResultMarks(forward.function, marks);

  NewFunction backward(loc, request.getName("bwd"), symbols, forward.function);
  SmallVector<Value> kept;
  for (auto [residual, mark] : llvm::zip_equal(residuals, *proved))
    kept.push_back(backward.addArgument(residual.getType(), mark));
  ValueRange ofRule = ValueRange(kept).take_front(rule.getNumResiduals());
  ValueRange sizes = ValueRange(kept).drop_front(rule.getNumResiduals());
  SmallVector<Value> cotangents;
  for (int64_t number : getBoundaryCotangents(function.getResultTypes())) {
    Type type = function.getResultTypes()[number];
    cotangents.push_back(
        llvm::is_contained(request.of, number)
            ? backward.addArgument(type, request.getResultMark(number))
            : ::emitZero(backward.builder, loc, type, sizes));
  }
  SmallVector<Value> all =
      rule.emitBackward(backward.builder, loc, ofRule, cotangents);
  SmallVector<Value> wanted;
  marks.clear();
  for (auto [number, cotangent] :
       llvm::zip_equal(getBoundaryCotangents(function.getArgumentTypes()), all))
    if (llvm::is_contained(request.wrt, number)) {
      wanted.push_back(cotangent);
      marks.push_back(request.getArgMark(number));
    }
  backward.finish(wanted, marks);
  return Halves{forward.function, backward.function};
}

//===----------------------------------------------------------------------===//
// The halves of a function with a rule
//===----------------------------------------------------------------------===//

/// Makes ready what is called as it stands: a function and all that it calls.
LogicalResult Differentiator::prepareCalled(func::FuncOp function) {
  llvm::SetVector<Operation *> reached;
  reached.insert(function);
  bool ok = true;
  for (unsigned next = 0; next < reached.size(); ++next) {
    auto called = cast<func::FuncOp>(reached[next]);
    ok &= succeeded(hooks.resolve(called)) && succeeded(hooks.check(called));
    called.walk([&](CallOpInterface call) {
      auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
      auto callee = dyn_cast_or_null<func::FuncOp>(
          name ? lookupFunction(name).getOperation() : nullptr);
      if (callee && !callee.isDeclaration())
        reached.insert(callee);
    });
  }
  return success(ok);
}

FailureOr<Differentiator::Halves>
Differentiator::getCustomHalves(const Request &request) {
  FailureOr<CustomVjp> rule = getCustomVjp(request.function, symbols);
  if (failed(rule) || failed(prepareCalled(rule->forward)) ||
      failed(prepareCalled(rule->backward)))
    return failure();
  // A pair is what is asked for, as it stands.
  if (rule->isPair() && request.suffix.empty())
    return Halves{rule->forward, rule->backward};
  if (failed(verifyNameIsFree(symbols, request.function,
                              request.getName("fwd"))) ||
      failed(
          verifyNameIsFree(symbols, request.function, request.getName("bwd"))))
    return failure();
  return emitCustomHalves(request, *rule);
}

//===----------------------------------------------------------------------===//
// Forward mode
//===----------------------------------------------------------------------===//

/// Zeros of the type and the sizes of a value.
static Value emitZeroLike(OpBuilder &builder, Value value) {
  SmallVector<OpFoldResult> sizes;
  if (isa<RankedTensorType>(value.getType()))
    sizes = tensor::getMixedSizes(builder, value.getLoc(), value);
  return comm::emitZero(builder, value.getLoc(), value.getType(), sizes);
}

// backward is linear in dr, da = A(residuals) dr, so tr = A^T ta: the adjoint
// of backward with respect to dr
FailureOr<func::FuncOp> Differentiator::emitCustomJvp(const Request &request) {
  FailureOr<CustomVjp> rule = getCustomVjp(request.function, symbols);
  if (failed(rule) || failed(prepareCalled(rule->forward)))
    return failure();
  func::FuncOp function = request.function;
  Location loc = function.getLoc();
  DerivativeOptions ofCotangents;
  unsigned numCotangents =
      getBoundaryCotangents(function.getResultTypes()).size();
  ofCotangents.wrt.emplace();
  for (unsigned number = 0; number < numCotangents; ++number)
    ofCotangents.wrt->push_back(rule->getNumResiduals() + number);
  FailureOr<func::FuncOp> transposed = getVjp(rule->backward, ofCotangents);
  if (failed(transposed) ||
      failed(verifyNameIsFree(symbols, function, request.getName("jvp"))))
    return failure();

  NewFunction jvp(loc, request.getName("jvp"), symbols, function);
  SmallVector<Value> arguments;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(jvp.addArgument(type, request.getArgMark(number)));
  SmallVector<Value> tangents;
  for (int64_t number : getBoundaryCotangents(function.getArgumentTypes()))
    tangents.push_back(llvm::is_contained(request.wrt, number)
                           ? jvp.addArgument(arguments[number].getType(),
                                             request.getArgMark(number))
                           : emitZeroLike(jvp.builder, arguments[number]));
  SmallVector<Value> results = rule->emitForward(jvp.builder, loc, arguments);
  unsigned numResults = function.getNumResults();
  SmallVector<Value> operands(llvm::drop_begin(results, numResults));
  results.truncate(numResults);
  SmallVector<Attribute> marks;
  for (auto [number, result] : llvm::enumerate(results)) {
    marks.push_back(request.getResultMark(number));
    if (hasBoundaryCotangent(result.getType()))
      operands.push_back(emitZeroLike(jvp.builder, result));
  }
  llvm::append_range(operands, tangents);
  auto call = func::CallOp::create(jvp.builder, loc, *transposed, operands);
  ValueRange ofResults = call.getResults().take_back(numCotangents);
  for (auto [number, tangent] : llvm::zip_equal(
           getBoundaryCotangents(function.getResultTypes()), ofResults))
    if (llvm::is_contained(request.of, number)) {
      results.push_back(tangent);
      marks.push_back(request.getResultMark(number));
    }
  jvp.finish(results, marks);
  jvp.function.setVisibility(request.suffix.empty()
                                 ? function.getVisibility()
                                 : SymbolTable::Visibility::Private);
  return jvp.function;
}
