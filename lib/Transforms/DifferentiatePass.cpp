//===- DifferentiatePass.cpp - States, calculus and laws together ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Transforms/DifferentiatePass.h"
#include "MergeEqualOps.h"
#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/IR/Comm.h"
#include "comm/IR/DerivativeOps.h"
#include "comm/Transforms/MaterializeReplication.h"
#include "comm/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/ScopeExit.h"

namespace mlir::comm {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "comm/Transforms/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

//===----------------------------------------------------------------------===//
// The hooks
//===----------------------------------------------------------------------===//

/// Merges what is equal and applies the laws, at the ops of `seam` only where
/// it is not null.
static LogicalResult simplifyGenerated(func::FuncOp function,
                                       const llvm::DenseSet<Operation *> *seam,
                                       const FrozenRewritePatternSet &laws) {
  // Where a law or a fold may begin: at our ops, at what reads their results,
  // as a sum also through transposes and reshapes, and at what reads constants.
  SmallVector<Operation *> roots;
  Dialect *dialect = function.getContext()->getLoadedDialect<CommDialect>();
  auto isOurs = [=](Operation *op) {
    return op->getName().getDialect() == dialect;
  };
  auto addRoot = [&](Operation *op) {
    if (seam && !seam->contains(op))
      return;
    if (isOurs(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return definition &&
                 (isOurs(definition) ||
                  definition->hasTrait<OpTrait::ConstantLike>() ||
                  (isa<arith::AddFOp, arith::AddIOp>(op) &&
                   isa<linalg::TransposeOp, tensor::CollapseShapeOp,
                       tensor::ExpandShapeOp>(definition)));
        }))
      roots.push_back(op);
  };
  mergeEqualOps(function.getBody(), addRoot);
  GreedyRewriteConfig config;
  config.setScope(&function.getBody());
  if (failed(applyOpPatternsGreedily(roots, laws, config)))
    return function.emitError("the laws did not come to an end on '")
           << function.getName() << "'";
  return success();
}

static FrozenRewritePatternSet getLaws(MLIRContext *context) {
  RewritePatternSet laws(context);
  populateCollectiveLaws(laws);
  return FrozenRewritePatternSet(std::move(laws));
}

/// The marks for what the analysis proves of values.
static FailureOr<SmallVector<Attribute>>
getProvedMarks(func::FuncOp function, ValueRange values, ModuleFacts &facts) {
  const MeshAxes &meshAxes = facts.getMeshAxes();
  SmallVector<Attribute> marks(values.size());
  if (values.empty() || meshAxes.getAll().isReplicated())
    return marks;
  FailureOr<ReplicationAnalysis> analysis =
      ReplicationAnalysis::run(function, facts);
  if (failed(analysis))
    return failure();
  Builder builder(function.getContext());
  auto mesh =
      FlatSymbolRefAttr::get(SymbolTable::getSymbolName(meshAxes.getMesh()));
  llvm::SmallDenseMap<uint64_t, Attribute> known;
  for (auto [value, mark] : llvm::zip(values, marks)) {
    ReplicationState replicated = meshAxes.getAll() - analysis->getState(value);
    if (replicated.isReplicated())
      continue;
    Attribute &axes = known[replicated.getMask()];
    if (!axes) {
      SmallVector<StringAttr> names;
      for (StringRef name : meshAxes.getNames(replicated))
        names.push_back(builder.getStringAttr(name));
      axes = AxesAttr::get(builder.getContext(), mesh, names);
    }
    mark = axes;
  }
  return marks;
}

static DifferentiateHooks getHooks(MLIRContext *context, ModuleFacts &facts,
                                   CommDifferentiator *differentiator) {
  DifferentiateHooks hooks;
  hooks.resolve = [=](func::FuncOp function) {
    return differentiator->resolve(function);
  };
  hooks.check = [=](func::FuncOp function) {
    return differentiator->check(function);
  };
  hooks.materialize = [=, &facts](func::FuncOp clone, bool warn) {
    differentiator->markRecomputed(clone);
    return materializeReplication(clone, facts, warn);
  };
  hooks.getMarks = [&facts](func::FuncOp function, ValueRange values) {
    return getProvedMarks(function, values, facts);
  };
  hooks.simplify =
      [laws = getLaws(context)](func::FuncOp function,
                                const llvm::DenseSet<Operation *> *seam) {
        return simplifyGenerated(function, seam, laws);
      };
  return hooks;
}

