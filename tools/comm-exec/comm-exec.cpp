//===- comm-exec.cpp - Runs what comm-compile has made --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Artifact.h"
#include "comm/Runner/Run.h"

using namespace mlir::comm;
using namespace mlir::comm::runner;

static constexpr const char *summary =
    "Runs a function that comm-compile has compiled on every rank of its mesh."
    "\n\n";

static constexpr const char *examples = R"(
Examples:
  comm-exec f.so --describe
  comm-exec f.so --input=x@0=1,2 --input=x@1=3,4 --input=w=ones
  comm-exec f.so --grad --seed=y@2=100 --expect=grad.x=111

)";

namespace {

struct CommandLine : RunOptions {
  bool describe = false;
};

} // namespace

static Result<CommandLine> parseCommandLine(int argc, char **argv) {
  FlagTable table("comm-exec",
                  std::string(summary) + kValueHelp + examples + kExitCodeHelp,
                  "comm-exec " COMM_VERSION ", runtime ABI " +
                      std::to_string(COMM_RUNTIME_ABI_VERSION));
  CommandLine line;
  line.launch.backend.clear();
  table.setFile("file.so", line.file);
  RunFlags run(table, line);
  table.addSwitch("describe", "Print what the file holds, and run nothing",
                  line.describe);
  if (MaybeFailure failure = table.parse(argc, argv))
    return *failure;
  if (MaybeFailure failure = run.finish())
    return *failure;
  return line;
}

/// Names the function of the artifact that --grad asks for.
static MaybeFailure findVjp(const Artifact &artifact, RunPlan &plan) {
  const std::string &name = plan.function.name;
  const ArtifactFunction *vjp = artifact.findVjp(name, plan.vjp->wrt);
  if (vjp) {
    plan.vjp->signature = vjp->signature;
    return std::nullopt;
  }
  std::string names;
  for (unsigned position : plan.vjp->wrt)
    names += (names.empty() ? "'" : ", '") +
             getFlagName(plan.function, ValueKind::Argument, position) + "'";
  return usageFailure("no gradient of '@" + name + "' with respect to " +
                      names +
                      " was compiled: see --grad and --wrt of "
                      "comm-compile");
}

static MaybeFailure exec(int argc, char **argv, const Console &console) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return line.getFailure();
  line->launch.onStuck = [&](const Failure &failure) {
    console.exitWith(failure);
  };

  Result<Artifact> artifact = Artifact::load(line->file);
  if (!artifact)
    return artifact.getFailure();
  const ArtifactDescription &description = artifact->getDescription();
  if (line->describe) {
    console.printText(describe(description));
    return std::nullopt;
  }
  std::string &backend = line->launch.backend;
  if (backend.empty())
    backend = getBackends(description.target).front();
  if (MaybeFailure failure = artifact->checkBackend(backend))
    return failure;

  Result<std::string> name = chooseFunction(
      artifact->getFunctions(), line->function, "'" + line->file + "'");
  if (!name)
    return name.getFailure();
  const FunctionSignature &signature = artifact->find(*name)->signature;
  if (MaybeFailure failure = checkNumRanks(signature))
    return failure;
  Result<RunPlan> plan = planRun(signature, *line);
  if (!plan)
    return plan.getFailure();
  if (plan->vjp)
    if (MaybeFailure failure = findVjp(*artifact, *plan))
      return failure;
  auto lookup = [&](const std::string &name) { return artifact->lookup(name); };
  return run(*plan, lookup, *line, /*timeReport=*/"", console);
}

int main(int argc, char **argv) {
  return Console("comm-exec").run(exec, argc, argv);
}
