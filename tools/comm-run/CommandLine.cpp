//===- CommandLine.cpp - What the user asks of comm-run -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "CompileFlags.h"

using namespace mlir::comm::runner;

static constexpr const char *summary =
    "Runs a function of an MLIR program on every rank of its mesh, one thread "
    "a rank.\n\n";

static constexpr const char *examples = R"(
Examples:
  comm-run f.mlir --input=x@0=1,2 --input=x@1=3,4 --input=w=ones
  comm-run f.mlir --grad --seed=y@2=100 --expect=grad.x=111
  comm-run f.mlir --check-grad
  comm-run f.mlir --function=f_from_full --check-grad --reference=@f_serial

)";

static void addGradientCheckFlags(FlagTable &table, CommandLine &line) {
  table.addSwitch("check-grad",
                  "Check the gradients by forward mode and differences in f64",
                  line.checkGrad);
  table.addText("reference", "NAME",
                "A function without collectives, of the same whole\n"
                "values, that --check-grad compares with",
                line.reference);
  table.addText("vjp", "NAME",
                "A hand-written derivative for --check-grad to check:\n"
                "(arguments, seeds) -> (results, gradients)",
                line.vjp);
  table.addText("json", "FILE",
                "Write the report of --check-grad as JSON; -: to standard\n"
                "output, in place of the table",
                line.json);
  table.addSwitch("allow-symmetric",
                  "Let --check-grad take data that are equal on all ranks",
                  line.allowSymmetric);
}

/// Flags that exclude each other.
static MaybeFailure check(const FlagTable &table, const CommandLine &line) {
  if (line.checkGrad)
    for (const char *flag :
         {"grad", "expect", "output", "time", "trace", "repeat"})
      if (table.wasGiven(flag))
        return usageFailure(
            "--check-grad runs the program many times and has no "
            "results for --grad, --expect, --output, --time, "
            "--repeat or --trace");
  for (const char *flag : {"reference", "vjp", "json", "allow-symmetric"})
    if (table.wasGiven(flag) && !line.checkGrad)
      return usageFailure("--" + std::string(flag) + " needs --check-grad");
  return std::nullopt;
}

Result<CommandLine> mlir::comm::runner::parseCommandLine(int argc,
                                                         char **argv) {
  FlagTable table("comm-run",
                  std::string(summary) + kValueHelp + examples + kExitCodeHelp,
                  getVersionText("comm-run"));
  CommandLine line;
  table.setFile("file.mlir", line.file);
  RunFlags run(table, line);
  addGradientCheckFlags(table, line);
  addCompileFlags(table, line.compile, line.kernelCache);
  if (MaybeFailure failure = table.parse(argc, argv))
    return *failure;
  if (MaybeFailure failure = run.finish(line.checkGrad, " or --check-grad"))
    return *failure;
  if (MaybeFailure failure = check(table, line))
    return *failure;
  line.reference = getFunctionName(line.reference);
  line.vjp = getFunctionName(line.vjp);
  Result<Target> target = getTargetOfBackend(line.launch.backend);
  if (!target)
    return target.getFailure();
  line.compile.target = *target;
  line.kernelCache = getKernelCacheFolder(line.kernelCache);
  return line;
}
