//===- Checker.cpp - A program against the definition ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Evaluator.h"
#include "Execute.h"
#include "comm/Analysis/ReplicationAnalysis.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "comm/Transforms/MaterializeReplication.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;
using field::Residue;

/// A Jacobian of more columns is not built.
static constexpr int64_t kMaxDirections = 400;

/// The fraction of small numbers that has the residue.
static std::string formatResidue(Residue residue) {
  // The first remainder of Euclid's algorithm below the root of the prime.
  int64_t r0 = field::kPrime, r1 = residue, t0 = 0, t1 = 1;
  while (r1 > (int64_t(1) << 30)) {
    int64_t quotient = r0 / r1;
    std::tie(r0, r1) = std::pair(r1, r0 - quotient * r1);
    std::tie(t0, t1) = std::pair(t1, t0 - quotient * t1);
  }
  if (t1 < 0)
    std::tie(r1, t1) = std::pair(-r1, -t1);
  return std::to_string(r1) + (t1 == 1 ? "" : "/" + std::to_string(t1));
}

namespace {

/// A value at the boundary of a function: one vector for each replica class.
struct Boundary {
  Ranks::Groups classes;
  int64_t size;
  /// The number of the first direction.
  int64_t begin;

  int64_t getDirection(int64_t rank, int64_t element) const {
    return begin + classes.groupOf[rank] * size + element;
  }
  /// A rank of each class.
  int64_t getRank(int64_t group) const {
    return classes.groups[group].members[0];
  }
};

/// The arguments or results of a function as one vector of the world.
struct Boundaries {
  std::vector<Boundary> values;
  int64_t directions = 0;

  void add(const Ranks &ranks, Attribute mark, int64_t size) {
    Boundary boundary{ranks.getClasses(mark), size, directions};
    directions += size * boundary.classes.groups.size();
    values.push_back(std::move(boundary));
  }
};

class ProgramChecker {
public:
  ProgramChecker(const GeneratedProgram &program, const CheckOptions &options)
      : program(program), options(options), random(options.valueSeed) {}

  Verdict run();

private:
  bool isDecided() const { return verdict.kind != Verdict::Kind::Right; }
  void wrong(const Twine &fault, const Twine &details = "") {
    if (isDecided())
      return;
    verdict.kind = Verdict::Kind::Wrong;
    verdict.fault = fault.str();
    verdict.details = details.str();
  }
  void undefined() {
    if (!isDecided())
      verdict.kind = Verdict::Kind::Undefined;
  }

  World makeWorld(int64_t directions, bool hasSecond) const;
  Boundaries getArguments(func::FuncOp function, const Values &values) const;
  Boundaries getResults(func::FuncOp function, const Values &values) const;
  Values moveTo(World &world, const Values &values) const;
  WorldTensor makeRandom(World &world, ArrayRef<int64_t> shape,
                         const Ranks::Groups &classes);
  /// Random cotangents for results.
  Values makeSeeds(World &world, const Boundaries &boundaries,
                   const Values &results);
  void setBasis(Values &values, const Boundaries &boundaries, int64_t first);
  std::optional<Values> evaluate(ModuleOp module, func::FuncOp function,
                                 World &world, Values arguments,
                                 StringRef what);
  void observeStates(Evaluator &evaluator, ModuleOp module);
  void expectSame(const Values &expected, const Values &got, StringRef what);
  void expectTransposed(const Boundaries &from, const Boundaries &to,
                        const Values &results, const Values &seeds,
                        const Values &gradients, StringRef what);
  void checkVjp(ModuleOp reference, ModuleOp generated, StringRef name,
                const Values &arguments);
  void checkHalves(ModuleOp generated, StringRef name, World &world,
                   const Values &arguments, const Values &seeds,
                   const Values &expected);
  void checkLaws(const Values &arguments);
  void checkSecond(ModuleOp generated, const Values &arguments);

  const GeneratedProgram &program;
  CheckOptions options;
  std::mt19937_64 random;
  Verdict verdict;
  std::optional<Ranks> ranks;
  std::string errors;
};

} // namespace

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

/// Equal numbers and derivatives.
void ProgramChecker::expectSame(const Values &expected, const Values &got,
                                StringRef what) {
  for (auto [number, pair] : llvm::enumerate(llvm::zip(expected, got))) {
    auto [right, value] = pair;
    if (right.shape != value.shape)
      return wrong((what + ": wrong shape"));
    WorldTensor a = right, b = value;
    if (a.hasDerivatives() || b.hasDerivatives()) {
      a.addDerivatives();
      b.addDerivatives();
    }
    for (int64_t k = 0; k < a.getCount(); ++k) {
      if (a.residues[k] != b.residues[k])
        return wrong(what + ": wrong value",
                     "value " + Twine(number) + ", rank " + Twine(k / a.size) +
                         ", element " + Twine(k % a.size) + ": expected " +
                         formatResidue(a.residues[k]) + ", got " +
                         formatResidue(b.residues[k]));
      if (!a.isSame(k, k) || a.derivatives.empty())
        continue;
      for (int64_t c = 0; c < a.world->getChannels(); ++c)
        if (a.getDerivatives(k)[c] != b.getDerivatives(k)[c])
          return wrong(
              what + ": wrong derivative",
              "value " + Twine(number) + ", rank " + Twine(k / a.size) +
                  ", element " + Twine(k % a.size) + ", direction " + Twine(c) +
                  ": expected " + formatResidue(a.getDerivatives(k)[c]) +
                  ", got " + formatResidue(b.getDerivatives(k)[c]));
    }
  }
}

