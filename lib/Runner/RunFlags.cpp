//===- RunFlags.cpp - The flags of whatever runs a program ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/RunFlags.h"

#include <cmath>

using namespace mlir::comm::runner;

const char *const mlir::comm::runner::kValueHelp =
    R"(It runs @main, else the only public function, else the one that --function
names. NAME is a name in the text or a position; RANK a world rank, without
which a value is for every rank. VALUE is one of
  1,2,3  [[1,2],[3,4]]  true  nan  0x7fc0    literals; one alone fills a tensor
  rand iota ones zeros rank                  a pattern; rand is in [-1, 1), and
                                             -8 to 7 for integers
  @x.npy  @x.{rank}.npy                      a NumPy file
with the shape before it where the type has unknown sizes: 4x2xf32=ones.
)";

const char *const mlir::comm::runner::kExitCodeHelp =
    R"(Exit codes: 0 right, 1 a value is wrong, 2 wrong command line, 3 refused by the
compiler, 4 failed while running.
)";

std::string mlir::comm::runner::getFunctionName(const std::string &text) {
  return text.substr(text.rfind('@', 0) == 0);
}

RunFlags::RunFlags(FlagTable &table, RunOptions &options)
    : table(table), options(options) {
  table.addText("function", "NAME", "The function to run", options.function);
  table.addTexts("input", "NAME[@RANK]=VALUE",
                 "An argument's value; those not given are random", inputs);
  table.addInteger("random-seed", "N", "The seed of random values; default 0",
                   options.randomSeed);
  table.addTexts("output", "NAME[@RANK]=@FILE",
                 "Write a result to an .npy file", outputs);
  table.addTexts("expect", "NAME[@RANK]=VALUE",
                 "What a result must be; grad.x is a gradient", expected);
  table.addNumber("atol", "T", "Absolute tolerance; default by type",
                  options.tolerance.absolute);
  table.addNumber("rtol", "T", "Relative tolerance; default by type",
                  options.tolerance.relative);
  table.addSwitch("print-all", "Print large tensors in full",
                  options.print.printAll);
  table.addSwitch("grad", "Differentiate, and print the gradients too",
                  options.grad);
  table.addTexts("seed", "NAME[@RANK]=VALUE",
                 "A float result's cotangent; default ones", seeds);
  table.addTexts("wrt", "NAME",
                 "An argument to differentiate; default all of floats",
                 options.wrt);
  table.addSwitch("no-check-replicated",
                  "Do not compare replicated results over the ranks",
                  noCheckReplicated);
  table.addSwitch("time", "Print the time of the run", options.time);
  table.addInteger("repeat", "N", "Run N times with the same inputs; default 1",
                   options.launch.repetitions);
  table.addSwitch(
      "capture",
      "Record the second of the runs on a GPU as a CUDA graph, and\n"
      "launch that in the others",
      options.launch.captureSteps);
  table.addSwitch("trace", "Print each collective of each rank",
                  options.launch.trace);
  table.addNumber("timeout", "SECONDS",
                  "How long a rank waits for another; default 30, 0: for ever",
                  timeout);
  std::string backend =
      options.launch.backend.empty() ? "by target" : options.launch.backend;
  table.addText("backend", "NAME",
                "What runs the ranks: threads, cuda-local (all on one GPU) or\n"
                "nccl (a GPU for each); default " +
                    backend,
                options.launch.backend);
}

static MaybeFailure parseValues(const std::string &flag,
                                const std::vector<std::string> &texts,
                                std::vector<ValueSpec> &specs) {
  for (const std::string &text : texts) {
    Result<ValueSpec> spec = parseValueSpec(flag, text);
    if (!spec)
      return spec.getFailure();
    specs.push_back(*spec);
  }
  return std::nullopt;
}

/// Whether `value` can be a tolerance or a time.
static bool isAmount(double value) {
  return value >= 0 && std::isfinite(value);
}

MaybeFailure RunFlags::finish(bool differentiates, const std::string &others) {
  differentiates |= options.grad;
  for (const char *flag : {"seed", "wrt"})
    if (table.wasGiven(flag) && !differentiates)
      return usageFailure("--" + std::string(flag) + " needs --grad" + others);
  if (options.launch.repetitions < 1)
    return usageFailure("--repeat expects a number of runs, at least 1");
  if (options.launch.captureSteps && options.launch.repetitions < 2)
    return usageFailure("--capture needs --repeat: the second run is recorded");
  for (std::optional<double> amount :
       {options.tolerance.absolute, options.tolerance.relative})
    if (!isAmount(amount.value_or(0)))
      return usageFailure("a tolerance is a number of at least 0");
  if (timeout && (!isAmount(*timeout) || *timeout > 1e9))
    return usageFailure("--timeout expects a number of seconds, 0 for ever");
  if (timeout)
    options.launch.timeout = std::chrono::milliseconds(
        static_cast<int64_t>(std::ceil(*timeout * 1000)));

  if (MaybeFailure failure = parseValues("--input", inputs, options.inputs))
    return failure;
  if (MaybeFailure failure = parseValues("--seed", seeds, options.seeds))
    return failure;
  if (MaybeFailure failure =
          parseValues("--expect", expected, options.expected))
    return failure;
  for (const std::string &text : outputs) {
    Result<OutputSpec> spec = parseOutputSpec("--output", text);
    if (!spec)
      return spec.getFailure();
    options.outputs.push_back(*spec);
  }
  options.function = getFunctionName(options.function);
  options.checkReplicated = !noCheckReplicated;
  return std::nullopt;
}
