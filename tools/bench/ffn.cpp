//===- ffn.cpp - A feed-forward layer, generated and by hand --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor-parallel feed-forward layer on two ranks, forward and backward:
// what the compiler makes of it against the program that one writes by hand,
// with OpenBLAS and the runtime's own all_reduce. Both run in turn in one
// process, on the same threads and inputs, and must give the same.
//
//===----------------------------------------------------------------------===//

#include "Generated.h"
#include "comm/Runtime/Communicator.h"

#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <cmath>
#include <cstring>

using namespace mlir::comm;
using Clock = std::chrono::steady_clock;

namespace {

struct Sizes {
  /// Rows of x, its columns, and each rank's share of the hidden layer.
  int64_t tokens, model, hidden;
  int repetitions;
};

/// y = all_reduce(tanh(x w1) w2) and its gradients, in buffers that stay.
class HandWritten {
public:
  HandWritten(Sizes sizes, CommContext *context)
      : sizes(sizes), context(context),
        group(commCommunicator(context, axes, 1)) {
    for (std::vector<float> *buffer : {&hidden, &hiddenGradient})
      buffer->resize(sizes.tokens * sizes.hidden);
    y.resize(sizes.tokens * sizes.model);
    xGradient.resize(sizes.tokens * sizes.model);
    w1Gradient.resize(sizes.model * sizes.hidden);
    w2Gradient.resize(sizes.hidden * sizes.model);
  }

  void run(const float *x, const float *w1, const float *w2,
           const float *yGradient) {
    auto [m, d, h, repetitions] = sizes;
    multiply(CblasNoTrans, CblasNoTrans, m, h, d, x, d, w1, h, hidden.data());
    for (float &value : hidden)
      value = std::tanh(value);
    multiply(CblasNoTrans, CblasNoTrans, m, d, h, hidden.data(), h, w2, d,
             y.data());
    commAllReduce(context, group, y.data(), y.data(), m * d, COMM_F32, COMM_SUM,
                  &site);

    multiply(CblasTrans, CblasNoTrans, h, d, m, hidden.data(), h, yGradient, d,
             w2Gradient.data());
    multiply(CblasNoTrans, CblasTrans, m, h, d, yGradient, d, w2, d,
             hiddenGradient.data());
    for (int64_t i = 0; i < m * h; ++i)
      hiddenGradient[i] *= 1 - hidden[i] * hidden[i];
    multiply(CblasTrans, CblasNoTrans, d, h, m, x, d, hiddenGradient.data(), h,
             w1Gradient.data());
    multiply(CblasNoTrans, CblasTrans, m, d, h, hiddenGradient.data(), h, w1, h,
             xGradient.data());
    commAllReduce(context, group, xGradient.data(), xGradient.data(), m * d,
                  COMM_F32, COMM_SUM, &site);
  }

  /// In the order of the generated function's results.
  std::vector<const std::vector<float> *> getResults() const {
    return {&y, &xGradient, &w1Gradient, &w2Gradient};
  }

private:
  static void multiply(CBLAS_TRANSPOSE transposeA, CBLAS_TRANSPOSE transposeB,
                       int64_t m, int64_t n, int64_t k, const float *a,
                       int64_t lda, const float *b, int64_t ldb, float *c) {
    cblas_sgemm(CblasRowMajor, transposeA, transposeB, m, n, k, 1, a, lda, b,
                ldb, 0, c, n);
  }

  static constexpr int64_t axes[] = {0};
  static constexpr CommSite site = {"comm.all_reduce", "ffn.cpp", 0, 0, ""};
  Sizes sizes;
  CommContext *context;
  CommCommunicator *group;
  std::vector<float> hidden, hiddenGradient, y, xGradient, w1Gradient,
      w2Gradient;
};

} // namespace

static std::string getSource(Sizes sizes) {
  auto type = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  };
  std::string x = type(sizes.tokens, sizes.model),
              h = type(sizes.tokens, sizes.hidden),
              w1 = type(sizes.model, sizes.hidden),
              w2 = type(sizes.hidden, sizes.model),
              mark = "{comm.replicated = #comm.axes<@mesh[\"tp\"]>}";
  return R"(
