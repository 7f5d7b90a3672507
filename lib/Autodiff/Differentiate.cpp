//===- Differentiate.cpp - The derivative functions of a function ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/Differentiate.h"
#include "BlockAdjoint.h"
#include "Captures.h"
#include "comm/Interfaces/ReplicationOpInterface.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// A function and what to differentiate of it, with the defaults filled in.
struct Differentiator::Request {
  func::FuncOp function;
  SmallVector<int64_t> wrt, of;
  /// Appended to the names of the generated functions.
  std::string suffix;

  std::string getName(StringRef kind) {
    return (function.getName() + "_" + kind + suffix).str();
  }
  Attribute getArgMark(int64_t number) {
    return function.getArgAttr(number, kReplicatedAttrName);
  }
  Attribute getResultMark(int64_t number) {
    return function.getResultAttr(number, kReplicatedAttrName);
  }
};

static std::string getSuffix(StringRef word, ArrayRef<int64_t> numbers) {
  std::string suffix = ("_" + word).str();
  for (int64_t number : numbers)
    suffix += "_" + std::to_string(number);
  return suffix;
}

FailureOr<Differentiator::Request>
Differentiator::makeRequest(func::FuncOp function,
                            const DerivativeOptions &options) {
  if (function.isDeclaration())
    return function.emitError()
           << "'" << function.getName() << "' has no body to differentiate";
  Request request{function, getBoundaryCotangents(function.getArgumentTypes()),
                  getBoundaryCotangents(function.getResultTypes()), ""};
  if (options.wrt && *options.wrt != request.wrt) {
    request.wrt = *options.wrt;
    request.suffix += getSuffix("wrt", request.wrt);
  }
  if (options.of && *options.of != request.of) {
    request.of = *options.of;
    request.suffix += getSuffix("of", request.of);
  }
  return request;
}

static LogicalResult verifyNameIsFree(SymbolTable &symbols,
                                      func::FuncOp function, StringRef name) {
  Operation *existing = symbols.lookup(name);
  if (!existing)
    return success();
  InFlightDiagnostic error = function.emitError()
                             << "differentiating '" << function.getName()
                             << "' generates '" << name
                             << "', which exists already";
  error.attachNote(existing->getLoc()) << "it is defined here";
  return error;
}

static void setMark(func::FuncOp function, bool isArgument, unsigned number,
                    Attribute mark) {
  if (!mark)
    return;
  if (isArgument)
    function.setArgAttr(number, kReplicatedAttrName, mark);
  else
    function.setResultAttr(number, kReplicatedAttrName, mark);
}

//===----------------------------------------------------------------------===//
// The halves
//===----------------------------------------------------------------------===//

FailureOr<Differentiator::Halves> Differentiator::getHalves(Request request) {
  std::string name = request.getName("fwd");
  auto known = halvesByName.find(name);
  if (known != halvesByName.end())
    return known->second;
  if (!inProgress.insert(request.function).second)
    return request.function.emitError()
           << "'" << request.function.getName()
           << "' is recursive and cannot be differentiated";
  FailureOr<Halves> halves = generateHalves(request);
  inProgress.erase(request.function);
  halvesByName.emplace(name, halves);
  return halves;
}

FailureOr<AdjointFunctions>
Differentiator::getAdjointFunctions(FunctionOpInterface callee) {
  FailureOr<Request> request =
      makeRequest(cast<func::FuncOp>(callee.getOperation()), {});
  if (failed(request))
    return failure();
  FailureOr<Halves> halves = getHalves(*request);
  if (failed(halves))
    return failure();
  return AdjointFunctions{halves->forward, halves->backward};
}