CommDifferentiator::CommDifferentiator(ModuleOp module)
    : CommDifferentiator(module, std::make_unique<ModuleFacts>(module)) {}

CommDifferentiator::CommDifferentiator(ModuleOp module,
                                       std::unique_ptr<ModuleFacts> facts)
    : Differentiator(facts->getSymbols(),
                     getHooks(module.getContext(), *facts, this)),
      facts(std::move(facts)) {}

CommDifferentiator::~CommDifferentiator() = default;

void CommDifferentiator::setRecomputed(ArrayRef<std::string> names) {
  recomputed.insert_range(names);
}

void CommDifferentiator::markRecomputed(func::FuncOp function) const {
  if (recomputed.empty())
    return;
  auto mark = UnitAttr::get(function.getContext());
  function->walk([&](Operation *op) {
    if (recomputed.contains(op->getName().getStringRef()))
      op->setAttr(kRecomputeAttrName, mark);
  });
}

LogicalResult CommDifferentiator::split(func::FuncOp function) {
  FailureOr<AdjointFunctions> halves = getAdjointFunctions(function);
  if (failed(halves))
    return failure();
  halves->forward.setVisibility(function.getVisibility());
  halves->backward.setVisibility(function.getVisibility());
  return success();
}

LogicalResult CommDifferentiator::check(func::FuncOp function) {
  return checkReplication(function, *facts);
}

//===----------------------------------------------------------------------===//
// comm.vjp, comm.jvp and comm.value_and_grad
//===----------------------------------------------------------------------===//

static FailureOr<func::FuncOp> getCallee(Operation *op, ModuleFacts &facts) {
  auto callee =
      dyn_cast<func::FuncOp>(facts.getCalledFunction(op).getOperation());
  if (!callee)
    return op->emitOpError("differentiates 'func.func' only");
  return callee;
}

static std::optional<SmallVector<int64_t>>
toVector(std::optional<ArrayRef<int64_t>> numbers) {
  if (!numbers)
    return std::nullopt;
  return SmallVector<int64_t>(*numbers);
}

/// Replaces `op` by a call of `derivative`, with `seeds` behind the arguments
/// of its callee.
static LogicalResult replaceByCall(Operation *op, func::FuncOp callee,
                                   FailureOr<func::FuncOp> derivative,
                                   ValueRange seeds) {
  if (failed(derivative)) {
    mlir::emitRemark(op->getLoc())
        << "the derivative of '" << callee.getName() << "' is asked for here";
    return failure();
  }
  OpBuilder builder(op);
  SmallVector<Value> operands(
      op->getOperands().take_front(callee.getNumArguments()));
  llvm::append_range(operands, seeds);
  auto call =
      func::CallOp::create(builder, op->getLoc(), *derivative, operands);
  op->replaceAllUsesWith(call.getResults());
  op->erase();
  return success();
}

LogicalResult CommDifferentiator::resolve(func::FuncOp function) {
  if (!resolving.insert(function).second)
    return function.emitError()
           << "'" << function.getName()
           << "' is recursive and cannot be differentiated";
  llvm::scope_exit done([&] { resolving.erase(function); });
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isDerivativeOp(op))
      ops.push_back(op);
  });
  bool ok = true;
  for (Operation *op : ops) {
    FailureOr<func::FuncOp> callee = getCallee(op, *facts);
    if (failed(callee))
      return failure();
    DerivativeOptions options;
    OperandRange seeds =
        op->getOperands().drop_front(callee->getNumArguments());
    if (auto vjp = dyn_cast<VjpOp>(op)) {
      options.wrt = toVector(vjp.getWrt());
      ok &= succeeded(
          replaceByCall(op, *callee, getVjp(*callee, options), seeds));
      continue;
    }
    if (auto jvp = dyn_cast<JvpOp>(op)) {
      options.wrt = toVector(jvp.getWrt());
      ok &= succeeded(
          replaceByCall(op, *callee, getJvp(*callee, options), seeds));
      continue;
    }
    // The loss alone is seeded: with 1, on each rank or once.
    auto valueAndGrad = cast<ValueAndGradOp>(op);
    options.wrt = toVector(valueAndGrad.getWrt());
    options.of = SmallVector<int64_t>{0};
    FailureOr<func::FuncOp> vjp = getVjp(*callee, options);
    OpBuilder builder(op);
    Value seed =
        emitConstant(builder, op->getLoc(), callee->getResultTypes()[0], 1.0);
    ok &= succeeded(replaceByCall(op, *callee, vjp, seed));
  }
  return success(ok);
}

