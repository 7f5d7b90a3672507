//===- MaterializeReplication.cpp - Makes changes of state explicit -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Transforms/MaterializeReplication.h"
#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/Autodiff/Differentiate.h"
#include "comm/IR/Comm.h"
#include "comm/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::comm {
#define GEN_PASS_DEF_MATERIALIZEREPLICATION
#include "comm/Transforms/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
/// The float values that depend, through floats, on a float argument. What a
/// region op uses inside, all its block arguments and results depend on: more
/// than needed never changes a gradient.
class FloatDependence {
public:
  explicit FloatDependence(FunctionOpInterface function) {
    add(function.getArguments());
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function)
        return WalkResult::advance();
      if (op->hasTrait<StopsDerivative>())
        return WalkResult::advance();
      bool depends = usesDependent(op);
      // Nothing defined inside is known yet, so these are captures.
      if (!depends && op->getNumRegions())
        depends = op->walk([&](Operation *nested) {
                      return WalkResult(failure(usesDependent(nested)));
                    }).wasInterrupted();
      // Nothing inside depends either: without this, deep nests would be walked
      // from every op on the way down.
      if (!depends)
        return WalkResult::skip();
      add(op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          add(block.getArguments());
      return WalkResult::advance();
    });
  }

  bool contains(Value value) const { return values.contains(value); }

private:
  void add(ValueRange candidates) {
    for (Value value : candidates)
      if (isDifferentiable(value.getType()))
        values.insert(value);
  }
  bool usesDependent(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value value) { return values.contains(value); });
  }

  DenseSet<Value> values;
};

/// The uses that need one value to vary over one set of axes.
struct StateChange {
  Value value;
  ReplicationState axes;
  SmallVector<OpOperand *> uses;
};
} // namespace

/// Whether the adjoint of `op` depends on the states of its operands.
static bool hasAdjoint(Operation *op) {
  return op->getNumResults() == 0 ||
         isa<CallOpInterface, CallBoundaryOpInterface>(op) ||
         isStructuredControlFlow(op) ||
         llvm::any_of(op->getResultTypes(), isDifferentiable);
}

static SmallVector<StateChange>
collectChanges(const ReplicationAnalysis &analysis) {
  FunctionOpInterface function = analysis.getFunction();
  FloatDependence dependence(function);
  ReplicationState everything = analysis.getMeshAxes().getAll();
  llvm::MapVector<std::pair<Value, uint64_t>, StateChange> changes;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || op->getNumOperands() == 0 || !hasAdjoint(op))
      return;
    SmallVector<ReplicationState> required;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      ReplicationState state = analysis.getState(value);
      // A message varies from the start.
      if (state == everything || !dependence.contains(value) ||
          !hasBoundaryCotangent(value.getType()))
        continue;
      if (required.empty())
        required = analysis.getRequiredStates(op);
      ReplicationState missing = required[operand.getOperandNumber()] - state;
      if (missing.isReplicated())
        continue;
      StateChange &change = changes[{value, missing.getMask()}];
      change.value = value;
      change.axes = missing;
      change.uses.push_back(&operand);
    }
  });
  SmallVector<StateChange> list;
  for (auto &[key, change] : changes)
    list.push_back(std::move(change));
  return list;
}

static void warnAbout(const StateChange &change, const MeshAxes &axes,
                      FunctionOpInterface function) {
  for (OpOperand *use : change.uses) {
    Operation *user = use->getOwner();
    if (isa<AllReduceOp>(user))
      user->emitWarning()
          << "'" << user->getName()
          << "' op reduces a value that is already replicated over axes "
          << axes.format(change.axes) << ": a sum counts it "
          << axes.getNumRanks(change.axes) << " times";
    if (user->getParentOp() == function &&
        user->hasTrait<OpTrait::IsTerminator>())
      user->emitWarning()
          << "result " << use->getOperandNumber() << " of '@"
          << function.getName() << "' is proved replicated over axes "
          << axes.format(change.axes) << ", but unmarked: its objective is "
          << "counted " << axes.getNumRanks(change.axes)
          << " times: mark it, or write comm.vary to say that this is meant";
  }
}

