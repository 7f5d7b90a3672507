//===- CheckTangents.cpp - Forward mode against the Jacobian --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "ProgramChecker.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;
using field::Residue;

/// @NAME_jvp in `generated` against @NAME in `reference`: with the tangents as
/// directions, the derivative of the results' tangents is the Jacobian, and
/// they are that matrix times the tangents of the arguments.
void ProgramChecker::checkJvp(ModuleOp reference, ModuleOp generated,
                              StringRef name, const Values &arguments) {
  if (isDecided())
    return;
  auto function = reference.lookupSymbol<func::FuncOp>(name);
  auto jvp = generated.lookupSymbol<func::FuncOp>((name + "_jvp").str());
  Boundaries from = getArguments(function, arguments);
  if (from.directions > kMaxDirections)
    return;
  World world = makeWorld(from.directions, false);
  Values inputs = moveTo(world, arguments);
  Values tangents = makeSeeds(world, from, inputs);
  Values both = inputs;
  both.insert(both.end(), tangents.begin(), tangents.end());
  setBasis(both, from, arguments.size());
  setBasis(inputs, from, 0);
  std::optional<Values> results =
      evaluate(reference, function, world, inputs, "'@" + name.str() + "'");
  if (!results || isDecided())
    return;
  std::string what = "'@" + name.str() + "_jvp'";
  std::optional<Values> all = evaluate(generated, jvp, world, both, what);
  if (!all || isDecided())
    return;
  if (all->size() != 2 * results->size())
    return wrong(what + ": wrong number of results");

  // J ẋ, and J as its derivative.
  Values expected = moveTo(world, *results);
  for (const WorldTensor &result : *results) {
    WorldTensor tangent = result;
    for (int64_t k = 0; k < result.getCount(); ++k) {
      Residue sum = 0;
      for (auto [number, boundary] : llvm::enumerate(from.values))
        for (size_t group = 0; group < boundary.classes.groups.size(); ++group)
          for (int64_t i = 0; i < boundary.size; ++i) {
            int64_t rank = boundary.getRank(group);
            if (!result.hasDerivatives())
              continue;
            sum = field::add(
                sum,
                field::multiply(
                    result.getDerivatives(k)[boundary.getDirection(rank, i)],
                    tangents[number].residues[rank * boundary.size + i]));
          }
      tangent.residues[k] = sum;
    }
    expected.push_back(std::move(tangent));
  }
  expectSame(expected, *all, what);
  if (!isDecided())
    ++verdict.tangents;
  if (options.executes && name == "f" && !isDecided() && !world.isDelicate) {
    std::string fault = execute(generated, "f_jvp", *ranks, both, *all,
                                world.largest, options.backend);
    if (!fault.empty())
      wrong("compiled '@f_jvp': " + StringRef(fault).split(':').first.str(),
            fault);
  }
}