FailureOr<Differentiator::Halves>
Differentiator::generateHalves(Request request) {
  func::FuncOp function = request.function;
  if (failed(hooks.resolve(function)) ||
      failed(verifyNameIsFree(symbols, function, request.getName("fwd"))) ||
      failed(verifyNameIsFree(symbols, function, request.getName("bwd"))))
    return failure();
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "'" << function.getName()
           << "' has unstructured control flow and cannot be differentiated";

  // The forward is a clone in which the state changes are explicit. Until they
  // are it goes by the function's own name, for what is wrong is the user's.
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  auto forward = cast<func::FuncOp>(builder.clone(*function));
  forward.setPrivate();
  makeCapturesOperands(forward.getBody().front());
  bool firstTime = materialized.insert(function).second;
  if (failed(hooks.materialize(forward, /*warn=*/firstTime))) {
    forward.erase();
    return failure();
  }
  forward.setName(request.getName("fwd"));
  symbols.insert(forward);

  Block &block = forward.getBody().front();
  SmallVector<Value> sources, sinks;
  for (int64_t number : request.wrt)
    sources.push_back(block.getArgument(number));
  for (int64_t number : request.of)
    sinks.push_back(block.getTerminator()->getOperand(number));
  ActivityAnalysis beforeCalls(block, sources, sinks);
  bool verified = succeeded(
      verifyBlockAdjoint(block, beforeCalls, /*allowRegionOps=*/true));
  FailureOr<RegionForwards> regionForwards =
      emitRegionForwards(block, beforeCalls, *this);
  if (!verified || failed(regionForwards)) {
    symbols.erase(forward);
    return failure();
  }
  // The calls have been replaced, so have their results.
  sinks.clear();
  for (int64_t number : request.of)
    sinks.push_back(block.getTerminator()->getOperand(number));
  ActivityAnalysis activity(block, sources, sinks);

  Residuals residuals(forward);
  gatherResiduals(block, activity, *regionForwards, residuals);
  // A zero cotangent of an argument needs the argument's sizes.
  for (Value source : sources)
    residuals.addSizes(source);

  auto backward =
      func::FuncOp::create(function.getLoc(), request.getName("bwd"),
                           builder.getFunctionType({}, {}));
  backward.setPrivate();
  symbols.insert(backward, std::next(Block::iterator(forward)));
  Block *entry = backward.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  residuals.materialize(builder, entry);

  ReverseMode reverse(
      builder, activity, [&](Value value) { return residuals.lookup(value); },
      [&](OpBuilder &builder, Value tensor) {
        return residuals.lookupSizes(builder, tensor);
      });
  Operation *terminator = block.getTerminator();
  for (int64_t number : request.of) {
    Value result = terminator->getOperand(number);
    Value seed = entry->addArgument(result.getType(), terminator->getLoc());
    if (activity.isActive(result))
      reverse.accumulate(result, seed);
  }
  emitBackward(builder, block, activity, *regionForwards, residuals, reverse);
  SmallVector<Value> cotangents;
  for (Value source : sources) {
    Value cotangent = reverse.getCotangent(source);
    cotangents.push_back(
        cotangent ? cotangent
                  : emitZero(builder, source.getLoc(), source.getType(),
                             residuals.lookupSizes(builder, source)));
  }
  func::ReturnOp::create(builder, terminator->getLoc(), cotangents);
  backward.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                           ValueRange(cotangents).getTypes()));

  // Marks, then simplification, which shows which residuals are read at last.
  SmallVector<Value> kept(residuals.getKept());
  FailureOr<SmallVector<Attribute>> marks = hooks.getMarks(forward, kept);
  if (failed(marks))
    return failure();
  for (auto [number, mark] : llvm::enumerate(*marks))
    setMark(backward, /*isArgument=*/true, number, mark);
  for (auto [number, result] : llvm::enumerate(request.of))
    setMark(backward, /*isArgument=*/true, kept.size() + number,
            request.getResultMark(result));
  for (auto [number, argument] : llvm::enumerate(request.wrt))
    setMark(backward, /*isArgument=*/false, number,
            request.getArgMark(argument));
  if (failed(hooks.simplify(backward)))
    return failure();
  llvm::BitVector unused(entry->getNumArguments());
  for (auto [number, argument] :
       llvm::enumerate(entry->getArguments().take_front(kept.size())))
    unused[number] = argument.use_empty();
  if (failed(backward.eraseArguments(unused)))
    return failure();

  SmallVector<Type> forwardTypes(forward.getResultTypes());
  unsigned numResults = forwardTypes.size();
  SmallVector<Value> returned(terminator->getOperands());
  SmallVector<Attribute> returnedMarks;
  for (auto [number, value] : llvm::enumerate(kept)) {
    if (unused[number])
      continue;
    returned.push_back(value);
    forwardTypes.push_back(value.getType());
    returnedMarks.push_back((*marks)[number]);
  }
  terminator->setOperands(returned);
  SmallVector<DictionaryAttr> resultAttrs;
  forward.getAllResultAttrs(resultAttrs);
  resultAttrs.resize(returned.size(), builder.getDictionaryAttr({}));
  forward.setType(
      builder.getFunctionType(forward.getArgumentTypes(), forwardTypes));
  forward.setAllResultAttrs(resultAttrs);
  for (auto [number, mark] : llvm::enumerate(returnedMarks))
    setMark(forward, /*isArgument=*/false, numResults + number, mark);
  if (failed(hooks.simplify(forward)))
    return failure();
  return Halves{forward, backward};
}

