//===- Halves.cpp - The forward and the backward of a function ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockAdjoint.h"
#include "DerivativeRequest.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::comm;

/// The halves of a function while they are made.
struct Differentiator::Generation {
  explicit Generation(const Request &request) : request(request) {}

  Block &getBlock() { return forward.getBody().front(); }
  /// What the derivative is taken of.
  SmallVector<Value> getSinks() {
    return llvm::map_to_vector(request.of, [&](int64_t number) -> Value {
      return getBlock().getTerminator()->getOperand(number);
    });
  }

  Request request;
  func::FuncOp forward;
  SmallVector<Value> sources;
  std::optional<FunctionAdjoint> adjoint;
  /// The calls on a path, and how many of their callees have been looked at.
  SmallVector<CallOpInterface> calls;
  size_t numVisited = 0;
};

//===----------------------------------------------------------------------===//
// Callees before their callers
//===----------------------------------------------------------------------===//

FailureOr<Differentiator::Halves>
Differentiator::getHalves(const Request &request) {
  std::string name = request.getName("fwd");
  auto known = halvesByName.find(name);
  if (known != halvesByName.end())
    return known->second;
  if (failed(verifyIsNotRecursive(request.function)))
    return failure();

  auto close = [&](const Request &request, FailureOr<Halves> halves) {
    inProgress.erase(request.function);
    halvesByName.try_emplace(request.getName("fwd"), halves);
  };
  visitCalleesFirst(
      request,
      [&](const Request &request) -> std::unique_ptr<Generation> {
        inProgress.insert(request.function);
        if (func::FuncOp(request.function)->hasAttr(kCustomVjpAttrName)) {
          close(request, getCustomHalves(request));
          return nullptr;
        }
        auto generation = std::make_unique<Generation>(request);
        if (succeeded(begin(*generation)))
          return generation;
        close(request, failure());
        return nullptr;
      },
      [&](Generation &generation) { return getNextCallee(generation); },
      [&](Generation &generation) {
        close(generation.request, finish(generation));
      });
  return halvesByName.find(name)->second;
}

/// The next callee whose halves have to be made first. Errors are the caller's
/// to report, once it asks for them.
std::optional<Differentiator::Request>
Differentiator::getNextCallee(Generation &generation) {
  while (generation.numVisited < generation.calls.size()) {
    func::FuncOp callee =
        lookupCalledFunction(generation.calls[generation.numVisited++]);
    if (!callee || callee.isDeclaration() || inProgress.contains(callee))
      continue;
    FailureOr<Request> request = makeRequest(callee, {});
    if (succeeded(request) && !halvesByName.contains(request->getName("fwd")))
      return *request;
  }
  return std::nullopt;
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

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// Makes the forward, a clone in which the state changes are explicit, and
/// finds out what is differentiated of it.
LogicalResult Differentiator::begin(Generation &generation) {
  const Request &request = generation.request;
  func::FuncOp function = request.function;
  if (failed(hooks.resolve(function)) ||
      failed(verifyNameIsFree(symbols, function, request.getName("fwd"))) ||
      failed(verifyNameIsFree(symbols, function, request.getName("bwd"))))
    return failure();
  FailureOr<func::FuncOp> forward = cloneMaterialized(function);
  if (failed(forward))
    return failure();
  forward->setName(request.getName("fwd"));
  symbols.insert(*forward);

  generation.forward = *forward;
  Block &block = generation.getBlock();
  for (int64_t number : request.wrt)
    generation.sources.push_back(block.getArgument(number));
  generation.adjoint.emplace(block, generation.sources, generation.getSinks(),
                             *this);
  const ActivityAnalysis &activity = generation.adjoint->getActivity();
  if (failed(verifyBlockAdjoint(block, activity, this)))
    generation.adjoint->setInvalid();
  block.walk([&](CallOpInterface call) {
    if (activity.isOnPath(call) && activity.getWantedOperands(call).any())
      generation.calls.push_back(call);
  });
  return success();
}

/// Tells the ops of a backward from those whose locations they have.
static void nameBackward(Block &block) {
  auto name =
      StringAttr::get(block.getParent()->getContext(), kBackwardLocName);
  block.walk(
      [&](Operation *op) { op->setLoc(NameLoc::get(name, op->getLoc())); });
}

/// Emits the backward, which reads of the forward what is in `kept`, with these
/// marks. Nothing else is simplified away yet.
FailureOr<func::FuncOp>
Differentiator::emitBackward(Generation &generation,
                             SmallVectorImpl<Value> &kept,
                             SmallVectorImpl<Attribute> &marks) {
  const Request &request = generation.request;
  func::FuncOp forward = generation.forward;
  Block &block = generation.getBlock();
  ArrayRef<Value> sources = generation.sources;
  // A zero cotangent of an argument needs the argument's sizes.
  FailureOr<const BlockAdjoint *> adjoint = generation.adjoint->prepareBlock(
      block, /*given=*/{}, /*sized=*/sources, /*canKeep=*/nullptr);
  if (failed(adjoint))
    return failure();

  OpBuilder builder(forward.getContext());
  auto backward = func::FuncOp::create(func::FuncOp(request.function).getLoc(),
                                       request.getName("bwd"),
                                       builder.getFunctionType({}, {}));
  backward.setPrivate();
  symbols.insert(backward, std::next(Block::iterator(forward)));
  Block *entry = backward.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping primals;
  for (Value value : (*adjoint)->getKept()) {
    kept.push_back(value);
    primals.map(value, entry->addArgument(value.getType(), value.getLoc()));
  }
  Location returnLoc = block.getTerminator()->getLoc();
  SmallVector<Value> seeds(block.getTerminator()->getNumOperands());
  for (int64_t number : request.of) {
    Value result = block.getTerminator()->getOperand(number);
    seeds[number] = entry->addArgument(result.getType(), returnLoc);
  }
  SmallVector<Value> arguments =
      (*adjoint)->emitBackward(builder, primals, seeds, /*sums=*/{}).arguments;
  generation.adjoint->eraseTemplates();
  nameBackward(*entry);
  SmallVector<Value> cotangents;
  for (Value source : sources) {
    Value cotangent = arguments[cast<BlockArgument>(source).getArgNumber()];
    cotangents.push_back(
        cotangent ? cotangent
                  : emitZero(builder, source.getLoc(), source.getType(),
                             (*adjoint)->emitSizes(builder, primals, source)));
  }
  func::ReturnOp::create(builder, returnLoc, cotangents);
  backward.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                           ValueRange(cotangents).getTypes()));

  FailureOr<SmallVector<Attribute>> proved = hooks.getMarks(forward, kept);
  if (failed(proved))
    return failure();
  marks.assign(proved->begin(), proved->end());
  SmallVector<Attribute> argumentMarks(*proved), resultMarks;
  for (int64_t result : request.of)
    argumentMarks.push_back(request.getResultMark(result));
  for (int64_t argument : request.wrt)
    resultMarks.push_back(request.getArgMark(argument));
  setArgumentMarks(backward, argumentMarks);
  setResultMarks(backward, resultMarks);
  return backward;
}

