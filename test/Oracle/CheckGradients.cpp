//===- CheckGradients.cpp - Gradients against the Jacobian ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "ProgramChecker.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;
using field::Residue;

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
  if (isDecided())
    return;
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
    std::string fault = execute(generated, "f_vjp", *ranks, both, *all, largest,
                                options.backend);
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

/// The derivative of @f_vjp along a direction u is that of J^T along u, and the
/// gradients of @f_vjp and @f_jvp and the tangent of @f_vjp are right.
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
  auto vjp = twice->lookupSymbol<func::FuncOp>("f_vjp");
  if (failed(differentiator.getVjp(vjp)))
    return wrong("'@f_vjp' is refused", errors);
  if (failed(differentiator.getJvp(vjp)))
    return wrong("'@f_vjp' is refused in forward mode", errors);
  if (failed(differentiator.getVjp(twice->lookupSymbol<func::FuncOp>("f_jvp"))))
    return wrong("'@f_jvp' is refused", errors);
  if (failed(verify(*twice)))
    return wrong("a derivative of a derivative is invalid", errors);
  Values again = moveTo(plain, both);
  checkVjp(generated, *twice, "f_vjp", again);
  checkJvp(generated, *twice, "f_vjp", again);
  Values pushed = moveTo(plain, arguments);
  pushed.insert(pushed.end(), along.begin(), along.end());
  checkVjp(generated, *twice, "f_jvp", pushed);
  if (!isDecided())
    ++verdict.secondOrder;
}
