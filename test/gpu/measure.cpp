//===- measure.cpp - What compiled steps cost on a GPU --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// measure STEPS.so: times each function of steps.mlir, compiled for nccl with
// --keep-groups-of-one, beside the same written by hand, in turns, and prints a
// table of ratios. On one GPU.
//
//===----------------------------------------------------------------------===//

#include "ByHand.h"
#include "comm/Runner/Artifact.h"
#include "comm/Runtime/Communicator.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace mlir::comm;
using namespace mlir::comm::runner;

namespace {

/// Microseconds of one step: until the host has started it, and until it is
/// done.
struct Cost {
  double host, total;
};

using Step = std::function<void()>;

} // namespace

static double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

static Cost time(int steps, const Step &step, const Step &wait) {
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i)
    step();
  double host = since(start);
  wait();
  return {host / steps, since(start) / steps};
}

/// The best of several turns of each, which take turns.
static std::vector<Cost> compare(int steps, const std::vector<Step> &candidates,
                                 const std::vector<Step> &waits) {
  std::vector<Cost> best(candidates.size(), {1e30, 1e30});
  for (int turn = 0; turn < 7; ++turn)
    for (size_t i = 0; i < candidates.size(); ++i) {
      Cost cost = time(steps, candidates[i], waits[i]);
      // The first one makes plans, takes memory and records.
      if (turn == 0)
        continue;
      best[i].host = std::min(best[i].host, cost.host);
      best[i].total = std::min(best[i].total, cost.total);
    }
  return best;
}

static int numMissed = 0;

static void printRow(const std::string &what, double compiled, double other,
                     const char *unit, double ratio, double target,
                     bool isAtMost) {
  bool isMet = isAtMost ? ratio <= target : ratio >= target;
  numMissed += !isMet;
  std::printf("| %s | %.4g %s | %.4g %s | %.3f | %s %.2f | %s |\n",
              what.c_str(), compiled, unit, other, unit, ratio,
              isAtMost ? "at most" : "at least", target,
              isMet ? "met" : "MISSED");
}

/// Runs `program` for the only rank of a run. A failure ends the process.
static void
runOnOneRank(bool capturesSteps,
             const std::function<void(runtime::Context &)> &program) {
  runtime::Options options;
  options.captureSteps = capturesSteps;
  std::string error;
  auto world = runtime::World::create({{"tp", 1}}, "nccl", options, error);
  std::optional<runtime::Failure> failure;
  if (world)
    failure = world->launch(program);
  if (failure)
    error = failure->message;
  if (error.empty())
    return;
  std::fprintf(stderr, "measure: error: %s\n", error.c_str());
  std::exit(1);
}

namespace {

/// A compiled function with arguments in device memory.
class Compiled {
public:
  Compiled(const Artifact &artifact, const std::string &name,
           runtime::Context &context)
      : context(context) {
    const FunctionSignature &signature = artifact.find(name)->signature;
    std::vector<HostTensor> arguments;
    for (const ValueInfo &argument : signature.arguments)
      arguments.emplace_back(argument.type, argument.shape);
    Result<PackedFunction> function = artifact.lookup(name);
    invoker = std::make_unique<Invoker>(*function, signature, &context,
                                        std::move(arguments));
  }
  void call() {
    invoker->releaseResults();
    if (invoker->call() == COMM_SUCCESS)
      return;
    std::fprintf(stderr, "measure: error: %s\n", context.getMessage().c_str());
    std::exit(1);
  }
  Step step() {
    return [this] { call(); };
  }
  Step wait() {
    return [this] { context.synchronize(); };
  }

private:
  runtime::Context &context;
  std::unique_ptr<Invoker> invoker;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: measure STEPS.so\n");
    return 2;
  }
  Result<Artifact> artifact = Artifact::load(argv[1]);
  if (!artifact) {
    std::fprintf(stderr, "measure: error: %s\n",
                 artifact.getFailure().message.c_str());
    return 2;
  }
  ByHand hand;
  Step handWait = [&] { hand.synchronize(); };
  std::printf("| what | compiled | beside it | ratio | target | |\n"
              "| --- | --- | --- | --- | --- | --- |\n");
  Cost plain{};
  runOnOneRank(/*capturesSteps=*/false, [&](runtime::Context &context) {
    Compiled product(*artifact, "product", context),
        elementwise(*artifact, "elementwise", context),
        step(*artifact, "step", context), small(*artifact, "small", context);

    auto costs = compare(50, {product.step(), [&] { hand.product(); }},
                         {product.wait(), handWait});
    printRow("matrix product, f16, 4096", costs[0].total, costs[1].total, "us",
             costs[0].total / costs[1].total, 1.02, true);

    // Both read and write 256 MiB.
    costs = compare(50, {elementwise.step(), [&] { hand.copy(); }},
                    {elementwise.wait(), handWait});
    double bytes = 2.0 * 16384 * 4096 * sizeof(float);
    printRow("elementwise, beside a copy on the device",
             bytes / costs[0].total / 1e3, bytes / costs[1].total / 1e3, "GB/s",
             costs[1].total / costs[0].total, 0.85, false);

    costs = compare(100, {step.step(), [&] { hand.step(); }},
                    {step.wait(), handWait});
    printRow("product, bias, tanh, all_reduce", costs[0].total, costs[1].total,
             "us", costs[0].total / costs[1].total, 1.05, true);

    costs = compare(200, {small.step(), [&] { hand.small(); }},
                    {small.wait(), handWait});
    plain = costs[0];
    printRow("4 small kernels and all_reduces", costs[0].total, costs[1].total,
             "us", costs[0].total / costs[1].total, 1.05, true);
    std::printf(
        "| the host's time for one of these 8 | %.4g us | %.4g us | | | "
        "|\n",
        costs[0].host / 8, costs[1].host / 8);
  });
  runOnOneRank(/*capturesSteps=*/true, [&](runtime::Context &context) {
    Compiled small(*artifact, "small", context);
    auto costs = compare(200, {small.step()}, {small.wait()});
    printRow("the host's time, captured beside not", costs[0].host, plain.host,
             "us", costs[0].host / plain.host, 0.3, true);
  });
  return numMissed ? 3 : 0;
}
