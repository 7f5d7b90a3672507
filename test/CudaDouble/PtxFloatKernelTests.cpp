//===- PtxFloatKernelTests.cpp - Kernels of arith ops on floats -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As PtxArithmeticTests.cpp, on f16, bf16, f32 and f64. What is computed is
// exact in double or rounded once to it, and rounded to the format after that.
//
//===----------------------------------------------------------------------===//

#include "PtxHalves.h"

#include <functional>

using namespace ptx;
using namespace ptx::testing;

namespace {

const NamedFormat kFormats[] = {kHalf, kBrain, {"f32", kF32}, {"f64", kF64}};

const double kValues[] = {0.0,       -0.0,     1.0,     -1.0,   0.5,
                          -2.5,      3.0,      1e-40,   -1e-40, 65504,
                          -65504,    INFINITY, -1e4,    NAN,    -INFINITY,
                          0x1p-24,   0x1p-126, 1e38,    -1e38,  0.1,
                          1.0 / 3.0, 255.5,    32767.5, -128.5, 1e300};

/// A value rounded to the format.
double roundedTo(const Format &format, double value) {
  return widen(format, roundTo(format, value, Rounding::NearestEven));
}

class PtxFloatKernels : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    runner = std::make_unique<Runner>(readFile(GetParam()));
    for (double a : kValues)
      for (double b : kValues) {
        as.push_back(a);
        bs.push_back(b);
      }
    while (as.size() % 64) {
      as.push_back(0);
      bs.push_back(0);
    }
  }

  std::vector<uint8_t> makeColumn(const Format &format,
                                  const std::vector<double> &values) {
    std::vector<uint8_t> column(values.size() * format.bits / 8);
    for (size_t i = 0; i < values.size(); ++i)
      setElement(format, column, i,
                 roundTo(format, values[i], Rounding::NearestEven));
    return column;
  }

  using Reference = std::function<double(double, double)>;

  /// Of one operand or two.
  void check(const NamedFormat &named, const std::string &op, bool isBinary,
             const Reference &reference) {
    const Format &format = named.format;
    std::string kernel = op + "_" + named.name;
    auto a = makeColumn(format, as), b = makeColumn(format, bs);
    std::vector<uint8_t> results(a.size());
    if (isBinary)
      runner->run(kernel, as.size() / 64, 64, a, b, results);
    else
      runner->run(kernel, as.size() / 64, 64, a, results);
    for (size_t i = 0; i < as.size(); ++i) {
      double x = roundedTo(format, as[i]), y = roundedTo(format, bs[i]);
      double expected = roundedTo(format, reference(x, y));
      ASSERT_TRUE(isSame(getElement(format, results, i), expected))
          << kernel << " of " << x << ", " << y << ": got "
          << getElement(format, results, i) << ", expected " << expected;
    }
  }

  void checkPredicate(const NamedFormat &named, const std::string &predicate,
                      const std::function<bool(double, double)> &reference) {
    std::string kernel = "cmpf_" + predicate + "_" + named.name;
    auto a = makeColumn(named.format, as), b = makeColumn(named.format, bs);
    std::vector<uint8_t> results(as.size());
    runner->run(kernel, as.size() / 64, 64, a, b, results);
    for (size_t i = 0; i < as.size(); ++i) {
      double x = roundedTo(named.format, as[i]);
      double y = roundedTo(named.format, bs[i]);
      ASSERT_EQ(results[i], reference(x, y))
          << kernel << " of " << x << ", " << y;
    }
  }

  std::unique_ptr<Runner> runner;
  std::vector<double> as, bs;
};

INSTANTIATE_TEST_SUITE_P(Devices, PtxFloatKernels,
                         ::testing::Values(COMM_PTX_ARITHMETIC,
                                           COMM_PTX_ARITHMETIC_90));

/// NaN wins; -0 is below +0.
double getMaximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  if (a == b)
    return std::signbit(a) ? b : a;
  return std::max(a, b);
}
double getMinimum(double a, double b) { return -getMaximum(-a, -b); }

TEST_P(PtxFloatKernels, Arithmetic) {
  for (const NamedFormat &named : kFormats) {
    check(named, "addf", true, [](double a, double b) { return a + b; });
    check(named, "subf", true, [](double a, double b) { return a - b; });
    check(named, "mulf", true, [](double a, double b) { return a * b; });
    check(named, "divf", true, [](double a, double b) { return a / b; });
    check(named, "negf", false, [](double a, double) { return -a; });
    check(named, "absf", false, [](double a, double) { return std::fabs(a); });
    check(named, "copysign", true,
          [](double a, double b) { return std::copysign(a, b); });
    check(named, "maximumf", true, getMaximum);
    check(named, "minimumf", true, getMinimum);
  }
}

/// Of zeros either may come: only other pairs are looked at.
TEST_P(PtxFloatKernels, ExtremaWithoutNan) {
  for (size_t i = 0; i < as.size(); ++i)
    if (as[i] == 0 && bs[i] == 0)
      bs[i] = as[i];
  // Subnormal numbers of one format are zeros of another.
  for (std::vector<double> *column : {&as, &bs})
    for (double &value : *column)
      if (value != 0 && std::fabs(value) < 1e-30)
        value = 1e-3;
  for (const NamedFormat &named : kFormats) {
    check(named, "maxnumf", true,
          [](double a, double b) { return std::fmax(a, b); });
    check(named, "minnumf", true,
          [](double a, double b) { return std::fmin(a, b); });
  }
}