comm.mesh @mesh [tp = 2]
func.func @main(%x: )" +
         x + " " + mark + ", %w1: " + w1 + ", %w2: " + w2 + ") -> (" + x + " " +
         mark + R"() {
  %zh = arith.constant dense<0.0> : )" +
         h + R"(
  %h = linalg.matmul ins(%x, %w1 : )" +
         x + ", " + w1 + ") outs(%zh : " + h + ") -> " + h + R"(
  %a = math.tanh %h : )" +
         h + R"(
  %zp = arith.constant dense<0.0> : )" +
         x + R"(
  %p = linalg.matmul ins(%a, %w2 : )" +
         h + ", " + w2 + ") outs(%zp : " + x + ") -> " + x + R"(
  %y = comm.all_reduce sum %p over @mesh["tp"] : )" +
         x + R"(
  return %y : )" +
         x + R"(
})";
}

/// Whether two results are the same but for rounding.
static bool isClose(const runner::HostTensor &a, const std::vector<float> &b) {
  double error = 0, size = 0;
  for (int64_t i = 0; i < a.getElementCount(); ++i) {
    error = std::max(error, std::abs(a.getDouble(i) - b[i]));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return error <= 1e-4 * size;
}

/// Of the slowest rank, over the repetitions.
static std::vector<double>
joinRanks(const std::vector<std::vector<double>> &times) {
  std::vector<double> result = times[0];
  for (const std::vector<double> &rank : times)
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = std::max(result[i], rank[i]);
  std::sort(result.begin(), result.end());
  return result;
}

static void measure(Sizes sizes) {
  bench::Generated generated(getSource(sizes), /*grad=*/true);
  std::string error;
  auto world = runtime::World::create(generated.signature.mesh, "threads",
                                      runtime::Options(), error);
  std::vector<std::vector<double>> generatedTimes(2), handTimes(2);
  bool agree[2] = {true, true};
  auto failure = world->launch([&](runtime::Context &context) {
    int64_t rank = context.getRank();
    const std::vector<runner::HostTensor> &inputs = generated.inputs[rank];
    auto input = [&](size_t i) {
      return static_cast<const float *>(inputs[i].getData());
    };
    runner::Invoker invoker(generated.entry, generated.signature, &context,
                            inputs);
    HandWritten hand(sizes, &context);
    int64_t axis = 0;
    CommCommunicator *group = commCommunicator(&context, &axis, 1);
    CommSite site = {"comm.barrier", "ffn.cpp", 0, 0, ""};
    auto time = [&](auto &&step, std::vector<double> &times) {
      commBarrier(&context, group, &site);
      Clock::time_point start = Clock::now();
      step();
      times.push_back(
          std::chrono::duration<double>(Clock::now() - start).count());
    };
    for (int i = -1; i < sizes.repetitions; ++i) {
      std::vector<double> warmUp;
      invoker.releaseResults();
      time([&] { invoker.call(); }, i < 0 ? warmUp : generatedTimes[rank]);
      time([&] { hand.run(input(0), input(1), input(2), input(3)); },
           i < 0 ? warmUp : handTimes[rank]);
    }
    std::vector<runner::HostTensor> results = invoker.readResults();
    std::vector<const std::vector<float> *> expected = hand.getResults();
    for (size_t i = 0; i < results.size(); ++i)
      agree[rank] &= isClose(results[i], *expected[i]);
  });
  if (failure || !agree[0] || !agree[1]) {
    std::fprintf(stderr, "%s\n",
                 failure ? failure->message.c_str()
                         : "generated and hand-written code disagree");
    std::exit(1);
  }

  std::vector<double> ours = joinRanks(generatedTimes),
                      theirs = joinRanks(handTimes);
  size_t middle = ours.size() / 2;
  std::fprintf(stderr,
               "ffn %ld x %ld x %ld: generated best %.2f ms, median %.2f ms; "
               "by hand %.2f ms, %.2f ms\n",
               long(sizes.tokens), long(sizes.model), long(sizes.hidden),
               1e3 * ours[0], 1e3 * ours[middle], 1e3 * theirs[0],
               1e3 * theirs[middle]);
  bench::printFigure("FFN forward and backward, f32, 2 ranks, " +
                         std::to_string(sizes.tokens) + " tokens, " +
                         std::to_string(sizes.model) + " -> " +
                         std::to_string(sizes.hidden) +
                         " a rank: generated / by hand",
                     ours[middle] / theirs[middle], 1.10, "<=");
}

int main(int argc, char **argv) {
  bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  openblas_set_num_threads(1);
  measure({64, 256, 512, quick ? 10 : 60});
  measure({256, 512, 1024, quick ? 5 : 30});
  measure({512, 768, 1536, quick ? 3 : 12});
}