/// Returns a value once that simplification has made of two residuals; true
/// where there was one.
static FailureOr<bool> mergeResiduals(func::FuncOp forward,
                                      func::FuncOp backward,
                                      unsigned numResults) {
  Operation *terminator = forward.getBody().front().getTerminator();
  llvm::BitVector repeatedResults(terminator->getNumOperands());
  llvm::BitVector repeatedArguments(backward.getNumArguments());
  llvm::DenseMap<Value, BlockArgument> known;
  for (auto [number, value] :
       llvm::enumerate(terminator->getOperands().drop_front(numResults))) {
    BlockArgument argument = backward.getArgument(number);
    auto [first, isNew] = known.try_emplace(value, argument);
    if (isNew)
      continue;
    argument.replaceAllUsesWith(first->second);
    repeatedArguments.set(number);
    repeatedResults.set(numResults + number);
  }
  if (repeatedResults.none())
    return false;
  if (failed(forward.eraseResults(repeatedResults)) ||
      failed(backward.eraseArguments(repeatedArguments)))
    return failure();
  terminator->eraseOperands(repeatedResults);
  return true;
}

/// Makes the backward, and the forward return what it reads.
FailureOr<Differentiator::Halves>
Differentiator::finish(Generation &generation) {
  func::FuncOp forward = generation.forward;
  SmallVector<Value> kept;
  SmallVector<Attribute> marks;
  FailureOr<func::FuncOp> backward = emitBackward(generation, kept, marks);
  if (failed(backward)) {
    symbols.erase(forward);
    return failure();
  }
  // Simplification shows which residuals are read at last.
  if (failed(hooks.simplify(*backward, /*seam=*/nullptr)))
    return failure();
  llvm::BitVector unused(backward->getNumArguments());
  for (auto [number, argument] :
       llvm::enumerate(backward->getArguments().take_front(kept.size())))
    unused[number] = argument.use_empty();
  if (failed(backward->eraseArguments(unused)))
    return failure();

  Operation *terminator = generation.getBlock().getTerminator();
  SmallVector<Value> returned(terminator->getOperands());
  SmallVector<Attribute> resultMarks;
  for (unsigned number = 0; number < returned.size(); ++number)
    resultMarks.push_back(generation.request.getResultMark(number));
  for (auto [number, value] : llvm::enumerate(kept)) {
    if (unused[number])
      continue;
    returned.push_back(value);
    resultMarks.push_back(marks[number]);
  }
  terminator->setOperands(returned);
  forward.setType(FunctionType::get(forward.getContext(),
                                    forward.getArgumentTypes(),
                                    ValueRange(returned).getTypes()));
  setResultMarks(forward, resultMarks);
  if (failed(hooks.simplify(forward, /*seam=*/nullptr)))
    return failure();
  FailureOr<bool> merged =
      mergeResiduals(forward, *backward,
                     func::FuncOp(generation.request.function).getNumResults());
  if (failed(merged) ||
      (*merged && failed(hooks.simplify(*backward, /*seam=*/nullptr))))
    return failure();
  return Halves{forward, *backward};
}