TEST_P(PtxFloatKernels, Predicates) {
  auto isUnordered = [](double a, double b) {
    return std::isnan(a) || std::isnan(b);
  };
  for (const NamedFormat &named : kFormats) {
    auto checkBoth = [&](const std::string &name, auto &&compare) {
      checkPredicate(named, "o" + name, [&](double a, double b) {
        return !isUnordered(a, b) && compare(a, b);
      });
      checkPredicate(named, "u" + name, [&](double a, double b) {
        return isUnordered(a, b) || compare(a, b);
      });
    };
    checkBoth("eq", [](double a, double b) { return a == b; });
    checkBoth("gt", [](double a, double b) { return a > b; });
    checkBoth("ge", [](double a, double b) { return a >= b; });
    checkBoth("lt", [](double a, double b) { return a < b; });
    checkBoth("le", [](double a, double b) { return a <= b; });
    checkPredicate(named, "one", [&](double a, double b) {
      return !isUnordered(a, b) && a != b;
    });
    checkPredicate(named, "une", [](double a, double b) { return a != b; });
    checkPredicate(named, "ord",
                   [&](double a, double b) { return !isUnordered(a, b); });
    checkPredicate(named, "uno", isUnordered);
  }
}

TEST_P(PtxFloatKernels, Selections) {
  std::vector<uint8_t> conditions(as.size());
  for (size_t i = 0; i < conditions.size(); ++i)
    conditions[i] = i % 3 == 0;
  for (const NamedFormat &named : kFormats) {
    auto a = makeColumn(named.format, as), b = makeColumn(named.format, bs);
    std::vector<uint8_t> results(a.size());
    runner->run(std::string("select_") + named.name, as.size() / 64, 64,
                conditions, a, b, results);
    for (size_t i = 0; i < as.size(); ++i)
      ASSERT_TRUE(
          isSame(getElement(named.format, results, i),
                 roundedTo(named.format, conditions[i] ? as[i] : bs[i])));
  }
}

TEST_P(PtxFloatKernels, FusedProducts) {
  for (const NamedFormat &named : kFormats) {
    const Format &format = named.format;
    auto a = makeColumn(format, as), b = makeColumn(format, bs);
    std::vector<uint8_t> results(a.size());
    runner->run(std::string("fma_") + named.name, as.size() / 64, 64, a, b, b,
                results);
    for (size_t i = 0; i < as.size(); ++i) {
      double x = roundedTo(format, as[i]), y = roundedTo(format, bs[i]);
      // Rounded once: the sum is exact, or as wide as double.
      double expected = format.bits == 32
                            ? double(std::fma(float(x), float(y), float(y)))
                            : roundedTo(format, std::fma(x, y, y));
      ASSERT_TRUE(isSame(getElement(format, results, i), expected))
          << named.name << " " << x << " * " << y << " + " << y;
    }
  }
}

/// Values that the type holds.
template <class T>
void checkIntegers(Runner &runner, const std::string &type,
                   const std::vector<T> &values, bool isSigned) {
  for (const NamedFormat &named : kFormats) {
    const Format &format = named.format;
    std::vector<T> column = values, back(64);
    column.resize(64, T(1));
    std::vector<uint8_t> floats(64 * format.bits / 8);
    std::string sign = isSigned ? "si" : "ui";
    runner.run(sign + "tofp_" + type + "_" + named.name, 1, 64, column, floats);
    runner.run("fpto" + sign + "_" + named.name + "_" + type, 1, 64, floats,
               back);
    for (size_t i = 0; i < 64; ++i) {
      double expected = roundedTo(format, double(column[i]));
      ASSERT_EQ(getElement(format, floats, i), expected) << type << named.name;
      ASSERT_EQ(back[i], T(expected)) << type << named.name;
    }
  }
}

TEST_P(PtxFloatKernels, Integers) {
  checkIntegers<int8_t>(*runner, "i8", {-128, -1, 0, 1, 100, 127}, true);
  checkIntegers<int16_t>(*runner, "i16", {-32768, -1, 0, 1, 2049, 4098}, true);
  checkIntegers<int32_t>(*runner, "i32", {-30000, -1, 0, 1, 2051, 65503}, true);
  checkIntegers<int64_t>(*runner, "i64", {-30000, -1, 0, 1, 2051, 65503}, true);
  checkIntegers<uint8_t>(*runner, "i8", {0, 1, 128, 200, 250}, false);
  checkIntegers<uint16_t>(*runner, "i16", {0, 1, 2049, 4098, 40001}, false);
  checkIntegers<uint32_t>(*runner, "i32", {0, 1, 2049, 4098, 40001}, false);
  checkIntegers<uint64_t>(*runner, "i64", {0, 1, 2049, 4098, 40001}, false);
}

} // namespace
