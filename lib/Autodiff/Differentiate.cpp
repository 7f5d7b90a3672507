//===- Differentiate.cpp - The derivative functions of a function ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Autodiff/Differentiate.h"
#include "Captures.h"
#include "CustomVjp.h"
#include "DerivativeRequest.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

static std::string getSuffix(StringRef word, ArrayRef<int64_t> numbers) {
  std::string suffix = ("_" + word).str();
  for (int64_t number : numbers)
    suffix += "_" + std::to_string(number);
  return suffix;
}

/// Numbers that an option names are some of `all`, ascending.
static LogicalResult verifyNumbers(func::FuncOp function, StringRef option,
                                   StringRef what, ArrayRef<int64_t> numbers,
                                   ArrayRef<int64_t> all) {
  int64_t previous = -1;
  for (int64_t number : numbers) {
    if (!llvm::is_contained(all, number))
      return function.emitError()
             << "'" << option << "' names " << what << " " << number << " of '@"
             << function.getName() << "', which is not a float";
    if (number <= previous)
      return function.emitError()
             << "'" << option << "' expects " << what
             << " numbers in ascending order, each once, got " << number
             << " after " << previous;
    previous = number;
  }
  return success();
}

FailureOr<Differentiator::Request>
Differentiator::makeRequest(func::FuncOp function,
                            const DerivativeOptions &options) {
  if (function.isDeclaration())
    return function.emitError()
           << "'" << function.getName() << "' has no body to differentiate";
  Request request{function, getBoundaryCotangents(function.getArgumentTypes()),
                  getBoundaryCotangents(function.getResultTypes()), ""};
  if ((options.wrt && failed(verifyNumbers(function, "wrt", "argument",
                                           *options.wrt, request.wrt))) ||
      (options.of && failed(verifyNumbers(function, "of", "result", *options.of,
                                          request.of))))
    return failure();
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

LogicalResult comm::verifyNameIsFree(SymbolTable &symbols,
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

FunctionOpInterface Differentiator::lookupFunction(SymbolRefAttr name) {
  auto flat = dyn_cast<FlatSymbolRefAttr>(name);
  return flat ? symbols.lookup<FunctionOpInterface>(flat.getAttr())
              : FunctionOpInterface();
}

func::FuncOp Differentiator::lookupCalledFunction(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  auto name = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee())
                   : SymbolRefAttr();
  return dyn_cast_or_null<func::FuncOp>(
      name ? lookupFunction(name).getOperation() : nullptr);
}

LogicalResult Differentiator::verifyIsNotRecursive(func::FuncOp function) {
  if (!inProgress.contains(function))
    return success();
  return function.emitError() << "'" << function.getName()
                              << "' is recursive and cannot be differentiated";
}

/// Replaces the loops that are known never to run by what they start from: the
/// tape of such a loop would have no row that its backward could read.
static void dropLoopsWithoutRuns(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([](scf::ForOp loop) {
    std::optional<APInt> runs = loop.getStaticTripCount();
    if (!runs || !runs->isZero())
      return WalkResult::advance();
    loop->replaceAllUsesWith(loop.getInitArgs());
    loop->erase();
    return WalkResult::skip();
  });
}

/// A private clone behind a function that has been resolved, in which the state
/// changes are explicit. It goes by the function's own name and is not in the
/// symbol table: what is wrong is the user's.
FailureOr<func::FuncOp>
Differentiator::cloneMaterialized(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "'" << function.getName()
           << "' has unstructured control flow and cannot be differentiated";
  OpBuilder builder(function->getContext());
  builder.setInsertionPointAfter(function);
  auto clone = cast<func::FuncOp>(builder.clone(*function));
  clone.setPrivate();
  makeCapturesOperands(clone.getBody());
  bool firstTime = materialized.insert(function).second;
  if (failed(hooks.materialize(clone, /*warn=*/firstTime))) {
    clone.erase();
    return failure();
  }
  dropLoopsWithoutRuns(clone);
  return clone;
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

/// Adds the marks to what are the attributes of arguments or results already,
/// and to empty ones behind these.
static SmallVector<DictionaryAttr> addMarks(MLIRContext *context,
                                            ArrayRef<DictionaryAttr> attributes,
                                            ArrayRef<Attribute> marks) {
  auto name = StringAttr::get(context, kReplicatedAttrName);
  SmallVector<DictionaryAttr> all(attributes);
  all.resize(marks.size());
  for (auto [dictionary, mark] : llvm::zip_equal(all, marks)) {
    NamedAttrList list(dictionary);
    if (mark)
      list.set(name, mark);
    dictionary = list.getDictionary(context);
  }
  return all;
}

void comm::setArgumentMarks(func::FuncOp function, ArrayRef<Attribute> marks) {
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  function.setAllArgAttrs(addMarks(function.getContext(), attributes, marks));
}

void comm::setResultMarks(func::FuncOp function, ArrayRef<Attribute> marks) {
  SmallVector<DictionaryAttr> attributes;
  function.getAllResultAttrs(attributes);
  function.setAllResultAttrs(
      addMarks(function.getContext(), attributes, marks));
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
  if (func::FuncOp known = vjpByName.lookup(name))
    return known;
  FailureOr<Halves> halves = getHalves(*request);
  if (failed(halves) || failed(verifyNameIsFree(symbols, function, name)))
    return failure();
  llvm::DenseSet<Operation *> seam;
  func::FuncOp vjp;
  if (isa_and_nonnull<ArrayAttr>(function->getAttr(kCustomVjpAttrName)) &&
      request->suffix.empty()) {
    // Calls of the pair, which is not taken apart.
    FailureOr<CustomVjp> rule = getCustomVjp(function, symbols);
    FailureOr<Halves> calls = emitCustomHalves(*request, *rule);
    if (failed(calls))
      return failure();
    vjp = generateVjp(*request, *calls, seam);
    symbols.erase(calls->forward);
    symbols.erase(calls->backward);
  } else {
    vjp = generateVjp(*request, *halves, seam);
  }
  if (failed(hooks.simplify(vjp, &seam)))
    return failure();
  vjpByName[name] = vjp;
  return vjp;
}

func::FuncOp Differentiator::generateVjp(const Request &request, Halves halves,
                                         llvm::DenseSet<Operation *> &seam) {
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
  for (BlockArgument residual :
       backward.getArguments().take_front(numResiduals))
    for (Operation *user : residual.getUsers())
      seam.insert(user);
  for (Operation &op : backward.without_terminator()) {
    Operation *clone = builder.clone(op, mapping);
    if (seam.erase(&op))
      seam.insert(clone);
  }
  results.truncate(numResults);
  for (Value value : backward.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, forward.getTerminator()->getLoc(), results);
  vjp.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                      ValueRange(results).getTypes()));

  SmallVector<Attribute> argumentMarks, resultMarks;
  for (unsigned number = 0; number < numArguments; ++number)
    argumentMarks.push_back(request.getArgMark(number));
  for (int64_t result : request.of)
    argumentMarks.push_back(request.getResultMark(result));
  for (unsigned number = 0; number < numResults; ++number)
    resultMarks.push_back(request.getResultMark(number));
  for (int64_t argument : request.wrt)
    resultMarks.push_back(request.getArgMark(argument));
  setArgumentMarks(vjp, argumentMarks);
  setResultMarks(vjp, resultMarks);
  return vjp;
}