//===----------------------------------------------------------------------===//
// f_vjp
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp>
Differentiator::getVjp(func::FuncOp function,
                       const DerivativeOptions &options) {
  FailureOr<Request> request = makeRequest(function, options);
  if (failed(request))
    return failure();
  std::string name = request->getName("vjp");
  auto known = vjpByName.find(name);
  if (known != vjpByName.end())
    return known->second;
  FailureOr<Halves> halves = getHalves(*request);
  if (failed(halves) || failed(verifyNameIsFree(symbols, function, name)))
    return failure();
  func::FuncOp vjp = generateVjp(*request, *halves);
  if (failed(hooks.simplify(vjp)))
    return failure();
  vjpByName.emplace(name, vjp);
  return vjp;
}

func::FuncOp Differentiator::generateVjp(Request request, Halves halves) {
  func::FuncOp function = request.function;
  Block &forward = halves.forward.getBody().front();
  Block &backward = halves.backward.getBody().front();
  unsigned numArguments = function.getNumArguments();
  unsigned numResults = function.getNumResults();

  auto vjp =
      func::FuncOp::create(function.getLoc(), request.getName("vjp"),
                           FunctionType::get(function.getContext(), {}, {}));
  vjp.setVisibility(request.suffix.empty() ? function.getVisibility()
                                           : SymbolTable::Visibility::Private);
  symbols.insert(vjp, std::next(Block::iterator(halves.backward)));
  Block *entry = vjp.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(entry);

  IRMapping mapping;
  for (BlockArgument argument : forward.getArguments())
    mapping.map(argument,
                entry->addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : forward.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : forward.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  unsigned numResiduals = results.size() - numResults;
  for (BlockArgument argument : backward.getArguments()) {
    unsigned number = argument.getArgNumber();
    mapping.map(argument, number < numResiduals
                              ? results[numResults + number]
                              : entry->addArgument(argument.getType(),
                                                   argument.getLoc()));
  }
  for (Operation &op : backward.without_terminator())
    builder.clone(op, mapping);
  results.truncate(numResults);
  for (Value value : backward.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, forward.getTerminator()->getLoc(), results);
  vjp.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                      ValueRange(results).getTypes()));

  for (unsigned number = 0; number < numArguments; ++number)
    setMark(vjp, /*isArgument=*/true, number, request.getArgMark(number));
  for (auto [number, result] : llvm::enumerate(request.of))
    setMark(vjp, /*isArgument=*/true, numArguments + number,
            request.getResultMark(result));
  for (unsigned number = 0; number < numResults; ++number)
    setMark(vjp, /*isArgument=*/false, number, request.getResultMark(number));
  for (auto [number, argument] : llvm::enumerate(request.wrt))
    setMark(vjp, /*isArgument=*/false, numResults + number,
            request.getArgMark(argument));
  return vjp;
}