/// `value` varying over `axes`, emitted at the builder's insertion point.
static Value emitVary(OpBuilder &builder, Value value, AxesAttr axes) {
  Location loc = value.getLoc();
  if (isa<RankedTensorType>(value.getType()))
    return VaryOp::create(builder, loc, value, axes);
  auto type = RankedTensorType::get({}, value.getType());
  Value tensor = tensor::FromElementsOp::create(builder, loc, type, value);
  Value varying = VaryOp::create(builder, loc, tensor, axes);
  return tensor::ExtractOp::create(builder, loc, varying, ValueRange());
}

static void apply(ArrayRef<StateChange> changes, const MeshAxes &meshAxes) {
  if (changes.empty())
    return;
  Operation *mesh = meshAxes.getMesh();
  OpBuilder builder(mesh->getContext());
  auto symbol = FlatSymbolRefAttr::get(SymbolTable::getSymbolName(mesh));
  // Keeps what is inserted at one place in the order of the first uses: the
  // arguments of a block share theirs.
  DenseMap<void *, Value> last;
  for (const StateChange &change : changes) {
    auto argument = dyn_cast<BlockArgument>(change.value);
    void *place = argument ? static_cast<void *>(argument.getOwner())
                           : change.value.getAsOpaquePointer();
    Value &previous = last.try_emplace(place, change.value).first->second;
    builder.setInsertionPointAfterValue(previous);
    SmallVector<StringAttr> names;
    for (StringRef name : meshAxes.getNames(change.axes))
      names.push_back(builder.getStringAttr(name));
    previous = emitVary(builder, change.value,
                        AxesAttr::get(builder.getContext(), symbol, names));
    for (OpOperand *use : change.uses)
      use->set(previous);
  }
}

LogicalResult comm::checkReplication(FunctionOpInterface function,
                                     ModuleFacts &facts) {
  if (auto func = dyn_cast<func::FuncOp>(function.getOperation()))
    if (failed(verifyCustomVjp(func, facts.getSymbols())))
      return failure();
  if (function.isDeclaration())
    return success();
  FailureOr<ReplicationAnalysis> analysis =
      ReplicationAnalysis::run(function, facts);
  if (failed(analysis))
    return failure();
  LogicalResult states = analysis->verify();
  LogicalResult order = verifyMessageOrder(*analysis);
  return success(succeeded(states) && succeeded(order));
}

LogicalResult comm::materializeReplication(FunctionOpInterface function,
                                           ModuleFacts &facts, bool warn) {
  if (function.isDeclaration())
    return success();
  FailureOr<ReplicationAnalysis> analysis =
      ReplicationAnalysis::run(function, facts);
  if (failed(analysis))
    return failure();
  LogicalResult states = analysis->verify();
  LogicalResult order = verifyMessageOrder(*analysis);
  if (failed(states) || failed(order))
    return failure();
  SmallVector<StateChange> changes = collectChanges(*analysis);
  const MeshAxes &axes = facts.getMeshAxes();
  if (warn)
    for (const StateChange &change : changes)
      warnAbout(change, axes, function);
  apply(changes, axes);
  orderMessagesForAdjoint(*analysis);
  return success();
}

namespace {
struct MaterializeReplication
    : comm::impl::MaterializeReplicationBase<MaterializeReplication> {
  void runOnOperation() override {
    // Checked first, so that no error speaks of what was inserted in another
    // function.
    bool valid = true;
    ModuleFacts facts(getOperation());
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      valid &= succeeded(checkReplication(function, facts));
    if (!valid)
      return signalPassFailure();
    llvm::StringSet<> differentiated = getDifferentiated(getOperation());
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      valid &= succeeded(materializeReplication(
          function, facts,
          /*warn=*/!differentiated.contains(function.getName())));
    if (!valid)
      signalPassFailure();
  }

  /// The functions with a derivative: its generation has warned about them.
  static llvm::StringSet<> getDifferentiated(ModuleOp module) {
    llvm::StringSet<> names;
    for (auto function : module.getOps<FunctionOpInterface>())
      if (function.getName().contains("_fwd"))
        names.insert(function.getName().rsplit("_fwd").first);
    return names;
  }
};
} // namespace