FailureOr<func::FuncOp> comm::differentiate(func::FuncOp function,
                                            const DerivativeOptions &options) {
  CommDifferentiator differentiator(function->getParentOfType<ModuleOp>());
  return differentiator.getVjp(function, options);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct Differentiate : comm::impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

  LogicalResult run(ModuleOp module) {
    CommDifferentiator differentiator(module);
    for (StringRef name : recompute)
      if (!RegisteredOperationName::lookup(name, module.getContext()))
        return module.emitError()
               << "'recompute' expects names of ops such as comm.all_gather, "
                  "got '"
               << name << "'";
    differentiator.setRecomputed(recompute);
    SmallVector<func::FuncOp> all(module.getOps<func::FuncOp>());
    bool hasOps = false;
    module.walk([&](Operation *op) { hasOps |= isDerivativeOp(op); });
    FailureOr<SmallVector<func::FuncOp>> asked = getAskedFunctions(module);
    if (failed(asked))
      return failure();
    llvm::DenseSet<StringAttr> rules = getRules(all);
    if (functions.empty() && !hasOps)
      for (func::FuncOp function : all)
        if (function.isPublic() && !function.isDeclaration() &&
            !rules.contains(function.getNameAttr()) &&
            llvm::any_of(function.getArgumentTypes(), hasBoundaryCotangent))
          asked->push_back(function);
    bool ok = true;
    for (func::FuncOp function : *asked)
      ok &= succeeded(differentiate(differentiator, function));
    for (func::FuncOp function : all)
      ok &= succeeded(differentiator.resolve(function));
    // The marks of what was differentiated have been proved on its clone.
    for (func::FuncOp function : all)
      if (ok && !function.isDeclaration() &&
          !differentiator.isDifferentiated(function))
        ok &= succeeded(differentiator.check(function));
    return success(ok);
  }

  LogicalResult differentiate(CommDifferentiator &differentiator,
                              func::FuncOp function) {
    switch (mode) {
    case DerivativeMode::Forward:
      return differentiator.getJvp(function);
    case DerivativeMode::Split:
      return differentiator.split(function);
    case DerivativeMode::Reverse:
      return differentiator.getVjp(function);
    }
    llvm_unreachable("all modes are covered");
  }

  /// The functions that are adjoints of others.
  static llvm::DenseSet<StringAttr> getRules(ArrayRef<func::FuncOp> functions) {
    llvm::DenseSet<StringAttr> rules;
    for (func::FuncOp function : functions)
      if (Attribute rule = function->getAttr(kCustomVjpAttrName))
        rule.walk(
            [&](FlatSymbolRefAttr name) { rules.insert(name.getAttr()); });
    return rules;
  }

  /// The functions named by the option.
  FailureOr<SmallVector<func::FuncOp>> getAskedFunctions(ModuleOp module) {
    SmallVector<func::FuncOp> asked;
    bool ok = true;
    for (StringRef name : functions) {
      name.consume_front("@");
      if (auto function = module.lookupSymbol<func::FuncOp>(name)) {
        asked.push_back(function);
        continue;
      }
      ok = false;
      InFlightDiagnostic error = module.emitError() << "no function '" << name
                                                    << "': the module has ";
      auto existing = module.getOps<func::FuncOp>();
      if (existing.empty())
        error << "none";
      llvm::interleaveComma(existing, error, [&](func::FuncOp function) {
        error << "'" << function.getName() << "'";
      });
    }
    if (!ok)
      return failure();
    return asked;
  }
};
} // namespace
