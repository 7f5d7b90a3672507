//===- Checker.cpp - A program against the definition ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramChecker.h"
#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "comm/Transforms/MaterializeReplication.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

World ProgramChecker::makeWorld(int64_t directions, bool hasSecond) const {
  World world;
  world.ranks = ranks->getCount();
  world.directions = directions;
  world.hasSecond = hasSecond;
  ModuleOp module = *program.module;
  func::FuncOp main = module.lookupSymbol<func::FuncOp>("f");
  world.digits =
      getElementTypeOrSelf(main.getArgumentTypes()[0]).isF32() ? 24 : 53;
  return world;
}

Boundaries ProgramChecker::getArguments(func::FuncOp function,
                                        const Values &values) const {
  Boundaries boundaries;
  for (auto [number, value] : llvm::enumerate(values))
    boundaries.add(*ranks, function.getArgAttr(number, kReplicatedAttrName),
                   value.size);
  return boundaries;
}

Boundaries ProgramChecker::getResults(func::FuncOp function,
                                      const Values &values) const {
  Boundaries boundaries;
  for (auto [number, value] : llvm::enumerate(values))
    boundaries.add(*ranks, function.getResultAttr(number, kReplicatedAttrName),
                   value.size);
  return boundaries;
}

/// The same numbers, without derivatives, in another world.
Values ProgramChecker::moveTo(World &world, const Values &values) const {
  Values moved = values;
  for (WorldTensor &value : moved) {
    value.world = &world;
    value.derivatives.clear();
  }
  return moved;
}

WorldTensor ProgramChecker::makeRandom(World &world, ArrayRef<int64_t> shape,
                                       const Ranks::Groups &classes) {
  WorldTensor value(world, shape, true);
  for (const Ranks::Group &group : classes.groups)
    for (int64_t i = 0; i < value.size; ++i) {
      // Small, so that there are zeros and ties.
      auto number = static_cast<double>(random() % 7) - 3;
      for (int64_t rank : group.members)
        value.setNumber(rank * value.size + i, number);
    }
  return value;
}

Values ProgramChecker::makeSeeds(World &world, const Boundaries &boundaries,
                                 const Values &results) {
  Values seeds;
  for (auto [boundary, result] : llvm::zip(boundaries.values, results))
    seeds.push_back(makeRandom(world, result.shape, boundary.classes));
  return seeds;
}

void ProgramChecker::setBasis(Values &values, const Boundaries &boundaries,
                              int64_t first) {
  for (auto [value, boundary] :
       llvm::zip(llvm::MutableArrayRef(values).drop_front(first),
                 boundaries.values)) {
    value.addDerivatives();
    for (int64_t k = 0; k < value.getCount(); ++k)
      value.getDerivatives(
          k)[boundary.getDirection(k / value.size, k % value.size)] = 1;
  }
}

/// Every value that the analysis proves replicated is.
void ProgramChecker::observeStates(Evaluator &evaluator, ModuleOp module) {
  auto facts = std::make_shared<ModuleFacts>(module);
  std::map<Operation *, FailureOr<ReplicationAnalysis>> analyses;
  evaluator.observer = [this, &evaluator, facts,
                        analyses](Value value, const WorldTensor &number,
                                  const std::vector<bool> &) mutable {
    Operation *owner = value.getParentRegion()->getParentOp();
    auto function = isa<func::FuncOp>(owner)
                        ? cast<func::FuncOp>(owner)
                        : owner->getParentOfType<func::FuncOp>();
    auto [entry, isNew] = analyses.try_emplace(function, failure());
    if (isNew)
      entry->second = ReplicationAnalysis::run(function, *facts);
    if (failed(entry->second) || isDecided())
      return;
    const MeshAxes &axes = entry->second->getMeshAxes();
    SmallVector<StringRef> replicated =
        axes.getNames(axes.getAll() - entry->second->getState(value));
    if (replicated.empty() ||
        evaluator.isReplicated(number, ranks->getGroups(replicated)))
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "in '@" << function.getName() << "': " << value << "\n";
    for (int64_t rank = 0; rank < number.world->ranks; ++rank)
      stream << "  rank " << rank << ": " << number.format(rank) << "\n";
    wrong("a value that is proved replicated differs between ranks", text);
  };
}