/// d gradient / d seed = (d result / d argument)^T, and the gradient is that
/// matrix times the seeds: in the typed inner product, where each replica class
/// is one vector.
void ProgramChecker::expectTransposed(const Boundaries &from,
                                      const Boundaries &to,
                                      const Values &results,
                                      const Values &seeds,
                                      const Values &gradients, StringRef what) {
  for (auto [argument, boundary] : llvm::enumerate(from.values)) {
    const WorldTensor &gradient = gradients[argument];
    for (int64_t k = 0; k < gradient.getCount(); ++k) {
      int64_t rank = k / gradient.size, element = k % gradient.size;
      int64_t column = boundary.getDirection(rank, element);
      Residue sum = 0;
      for (auto [number, output] : llvm::enumerate(to.values)) {
        const WorldTensor &result = results[number];
        for (size_t group = 0; group < output.classes.groups.size(); ++group)
          for (int64_t i = 0; i < output.size; ++i) {
            int64_t at = output.getRank(group) * output.size + i;
            Residue expected =
                result.hasDerivatives() ? result.getDerivatives(at)[column] : 0;
            sum = field::add(
                sum, field::multiply(expected, seeds[number].residues[at]));
            int64_t row = output.getDirection(output.getRank(group), i);
            Residue got =
                gradient.hasDerivatives() ? gradient.getDerivatives(k)[row] : 0;
            if (expected != got)
              return wrong(
                  what + ": wrong gradient",
                  "gradient of argument " + Twine(argument) + " on rank " +
                      Twine(rank) + ", element " + Twine(element) +
                      ", by the seed of result " + Twine(number) + " on rank " +
                      Twine(output.getRank(group)) + ", element " + Twine(i) +
                      ": expected " + formatResidue(expected) + ", got " +
                      formatResidue(got));
          }
      }
      if (sum != gradient.residues[k])
        return wrong(what + ": gradient is not linear in the seeds");
    }
  }
}

/// @NAME_vjp in `generated` against @NAME in `reference`.
void ProgramChecker::checkVjp(ModuleOp reference, ModuleOp generated,
                              StringRef name, const Values &arguments) {
  auto function = reference.lookupSymbol<func::FuncOp>(name);
  auto vjp = generated.lookupSymbol<func::FuncOp>((name + "_vjp").str());
  Boundaries from = getArguments(function, arguments);
  if (from.directions > kMaxDirections)
    return;
  World forward = makeWorld(from.directions, false);
  Values inputs = moveTo(forward, arguments);
  setBasis(inputs, from, 0);
  std::optional<Values> results =
      evaluate(reference, function, forward, inputs, "'@" + name.str() + "'");
  if (!results || isDecided())
    return;

  Boundaries to = getResults(function, *results);
  if (to.directions > kMaxDirections)
    return;
  World backward = makeWorld(to.directions, false);
  Values both = moveTo(backward, arguments);
  Values seeds = makeSeeds(backward, to, *results);
  both.insert(both.end(), seeds.begin(), seeds.end());
  setBasis(both, to, arguments.size());
  std::string what = "'@" + name.str() + "_vjp'";
  std::optional<Values> all = evaluate(generated, vjp, backward, both, what);
  if (!all || isDecided())
    return;
  Values primal = moveTo(backward, *results);
  expectSame(primal, Values(all->begin(), all->begin() + primal.size()), what);
  Values gradients(all->begin() + primal.size(), all->end());
  Boundaries back = getArguments(function, arguments);
  for (auto [number, boundary] : llvm::enumerate(back.values))
    for (int64_t k = 0; k < gradients[number].getCount(); ++k) {
      int64_t rank = boundary.getRank(
          boundary.classes.groupOf[k / gradients[number].size]);
      if (!gradients[number].isSame(k, rank * gradients[number].size +
                                           k % gradients[number].size))
        return wrong(what + ": a replicated gradient differs between ranks");
    }
  expectTransposed(from, to, *results, seeds, gradients, what);
  Values seeded(both.begin() + arguments.size(), both.end());
  checkHalves(generated, name, backward, moveTo(backward, arguments), seeded,
              *all);
  if (options.executes && name == "f" && !isDecided() && !backward.isDelicate &&
      !forward.isDelicate) {
    ++verdict.executed;
    double largest = std::max(forward.largest, backward.largest);
    std::string fault =
        execute(generated, "f_vjp", *ranks, both, *all, largest);
    if (!fault.empty())
      return wrong("compiled '@f_vjp': " +
                       StringRef(fault).split(':').first.str(),
                   fault);
  }
}

