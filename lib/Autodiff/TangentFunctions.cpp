//===- TangentFunctions.cpp - f_jvp ---------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DerivativeRequest.h"
#include "comm/Autodiff/ForwardMode.h"
#include "comm/Autodiff/ReverseMode.h"

using namespace mlir;
using namespace mlir::comm;

/// A tangent function while it is made.
struct Differentiator::TangentGeneration {
  explicit TangentGeneration(const Request &request) : request(request) {}
  ~TangentGeneration() {
    if (primal)
      primal.erase();
  }

  Block &getBlock() { return primal.getBody().front(); }

  Request request;
  /// The function with explicit state changes, which is copied.
  func::FuncOp primal;
  SmallVector<Value> sources, sinks;
  std::optional<ActivityAnalysis> activity;
  bool isVerified = false;
  /// The calls and region ops on a path, and of how many the callees have been
  /// looked at.
  SmallVector<RegionTangentOpInterface> regionOps;
  size_t numVisited = 0;
};

//===----------------------------------------------------------------------===//
// Callees before their callers
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp>
Differentiator::getJvp(func::FuncOp function,
                       const DerivativeOptions &options) {
  FailureOr<Request> request = makeRequest(function, options);
  if (failed(request))
    return failure();
  return getJvp(*request);
}

FailureOr<FunctionOpInterface>
Differentiator::getTangentFunction(FunctionOpInterface callee) {
  FailureOr<func::FuncOp> jvp =
      getJvp(cast<func::FuncOp>(callee.getOperation()), {});
  if (failed(jvp))
    return failure();
  return FunctionOpInterface(*jvp);
}

FailureOr<func::FuncOp> Differentiator::getJvp(const Request &request) {
  std::string name = request.getName("jvp");
  auto known = jvpByName.find(name);
  if (known != jvpByName.end())
    return known->second;
  if (failed(verifyIsNotRecursive(request.function)))
    return failure();

  auto close = [&](const Request &request, FailureOr<func::FuncOp> jvp) {
    inProgress.erase(request.function);
    jvpByName.try_emplace(request.getName("jvp"), jvp);
  };
  visitCalleesFirst(
      request,
      [&](const Request &request) -> std::unique_ptr<TangentGeneration> {
        inProgress.insert(request.function);
        if (func::FuncOp(request.function)->hasAttr(kCustomVjpAttrName)) {
          close(request, emitCustomJvp(request));
          return nullptr;
        }
        auto generation = std::make_unique<TangentGeneration>(request);
        if (succeeded(begin(*generation)))
          return generation;
        close(request, failure());
        return nullptr;
      },
      [&](TangentGeneration &generation) { return getNextCallee(generation); },
      [&](TangentGeneration &generation) {
        close(generation.request, finish(generation));
      });
  return jvpByName.find(name)->second;
}

/// The next callee whose tangent function has to be made first. Errors are the
/// caller's to report, once it asks for it.
std::optional<Differentiator::Request>
Differentiator::getNextCallee(TangentGeneration &generation) {
  while (generation.numVisited < generation.regionOps.size()) {
    func::FuncOp callee =
        lookupCalledFunction(generation.regionOps[generation.numVisited++]);
    if (!callee || callee.isDeclaration() || inProgress.contains(callee))
      continue;
    FailureOr<Request> request = makeRequest(callee, {});
    if (succeeded(request) && !jvpByName.contains(request->getName("jvp")))
      return *request;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// Makes the copy in which the state changes are explicit, and finds out what
/// is differentiated of it.
LogicalResult Differentiator::begin(TangentGeneration &generation) {
  const Request &request = generation.request;
  func::FuncOp function = request.function;
  if (failed(hooks.resolve(function)) ||
      failed(verifyNameIsFree(symbols, function, request.getName("jvp"))))
    return failure();
  FailureOr<func::FuncOp> primal = cloneMaterialized(function);
  if (failed(primal))
    return failure();
  generation.primal = *primal;
  Block &block = generation.getBlock();
  for (int64_t number : request.wrt)
    generation.sources.push_back(block.getArgument(number));
  for (int64_t number : request.of)
    generation.sinks.push_back(block.getTerminator()->getOperand(number));
  generation.activity.emplace(block, generation.sources, generation.sinks);
  generation.isVerified =
      succeeded(verifyBlockAdjoint(block, *generation.activity, this));
  const ActivityAnalysis &activity = *generation.activity;
  primal->walk([&](RegionTangentOpInterface op) {
    if (activity.isOnPath(op) &&
        (op->getNumRegions() != 0 || activity.getWantedOperands(op).any()))
      generation.regionOps.push_back(op);
  });
  return success();
}

/// Copies the function with its tangents.
FailureOr<func::FuncOp> Differentiator::finish(TangentGeneration &generation) {
  const Request &request = generation.request;
  func::FuncOp function = request.function;
  bool ok = generation.isVerified;
  for (RegionTangentOpInterface op : generation.regionOps)
    ok &= succeeded(op.verifyTangent(*this));
  if (!ok)
    return failure();
  Block &block = generation.getBlock();
  auto jvp =
      func::FuncOp::create(function.getLoc(), request.getName("jvp"),
                           FunctionType::get(function.getContext(), {}, {}));
  jvp.setVisibility(request.suffix.empty() ? function.getVisibility()
                                           : SymbolTable::Visibility::Private);
  symbols.insert(jvp, std::next(Block::iterator(function)));
  Block *entry = jvp.addEntryBlock();
  OpBuilder builder = OpBuilder::atBlockEnd(entry);

  ForwardMode forward(builder, *generation.activity, this);
  for (BlockArgument argument : block.getArguments())
    forward.setPrimal(
        argument, entry->addArgument(argument.getType(), argument.getLoc()));
  for (Value source : generation.sources)
    forward.setTangent(source,
                       entry->addArgument(source.getType(), source.getLoc()));
  if (failed(forward.emitBody(block))) {
    symbols.erase(jvp);
    return failure();
  }
  SmallVector<Value> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(forward.getPrimal(result));
  for (Value sink : generation.sinks)
    results.push_back(forward.getTangentOrZero(sink));
  func::ReturnOp::create(builder, block.getTerminator()->getLoc(), results);
  jvp.setType(builder.getFunctionType(entry->getArgumentTypes(),
                                      ValueRange(results).getTypes()));

  SmallVector<Attribute> argumentMarks, resultMarks;
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    argumentMarks.push_back(request.getArgMark(number));
  for (int64_t argument : request.wrt)
    argumentMarks.push_back(request.getArgMark(argument));
  for (unsigned number = 0; number < function.getNumResults(); ++number)
    resultMarks.push_back(request.getResultMark(number));
  for (int64_t result : request.of)
    resultMarks.push_back(request.getResultMark(result));
  setArgumentMarks(jvp, argumentMarks);
  setResultMarks(jvp, resultMarks);
  if (failed(hooks.simplify(jvp, /*seam=*/nullptr)))
    return failure();
  return jvp;
}
