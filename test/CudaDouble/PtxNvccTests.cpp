//===- PtxNvccTests.cpp - Kernels as nvcc compiles them -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/Kernels.cu, where nvcc is.
//
//===----------------------------------------------------------------------===//

#include "PtxHalves.h"

#include <numeric>

using namespace ptx;
using namespace ptx::testing;

namespace {

class PtxNvcc : public ::testing::Test {
protected:
  static Runner &getRunner() {
    static Runner runner(readFile(COMM_PTX_KERNELS));
    return runner;
  }

  /// Two blocks sum 1000 numbers, of which the sums are exact.
  template <class T>
  void checkSum(const std::string &name) {
    std::vector<T> numbers(1000), sums(2);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = T(i % 37);
    getRunner().run("sum_" + name, 2, 128, numbers, sums, 1000);
    T expected = std::accumulate(numbers.begin(), numbers.end(), T(0));
    EXPECT_EQ(sums[0] + sums[1], expected) << name;
    EXPECT_NE(sums[1], T(0)) << name;
  }
};

TEST_F(PtxNvcc, SumsOfBlocks) {
  checkSum<float>("f32");
  checkSum<double>("f64");
  checkSum<int32_t>("i32");
  checkSum<uint64_t>("i64");
  const Table &table = getTable(kHalf);
  std::vector<uint16_t> numbers(100, table.round(1.5, "rn")), sums(1);
  getRunner().run("sum_f16", 1, 64, numbers, sums, 100);
  EXPECT_EQ(table.getValue(sums[0]), 150);
}

TEST_F(PtxNvcc, Copies) {
  std::vector<uint32_t> in(400), out(400);
  std::iota(in.begin(), in.end(), 7u);
  getRunner().run("copy", 3, 32, out, in, uint64_t(100));
  EXPECT_EQ(in, out);
}

TEST_F(PtxNvcc, ParametersThatAreStructs) {
  std::vector<std::vector<float>> sources(6, std::vector<float>(32));
  std::vector<float> out(32);
  struct {
    const float *of[6];
    int32_t count;
  } parameter = {{}, 5};
  HostMemory memory;
  memory.add(out);
  for (int i = 0; i < 6; ++i) {
    std::iota(sources[i].begin(), sources[i].end(), float(i));
    parameter.of[i] = sources[i].data();
    memory.add(sources[i]);
  }
  float *result = out.data();
  void *arguments[] = {&parameter, &result};
  const Kernel &kernel = *getRunner().getModule().getKernel("gather");
  ASSERT_EQ(kernel.parameters.size(), 2u);
  EXPECT_EQ(kernel.parameters[0].size, 56u);
  EXPECT_EQ(kernel.parameters[0].alignment, 8u);
  std::string error;
  ASSERT_TRUE(ptx::run(kernel, 1, 32, arguments, memory, error)) << error;
  for (int k = 0; k < 32; ++k)
    EXPECT_EQ(out[k], 15 * k + 40);
}

int32_t reverse(int32_t value) {
  uint32_t result = 0;
  for (int k = 0; k < 32; ++k)
    result |= (uint32_t(value) >> k & 1) << (31 - k);
  return int32_t(result);
}

int32_t expectVarious(int32_t value, int32_t kind, int32_t i) {
  const int32_t weights[] = {1, 10, 100, 1000};
  switch (kind) {
  case 0:
    return value * weights[i & 3];
  case 1:
    return __builtin_popcount(uint32_t(value));
  case 2:
    return value ? __builtin_clz(uint32_t(value)) : 32;
  case 3:
    return reverse(value);
  case 4:
    return __builtin_ffs(value);
  case 5:
    return value / 7;
  case 6:
    return value % 5;
  case 7:
    // Bytes 0, 4, 1 and 5 of i:value.
    return int32_t((value & 0xff) | (i & 0xff) << 8 | (value & 0xff00) << 8 |
                   uint32_t(i & 0xff00) << 16);
  default:
    return -value;
  }
}

TEST_F(PtxNvcc, FunctionsSwitchesAndArrays) {
  std::vector<int32_t> in(96), out(96);
  for (int i = 0; i < 96; ++i)
    in[i] = i * 7919 % 10007;
  std::vector<uint32_t> calls(1);
  getRunner().run("various", 1, 96, out, in, calls);
  uint32_t expectedCalls = 0;
  for (int i = 0; i < 96; ++i) {
    expectedCalls += in[i] % 9 == 0;
    int32_t value = in[(i + (in[i] & 7)) % 96];
    EXPECT_EQ(out[i], expectVarious(value, in[i] % 9, i)) << i;
  }
  EXPECT_EQ(calls[0], expectedCalls);
}

/// a * b + max(a, a + b), rounded to the format after each step.
void checkPacked(Runner &runner, const std::string &kernel,
                 const NamedFormat &named) {
  const Table &table = getTable(named);
  std::vector<uint16_t> a(64), b(64), out(64);
  for (int i = 0; i < 64; ++i) {
    a[i] = table.round((i - 20) * 0.37, "rn");
    b[i] = table.round((i % 7 - 3) * 1.9, "rn");
  }
  runner.run(kernel, 1, 32, out, a, b);
  for (int i = 0; i < 64; ++i) {
    double x = table.getValue(a[i]), y = table.getValue(b[i]);
    double sum = table.getValue(table.round(x + y, "rn"));
    uint16_t expected = table.round(x * y + std::max(x, sum), "rn");
    EXPECT_EQ(out[i], expected) << kernel << " " << x << ", " << y;
  }
}

TEST_F(PtxNvcc, PackedHalves) {
  checkPacked(getRunner(), "halves", kHalf);
  checkPacked(getRunner(), "brains", kBrain);
}

TEST_F(PtxNvcc, FunctionsOfTheLibrary) {
  constexpr int count = 96;
  std::vector<double> in(count), out(12 * count);
  for (int i = 0; i < count; ++i)
    in[i] = std::ldexp(i % 2 ? -1.37 : 1.21, i / 3 - 16);
  in[0] = 0;
  getRunner().run("functions", 1, count, out, in);
  for (int i = 0; i < count; ++i) {
    double x = in[i];
    float f = float(x);
    const double expected[] = {std::sin(x),
                               std::pow(std::fabs(x), 1.3),
                               std::exp(x),
                               std::fmod(x, 1.7),
                               x / (std::fabs(x) + 3),
                               1 / std::sqrt(std::fabs(x) + 1),
                               std::sin(double(f)),
                               std::pow(std::fabs(f), double(1.3f)),
                               std::exp(double(f)),
                               std::fmod(double(f), double(1.7f)),
                               double(f / (std::fabs(f) + 3)),
                               std::erf(double(f))};
    for (int k = 0; k < 12; ++k) {
      double got = out[12 * i + k], want = expected[k];
      double relative = k < 6 ? 1e-15 : 1e-6;
      // Floats end earlier.
      if (k >= 6 && std::fabs(want) > 3e38) {
        EXPECT_EQ(got, INFINITY) << k << " of " << x;
        continue;
      }
      if (k >= 6 && std::fabs(want) < 1e-37)
        relative = INFINITY;
      bool isSameInfinity = want == got;
      EXPECT_TRUE(isSameInfinity ||
                  std::fabs(got - want) <= relative * std::fabs(want) ||
                  relative == INFINITY)
          << "function " << k << " of " << x << ": got " << got << ", expected "
          << want;
    }
  }
}

TEST_F(PtxNvcc, NoInstructionIsUnknown) {
  EXPECT_EQ(getRunner().getModule().getProblems(), std::vector<std::string>());
  // Those of the backends, which the tests of the backends run.
  std::unique_ptr<Module> reductions = parse(readFile(COMM_PTX_REDUCTIONS));
  ASSERT_TRUE(reductions);
  EXPECT_EQ(reductions->getProblems(), std::vector<std::string>());
  EXPECT_GE(reductions->getKernels().size(), 48u);
}

} // namespace
