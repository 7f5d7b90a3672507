//===- PtxMathTests.cpp - Functions of libdevice against the C library ----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are made by Inputs/make_kernels.py where the CUDA toolkit is.
// Bounds are those of the CUDA programming guide, with one more for the C
// library and for the approximate instructions, which are exact here.
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

#include <cmath>
#include <random>

using namespace ptx;
using namespace ptx::testing;

namespace {

using Reference = double (*)(double, double);

struct MathFunction {
  const char *name;
  Reference reference;
  /// In units of the last place of f32 and of f64.
  double singleBound, doubleBound;
  /// Of the operands; beyond the special values.
  double least, most;
};

template <double (*function)(double)>
double call(double x, double) {
  return function(x);
}

double roundEven(double x) { return std::nearbyint(x); }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }

const MathFunction kFunctions[] = {
    {"acos", call<std::acos>, 3, 3, -1, 1},
    {"acosh", call<std::acosh>, 5, 4, 1, 1e6},
    {"asin", call<std::asin>, 3, 3, -1, 1},
    {"asinh", call<std::asinh>, 4, 4, -1e6, 1e6},
    {"atan", call<std::atan>, 3, 3, -1e3, 1e3},
    {"atanh", call<std::atanh>, 4, 3, -1, 1},
    {"cbrt", call<std::cbrt>, 2, 2, -1e6, 1e6},
    {"ceil", call<std::ceil>, 0, 0, -1e4, 1e4},
    {"cos", call<std::cos>, 3, 3, -1e5, 1e5},
    {"cosh", call<std::cosh>, 3, 2, -50, 50},
    {"erf", call<std::erf>, 3, 3, -5, 5},
    {"erfc", call<std::erfc>, 5, 6, -5, 10},
    {"exp", call<std::exp>, 3, 2, -80, 80},
    {"exp2", call<std::exp2>, 3, 2, -100, 100},
    {"expm1", call<std::expm1>, 2, 2, -50, 50},
    {"floor", call<std::floor>, 0, 0, -1e4, 1e4},
    {"log", call<std::log>, 2, 2, 0, 1e6},
    {"log10", call<std::log10>, 3, 2, 0, 1e6},
    {"log1p", call<std::log1p>, 2, 2, -1, 1e6},
    {"log2", call<std::log2>, 2, 2, 0, 1e6},
    {"round", call<std::round>, 0, 0, -1e4, 1e4},
    {"roundeven", call<roundEven>, 0, 0, -1e4, 1e4},
    {"rsqrt", call<reciprocalRoot>, 3, 2, 0, 1e6},
    {"sin", call<std::sin>, 3, 3, -1e5, 1e5},
    {"sinh", call<std::sinh>, 4, 3, -50, 50},
    {"sqrt", call<std::sqrt>, 1, 0, 0, 1e6},
    {"tan", call<std::tan>, 5, 3, -1e5, 1e5},
    {"tanh", call<std::tanh>, 3, 3, -10, 10},
    {"trunc", call<std::trunc>, 0, 0, -1e4, 1e4},
    {"powf", std::pow, 5, 3, -40, 40},
    {"atan2", std::atan2, 4, 3, -100, 100},
};

struct NamedFormat {
  const char *name;
  const Format &format;
};
const NamedFormat kFormats[] = {
    {"f16", kF16}, {"bf16", kBF16}, {"f32", kF32}, {"f64", kF64}};

const double kSpecialValues[] = {
    0.0,   -0.0,  1.0,    -1.0,   0.5,    -0.5,    INFINITY,  -INFINITY,
    NAN,   1e-40, -1e-40, 1e-310, 3.0e38, -3.0e38, 1e300,     -1e300,
    1e-30, 709.5, 88.7,   -103.9, 0x1p24, 0x1p53,  1.5,       2.5,
    -2.5,  2.0,   -2.0,   3.0,    1e5,    1e6,     4194304.5, 0x1p-1074};

constexpr size_t kCount = 4096;

/// Bits of operands: special values in all pairs, then numbers in the range.
std::vector<uint64_t> makeOperands(const MathFunction &function,
                                   const Format &format, unsigned which) {
  std::mt19937_64 random(17 + which);
  std::uniform_real_distribution<double> uniform(function.least, function.most);
  constexpr size_t specials = std::size(kSpecialValues);
  std::vector<uint64_t> bits(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    double value = i < specials * specials
                       ? kSpecialValues[which ? i / specials : i % specials]
                       : uniform(random);
    // Small ones too.
    if (i % 3 == 0 && i >= specials * specials)
      value = function.least >= 1 ? 1 + value * 1e-6 : value * 1e-4;
    bits[i] = roundTo(format, value, Rounding::NearestEven);
  }
  return bits;
}

/// The distance in units of the last place of the expected value.
double getError(const Format &format, double expected, double got) {
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) == std::isnan(got) ? 0 : INFINITY;
  if (expected == got)
    return 0;
  // Either side of the largest number.
  double largest =
      std::ldexp(2 - std::ldexp(1, 1 - format.precision), format.maximum);
  expected = std::fmax(-largest, std::fmin(largest, expected));
  got = std::fmax(-largest, std::fmin(largest, got));
  int exponent = expected == 0 ? format.minimum
                               : std::max(std::ilogb(expected), format.minimum);
  return std::fabs(expected - got) /
         std::ldexp(1, exponent - format.precision + 1);
}

class MathTest : public ::testing::Test {
protected:
  static Runner &getRunner() {
    static Runner runner(readFile(COMM_PTX_MATH));
    return runner;
  }
};

void check(Runner &runner, const MathFunction &function,
           const NamedFormat &named) {
  const Format &format = named.format;
  std::string kernel = std::string(function.name) + "_" + named.name;
  SCOPED_TRACE(kernel);
  std::vector<uint64_t> a = makeOperands(function, format, 0);
  std::vector<uint64_t> b = makeOperands(function, format, 1);
  size_t bytes = format.bits / 8;
  std::vector<uint8_t> as(kCount * bytes), bs(as), results(as);
  for (size_t i = 0; i < kCount; ++i) {
    setElement(format, as, i, a[i]);
    setElement(format, bs, i, b[i]);
  }
  bool isBinary = function.reference == static_cast<Reference>(std::pow) ||
                  function.reference == static_cast<Reference>(std::atan2);
  if (isBinary)
    runner.run(kernel, kCount / 128, 128, as, bs, results);
  else
    runner.run(kernel, kCount / 128, 128, as, results);
  double bound = format.bits == 64   ? function.doubleBound
                 : format.bits == 32 ? function.singleBound
                                     : 1;
  unsigned failures = 0;
  for (size_t i = 0; i < kCount && failures < 5; ++i) {
    double x = widen(format, a[i]), y = widen(format, b[i]);
    double expected = function.reference(x, y);
    double got = getElement(format, results, i);
    double error = getError(format, expected, got);
    if (error > bound) {
      ++failures;
      ADD_FAILURE() << "of " << x << ", " << y << ": expected " << expected
                    << ", got " << got << ", " << error << " ulp";
    }
  }
}

TEST_F(MathTest, EveryFunctionOfEveryFormat) {
  for (const MathFunction &function : kFunctions)
    for (const NamedFormat &format : kFormats)
      check(getRunner(), function, format);
}

TEST_F(MathTest, NoInstructionIsUnknown) {
  EXPECT_EQ(getRunner().getModule().getProblems(), std::vector<std::string>());
  EXPECT_EQ(getRunner().getModule().getKernels().size(),
            std::size(kFunctions) * std::size(kFormats));
}

} // namespace
