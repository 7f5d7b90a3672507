//===- Run.cpp - Inputs, run, results, checks -----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Run.h"

#include "comm/Runner/Outputs.h"

#include <algorithm>

using namespace mlir::comm;
using namespace mlir::comm::runner;

static InputOptions inputOptions(const RunOptions &options) {
  return {options.randomSeed, "rand", "--input"};
}

Result<RunPlan> mlir::comm::runner::planRun(const FunctionSignature &function,
                                            const RunOptions &options) {
  RunPlan plan;
  plan.function = function;
  if (options.grad) {
    Result<Vjp> vjp = describeVjp(function, options.wrt);
    if (!vjp)
      return vjp.getFailure();
    plan.vjp = std::move(*vjp);
  }
  Result<RankValues> inputs =
      buildInputs(function, options.inputs, inputOptions(options));
  if (!inputs)
    return inputs.getFailure();
  plan.inputs = std::move(*inputs);
  const FunctionSignature &called = plan.vjp ? plan.vjp->signature : function;
  Result<SpecTable> expected =
      SpecTable::create(called, ValueKind::Result, options.expected);
  if (!expected)
    return expected.getFailure();
  if (MaybeFailure failure = checkOutputs(called, options.outputs))
    return *failure;
  return plan;
}

/// Tells which values are random, and how to get them again.
static void printRandomSeed(const FunctionSignature &signature,
                            const RunOptions &options, const Console &console) {
  Result<SpecTable> table =
      SpecTable::create(signature, ValueKind::Argument, options.inputs);
  std::string names;
  for (unsigned i = 0; i < signature.arguments.size(); ++i) {
    std::vector<int64_t> ranks = getRandomRanks(
        signature, ValueKind::Argument, i, *table, inputOptions(options));
    if (ranks.empty())
      continue;
    names += (names.empty() ? "" : ", ") +
             getFlagName(signature, ValueKind::Argument, i);
    if (int64_t(ranks.size()) < runtime::getNumRanks(signature.mesh))
      names += " (" + formatRanks(ranks) + ")";
  }
  if (!names.empty())
    console.print("random: " + names + " (--random-seed=" +
                  std::to_string(options.randomSeed) + ")");
}

/// The seeds of the float results. Their sizes are known when the program has
/// run.
static Result<RankValues> buildSeeds(const RunPlan &plan,
                                     const FunctionLookup &lookup,
                                     const RunOptions &options) {
  FunctionSignature signature = plan.function;
  if (std::any_of(signature.results.begin(), signature.results.end(),
                  [](const ValueInfo &result) { return result.isDynamic(); })) {
    Result<PackedFunction> function = lookup(signature.name);
    if (!function)
      return function.getFailure();
    LaunchOptions once = options.launch;
    once.repetitions = 1;
    once.trace = false;
    Launch sizes = launch(*function, signature, plan.inputs, once);
    if (sizes.failure)
      return *sizes.failure;
    for (size_t i = 0; i < signature.results.size(); ++i)
      signature.results[i].shape = sizes.results[sizes.ranks[0]][i].getShape();
  }
  return buildInputs(signature, ValueKind::Result, plan.vjp->seeded,
                     options.seeds, {options.randomSeed, "ones", "--seed"});
}

/// Prints and checks what the run gave.
static MaybeFailure report(const FunctionSignature &signature,
                           const Launch &launch, const RunOptions &options,
                           const Console &console) {
  console.printText(formatResults(signature, launch.results, options.print));
  if (options.time)
    console.print(formatTime(launch));
  Result<std::vector<std::string>> written =
      writeOutputs(signature, launch.results, options.outputs);
  if (!written)
    return written.getFailure();
  for (const std::string &text : *written)
    console.print(text);
  bool passed = true;
  if (options.checkReplicated) {
    ComparisonReport replicated = checkReplicated(signature, launch.results);
    for (const std::string &text : replicated.lines)
      console.printError(text);
    passed &= replicated.passed;
  }
  Result<ComparisonReport> expected = checkExpected(
      signature, launch.results, options.expected, options.tolerance);
  if (!expected)
    return expected.getFailure();
  for (const std::string &text : expected->lines)
    if (expected->passed)
      console.print(text);
    else
      console.printError(text);
  if (!passed || !expected->passed)
    return Failure{ExitCode::Mismatch, ""};
  return std::nullopt;
}

MaybeFailure mlir::comm::runner::run(const RunPlan &plan,
                                     const FunctionLookup &lookup,
                                     const RunOptions &options,
                                     const std::string &timeReport,
                                     const Console &console) {
  const FunctionSignature &signature =
      plan.vjp ? plan.vjp->signature : plan.function;
  Result<PackedFunction> function = lookup(signature.name);
  if (!function)
    return function.getFailure();
  RankValues arguments = plan.inputs;
  if (plan.vjp) {
    Result<RankValues> seeds = buildSeeds(plan, lookup, options);
    if (!seeds)
      return seeds.getFailure();
    arguments = joinValues(std::move(arguments), *seeds);
  }

  printRandomSeed(plan.function, options, console);
  if (options.time && !timeReport.empty())
    console.print(timeReport);
  Launch launched = launch(*function, signature, arguments, options.launch);
  for (const std::string &text : launched.trace)
    console.print(text);
  if (launched.failure)
    return launched.failure;
  if (!launched.captureNote.empty())
    console.print("note: " + launched.captureNote);
  return report(signature, launched, options, console);
}