std::optional<Values> ProgramChecker::evaluate(ModuleOp module,
                                               func::FuncOp function,
                                               World &world, Values arguments,
                                               StringRef what) {
  Evaluator evaluator(module, world);
  observeStates(evaluator, module);
  Values results = evaluator.call(function, std::move(arguments));
  if (!evaluator.getFault().empty()) {
    wrong(what + " fails", evaluator.getFault());
    return std::nullopt;
  }
  if (world.isAmbiguous) {
    undefined();
    return std::nullopt;
  }
  for (const WorldTensor &result : results)
    for (double number : result.doubles)
      if (!std::isfinite(number)) {
        undefined();
        return std::nullopt;
      }
  return results;
}

/// The laws change neither values nor derivatives nor what is proved.
void ProgramChecker::checkLaws(const Values &arguments) {
  ModuleOp original = *program.module;
  auto main = original.lookupSymbol<func::FuncOp>("f");
  Boundaries from = getArguments(main, arguments);
  if (from.directions > kMaxDirections)
    return;
  World world = makeWorld(from.directions, false);
  Values inputs = moveTo(world, arguments);
  setBasis(inputs, from, 0);
  std::optional<Values> expected =
      evaluate(original, main, world, inputs, "'@f'");
  if (!expected)
    return;
  OwningOpRef<ModuleOp> module = original.clone();
  RewritePatternSet laws(original.getContext());
  populateCollectiveLaws(laws);
  if (failed(applyPatternsGreedily(*module, std::move(laws))))
    return wrong("the laws do not come to an end");
  if (failed(verify(*module)))
    return wrong("the laws make an invalid module", errors);
  ModuleFacts facts(*module);
  for (auto function : module->getOps<func::FuncOp>())
    if (failed(checkReplication(function, facts)))
      return wrong("the laws break a claim", errors);
  std::optional<Values> got =
      evaluate(*module, module->lookupSymbol<func::FuncOp>("f"), world, inputs,
               "'@f' after the laws");
  if (!got)
    return;
  expectSame(*expected, *got, "after the laws");
  ++verdict.laws;
  if (isDecided() && verdict.kind == Verdict::Kind::Wrong) {
    llvm::raw_string_ostream stream(verdict.details);
    stream << "\n" << *module;
  }
}

Verdict ProgramChecker::run() {
  ModuleOp original = *program.module;
  ScopedDiagnosticHandler handler(
      original.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          errors += diagnostic.str() + "\n";
        return success();
      });
  if (failed(verify(original))) {
    wrong("the generator made an invalid module", errors);
    return verdict;
  }
  ranks.emplace(original);
  auto main = original.lookupSymbol<func::FuncOp>("f");
  World world = makeWorld(0, false);
  Values arguments;
  for (auto [number, shape] : llvm::enumerate(program.shapes))
    arguments.push_back(makeRandom(
        world, shape,
        ranks->getClasses(main.getArgAttr(number, kReplicatedAttrName))));

  OwningOpRef<ModuleOp> module = original.clone();
  CommDifferentiator differentiator(*module);
  if (failed(differentiator.getVjp(module->lookupSymbol<func::FuncOp>("f")))) {
    if (program.hasWrongClaim &&
        errors.find("is marked replicated") != std::string::npos)
      verdict.kind = Verdict::Kind::Refused;
    else
      wrong("'@f' is refused", errors);
    return verdict;
  }
  if (failed(verify(*module))) {
    wrong("'@f_vjp' is invalid", errors);
    return verdict;
  }
  if (failed(differentiator.getJvp(module->lookupSymbol<func::FuncOp>("f")))) {
    wrong("'@f' is refused in forward mode", errors);
    return verdict;
  }
  if (failed(verify(*module))) {
    wrong("'@f_jvp' is invalid", errors);
    return verdict;
  }
  checkVjp(original, *module, "f", arguments);
  checkJvp(original, *module, "f", arguments);
  if (!isDecided())
    checkLaws(arguments);
  if (!isDecided() && options.hasSecondOrder)
    checkSecond(*module, arguments);
  return verdict;
}

Verdict mlir::comm::oracle::check(const GeneratedProgram &program,
                                  const CheckOptions &options) {
  return ProgramChecker(program, options).run();
}
