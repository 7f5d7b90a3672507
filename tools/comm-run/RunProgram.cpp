//===- RunProgram.cpp - Inputs, run, results, checks ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "Compile.h"
#include "Differentiate.h"
#include "KernelCache.h"
#include "comm/Runner/Outputs.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

static InputOptions inputOptions(const CommandLine &line) {
  return {line.randomSeed, "rand", "--input"};
}

/// Tells which values are random, and how to get them again.
static void printRandomSeed(const FunctionSignature &signature,
                            const CommandLine &line) {
  Result<SpecTable> table =
      SpecTable::create(signature, ValueKind::Argument, line.inputs);
  std::string names;
  for (unsigned i = 0; i < signature.arguments.size(); ++i) {
    std::vector<int64_t> ranks = getRandomRanks(signature, ValueKind::Argument,
                                                i, *table, inputOptions(line));
    if (ranks.empty())
      continue;
    names += (names.empty() ? "" : ", ") +
             getFlagName(signature, ValueKind::Argument, i);
    if (int64_t(ranks.size()) < runtime::getNumRanks(signature.mesh))
      names += " (" + formatRanks(ranks) + ")";
  }
  if (!names.empty())
    llvm::outs() << "random: " << names << " (--random-seed=" << line.randomSeed
                 << ")\n";
}

/// The seeds of the float results. Their sizes are known when the program has
/// run.
static Result<RankValues> buildSeeds(const Vjp &vjp, const CompiledModule &code,
                                     FunctionSignature signature,
                                     const RankValues &inputs,
                                     const CommandLine &line) {
  if (llvm::any_of(signature.results, [](const ValueInfo &result) {
        return result.isDynamic();
      })) {
    Result<PackedFunction> function = code.lookup(signature.name);
    if (!function)
      return function.getFailure();
    Launch sizes = launch(*function, signature, inputs, line.launch);
    if (sizes.failure)
      return *sizes.failure;
    for (size_t i = 0; i < signature.results.size(); ++i)
      signature.results[i].shape = sizes.results[sizes.ranks[0]][i].getShape();
  }
  return buildInputs(signature, ValueKind::Result, vjp.seeded, line.seeds,
                     {line.randomSeed, "ones", "--seed"});
}

/// Prints and checks what the run gave.
static MaybeFailure report(const FunctionSignature &signature,
                           const Launch &launch, const CommandLine &line) {
  llvm::outs() << formatResults(signature, launch.results, line.print);
  if (line.time)
    llvm::outs() << formatTime(launch) << "\n";
  Result<std::vector<std::string>> written =
      writeOutputs(signature, launch.results, line.outputs);
  if (!written)
    return written.getFailure();
  for (const std::string &text : *written)
    llvm::outs() << text << "\n";
  bool passed = true;
  if (line.checkReplicated) {
    ComparisonReport replicated = checkReplicated(signature, launch.results);
    for (const std::string &text : replicated.lines)
      llvm::WithColor::error(llvm::errs(), "comm-run") << text << "\n";
    passed &= replicated.passed;
  }
  Result<ComparisonReport> expected =
      checkExpected(signature, launch.results, line.expected, line.tolerance);
  if (!expected)
    return expected.getFailure();
  for (const std::string &text : expected->lines)
    (expected->passed ? llvm::outs()
                      : llvm::WithColor::error(llvm::errs(), "comm-run"))
        << text << "\n";
  if (!passed || !expected->passed)
    return Failure{ExitCode::Mismatch, ""};
  return std::nullopt;
}

MaybeFailure comm::runner::runProgram(Program &program,
                                      const CommandLine &line) {
  FunctionSignature signature = program.signature;
  std::optional<Vjp> vjp;
  if (line.grad) {
    Result<Vjp> described = describeVjp(signature, line.wrt);
    if (!described)
      return described.getFailure();
    vjp = std::move(*described);
    signature = vjp->signature;
  }
  // What is wrong with the flags is told before anything is compiled.
  Result<RankValues> inputs =
      buildInputs(program.signature, line.inputs, inputOptions(line));
  if (!inputs)
    return inputs.getFailure();
  Result<SpecTable> expected =
      SpecTable::create(signature, ValueKind::Result, line.expected);
  if (!expected)
    return expected.getFailure();
  if (MaybeFailure failure = checkOutputs(signature, line.outputs))
    return failure;

  ModuleOp module = *program.module;
  if (vjp) {
    if (failed(addVjp(program, *vjp)) ||
        failed(keepOnly(
            module, {program.getFunction(),
                     module.lookupSymbol<func::FuncOp>(vjp->signature.name)})))
      return Failure{ExitCode::Compile, ""};
    signature.name = vjp->signature.name;
  }
  KernelCache cache(line.kernelCache);
  Result<CompiledModule> code =
      CompiledModule::create(module, line.getCompileOptions(&cache));
  if (!code)
    return code.getFailure();
  Result<PackedFunction> function = code->lookup(signature.name);
  if (!function)
    return function.getFailure();
  if (vjp) {
    Result<RankValues> seeds =
        buildSeeds(*vjp, *code, program.signature, *inputs, line);
    if (!seeds)
      return seeds.getFailure();
    inputs = joinValues(std::move(*inputs), *seeds);
  }

  printRandomSeed(program.signature, line);
  if (line.time)
    llvm::outs() << formatReport(code->getReport()) << "\n";
  Launch launched = launch(*function, signature, *inputs, line.launch);
  for (const std::string &text : launched.trace)
    llvm::outs() << text << "\n";
  if (launched.failure)
    return launched.failure;
  return report(signature, launched, line);
}
