//===- elementwise.cpp - Elementwise kernels against memcpy ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of elementwise ops on arrays much larger than the caches, in turn
// with a memcpy of one such array, on one core. A rate is what is read and
// written, in bytes, by the time.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"
#include "comm/Runtime/Communicator.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace mlir::comm;
using Clock = std::chrono::steady_clock;

/// 64 MiB of f32.
static constexpr int64_t elementCount = 16 << 20;

namespace {
struct Case {
  const char *name;
  /// Of the function `@main` that takes `arguments` tensors of type !t.
  int arguments;
  const char *body;
  /// Whether memory bounds it, and not the arithmetic.
  bool hasTarget;
};
} // namespace

static const Case cases[] = {
    {"y = 2 x + 1", 1, R"(
  %two = arith.constant dense<2.0> : !t
  %one = arith.constant dense<1.0> : !t
  %m = arith.mulf %a0, %two : !t
  %y = arith.addf %m, %one : !t
)",
     true},
    {"y = relu(a b + c)", 3, R"(
  %zero = arith.constant dense<0.0> : !t
  %m = arith.mulf %a0, %a1 : !t
  %s = arith.addf %m, %a2 : !t
  %y = arith.maximumf %s, %zero : !t
)",
     true},
    {"y = a (1 - b b), the backward of tanh", 2, R"(
  %one = arith.constant dense<1.0> : !t
  %q = arith.mulf %a1, %a1 : !t
  %d = arith.subf %one, %q : !t
  %y = arith.mulf %a0, %d : !t
)",
     true},
    {"y = tanh(x)", 1, R"(
  %y = math.tanh %a0 : !t
)",
     false},
    {"y = gelu(x), by tanh", 1, R"(
  %half = arith.constant dense<0.5> : !t
  %one = arith.constant dense<1.0> : !t
  %c = arith.constant dense<0.044715> : !t
  %root = arith.constant dense<0.7978845608> : !t
  %x2 = arith.mulf %a0, %a0 : !t
  %x3 = arith.mulf %x2, %a0 : !t
  %cx3 = arith.mulf %c, %x3 : !t
  %sum = arith.addf %a0, %cx3 : !t
  %inner = arith.mulf %root, %sum : !t
  %t = math.tanh %inner : !t
  %t1 = arith.addf %one, %t : !t
  %hx = arith.mulf %half, %a0 : !t
  %y = arith.mulf %hx, %t1 : !t
)",
     false},
};

static std::string getSource(const Case &test) {
  std::string source = "!t = tensor<" + std::to_string(elementCount) +
                       "xf32>\ncomm.mesh @mesh [tp = 1]\nfunc.func @main(";
  for (int i = 0; i < test.arguments; ++i)
    source += (i ? ", %a" : "%a") + std::to_string(i) + ": !t";
  return source + ") -> !t {" + test.body + "  return %y : !t\n}\n";
}

static double getMedian(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

static void measure(const Case &test, int repetitions) {
  bench::Generated generated(getSource(test), /*grad=*/false);
  std::string error;
  auto world = runtime::World::create(generated.signature.mesh, "threads",
                                      runtime::Options(), error);
  std::vector<double> kernelTimes, copyTimes;
  auto failure = world->launch([&](runtime::Context &context) {
    runner::Invoker invoker(generated.entry, generated.signature, &context,
                            generated.inputs[0]);
    const runner::HostTensor &from = generated.inputs[0][0];
    runner::HostTensor to = from;
    auto time = [](auto &&step) {
      Clock::time_point start = Clock::now();
      step();
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    for (int i = -1; i < repetitions; ++i) {
      invoker.releaseResults();
      double kernel = time([&] { invoker.call(); });
      double copy = time([&] {
        std::memcpy(to.getData(), from.getData(), from.getByteCount());
      });
      if (i < 0)
        continue;
      kernelTimes.push_back(kernel);
      copyTimes.push_back(copy);
    }
  });
  if (failure) {
    std::fprintf(stderr, "%s\n", failure->message.c_str());
    std::exit(1);
  }
  double bytes = elementCount * sizeof(float);
  double kernelRate = (test.arguments + 1) * bytes / getMedian(kernelTimes),
         copyRate = 2 * bytes / getMedian(copyTimes);
  std::fprintf(stderr, "%s: %.2f GB/s, memcpy %.2f GB/s\n", test.name,
               1e-9 * kernelRate, 1e-9 * copyRate);
  std::string what = std::string(test.name) + ", 64 MiB f32: rate / memcpy's";
  bench::printFigure(what, kernelRate / copyRate,
                     test.hasTarget ? std::optional<double>(0.8) : std::nullopt,
                     ">=");
}

int main(int argc, char **argv) {
  bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  for (const Case &test : cases)
    measure(test, quick ? 5 : 21);
}