/// The halves together are the whole.
void ProgramChecker::checkHalves(ModuleOp generated, StringRef name,
                                 World &world, const Values &arguments,
                                 const Values &seeds, const Values &expected) {
  auto forward = generated.lookupSymbol<func::FuncOp>((name + "_fwd").str());
  auto backward = generated.lookupSymbol<func::FuncOp>((name + "_bwd").str());
  std::optional<Values> kept = evaluate(generated, forward, world, arguments,
                                        "'@" + name.str() + "_fwd'");
  if (!kept || isDecided())
    return;
  size_t count = expected.size() - arguments.size();
  Values results(kept->begin(), kept->begin() + count);
  Values inputs(kept->begin() + count, kept->end());
  inputs.insert(inputs.end(), seeds.begin(), seeds.end());
  std::optional<Values> gradients =
      evaluate(generated, backward, world, inputs, "'@" + name.str() + "_bwd'");
  if (!gradients || isDecided())
    return;
  results.insert(results.end(), gradients->begin(), gradients->end());
  expectSame(expected, results, "the halves of '@" + name.str() + "_vjp'");
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

/// The derivative of @f_vjp along a direction u is that of J^T along u, and
/// the gradient of @f_vjp is right.
void ProgramChecker::checkSecond(ModuleOp generated, const Values &arguments) {
  ModuleOp original = *program.module;
  auto main = original.lookupSymbol<func::FuncOp>("f");
  Boundaries from = getArguments(main, arguments);
  if (from.directions > kMaxDirections / 4)
    return;
  Values along;
  World plain = makeWorld(0, false);
  for (auto [boundary, argument] : llvm::zip(from.values, arguments))
    along.push_back(makeRandom(plain, argument.shape, boundary.classes));
  auto setDirection = [&](Values &inputs, int64_t channel) {
    for (auto [input, u] : llvm::zip(inputs, along)) {
      if (!input.hasDerivatives())
        input.addDerivatives();
      for (int64_t k = 0; k < input.getCount(); ++k)
        input.getDerivatives(k)[channel] = u.residues[k];
    }
  };
  World forward = makeWorld(from.directions, true);
  Values inputs = moveTo(forward, arguments);
  setBasis(inputs, from, 0);
  setDirection(inputs, from.directions);
  std::optional<Values> results =
      evaluate(original, main, forward, inputs, "'@f'");
  if (!results || isDecided())
    return;
  Boundaries to = getResults(main, *results);
  World backward = makeWorld(0, true);
  Values seeds = makeSeeds(backward, to, *results);
  Values both = moveTo(backward, arguments);
  setDirection(both, 0);
  both.insert(both.end(), seeds.begin(), seeds.end());
  std::optional<Values> all =
      evaluate(generated, generated.lookupSymbol<func::FuncOp>("f_vjp"),
               backward, both, "'@f_vjp'");
  if (!all || isDecided())
    return;
  for (auto [argument, boundary] : llvm::enumerate(from.values)) {
    const WorldTensor &gradient = (*all)[results->size() + argument];
    for (int64_t k = 0; k < gradient.getCount(); ++k) {
      int64_t column =
          boundary.getDirection(k / gradient.size, k % gradient.size);
      Residue expected = 0;
      for (auto [number, output] : llvm::enumerate(to.values))
        for (size_t group = 0; group < output.classes.groups.size(); ++group)
          for (int64_t i = 0; i < output.size; ++i) {
            int64_t at = output.getRank(group) * output.size + i;
            if (!(*results)[number].hasDerivatives())
              continue;
            expected = field::add(
                expected,
                field::multiply(seeds[number].residues[at],
                                (*results)[number].getDerivatives(
                                    at)[from.directions + 1 + column]));
          }
      Residue got =
          gradient.hasDerivatives() ? gradient.getDerivatives(k)[0] : 0;
      if (expected != got)
        return wrong("'@f_vjp': wrong derivative of the gradient",
                     "gradient of argument " + Twine(argument) + " on rank " +
                         Twine(k / gradient.size) + ", element " +
                         Twine(k % gradient.size) + ": expected " +
                         formatResidue(expected) + ", got " +
                         formatResidue(got));
    }
  }

  // The reference of the second derivative is the generated function itself.
  OwningOpRef<ModuleOp> twice = generated.clone();
  CommDifferentiator differentiator(*twice);
  errors.clear();
  if (failed(differentiator.getVjp(twice->lookupSymbol<func::FuncOp>("f_vjp"))))
    return wrong("'@f_vjp' is refused", errors);
  if (failed(verify(*twice)))
    return wrong("'@f_vjp_vjp' is invalid", errors);
  Values again = moveTo(plain, both);
  checkVjp(generated, *twice, "f_vjp", again);
  if (!isDecided())
    ++verdict.secondOrder;
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
  checkVjp(original, *module, "f", arguments);
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
