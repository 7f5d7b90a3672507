//===- PtxFloatTests.cpp - Floats in PTX against the host -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxHalves.h"

#include <cfenv>
#include <functional>
#include <random>

using namespace ptx;
using namespace ptx::testing;

namespace {

/// Exact for sums and products of halves, but of those far apart.
using Quad = __float128;

/// A kernel of an instruction of three operands on each element of three
/// columns, one after the other in p0; `d`, `a`, `b`, `c` are registers.
std::string makeOperation(const std::string &instruction, unsigned bits) {
  std::string type = ".b" + std::to_string(bits);
  std::string size = std::to_string(bits / 8);
  return makeKernel(".reg " + type + " d, a, b, c;" + R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
    mad.lo.s32 %r1, %r1, %r2, %r3;
    ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1]; ld.param.b64 %rd3, [p2];
    mul.wide.u32 %rd4, %r1, )" +
                    size + R"(;
    add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4;
    mul.lo.s64 %rd3, %rd3, )" +
                    size + R"(;
    ld.global)" + type +
                    " a, [%rd1]; add.s64 %rd1, %rd1, %rd3;\nld.global" + type +
                    " b, [%rd1]; add.s64 %rd1, %rd1, %rd3;\nld.global" + type +
                    " c, [%rd1];\n" + instruction + "\nst.global" + type +
                    " [%rd2], d;");
}

/// Columns of the same length.
template <class T>
struct Columns {
  std::vector<T> a, b, c;
};

template <class T>
std::vector<T> evaluateAll(const std::string &instruction,
                           const Columns<T> &x) {
  size_t count = x.a.size() / 64 * 64;
  std::vector<T> all;
  for (const std::vector<T> *column : {&x.a, &x.b, &x.c})
    all.insert(all.end(), column->begin(), column->begin() + count);
  std::vector<T> results(count);
  Runner runner(makeOperation(instruction, 8 * sizeof(T)));
  runner.run("k", count / 64, 64, all, results, uint64_t(count));
  return results;
}

Columns<uint16_t> makeHalves(int most) {
  std::mt19937 random(5);
  Columns<uint16_t> x;
  const uint16_t specials[] = {0,      0x8000, 1,      0x8001, 0x3c00, 0xbc00,
                               0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3f80,
                               0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0};
  for (uint16_t a : specials)
    for (uint16_t b : specials)
      for (uint16_t c : {specials[2], specials[5], specials[8]}) {
        x.a.push_back(a);
        x.b.push_back(b);
        x.c.push_back(c);
      }
  for (int i = 0; i < most; ++i) {
    x.a.push_back(uint16_t(random()));
    x.b.push_back(uint16_t(random()));
    // Of a like size, so that they cancel.
    x.c.push_back(uint16_t(i % 2 ? random() : x.a.back() ^ 0x8000));
  }
  return x;
}

/// Where one is so small that the sum would lose it, only its sign counts.
Quad addExactly(Quad a, Quad b) {
  auto magnitude = [](Quad x) { return x < 0 ? -x : x; };
  if (magnitude(a) < magnitude(b))
    std::swap(a, b);
  bool isFinite = std::isfinite(double(a));
  if (isFinite && b != 0 && magnitude(b) < magnitude(a) * Quad(0x1p-80))
    b = (b < 0 ? -1 : 1) * magnitude(a) * Quad(0x1p-60);
  return a + b;
}

using HalfReference = std::function<Quad(Quad, Quad, Quad)>;

void checkHalves(const NamedFormat &named, const std::string &name,
                 const std::string &instruction, const HalfReference &f) {
  Columns<uint16_t> x = makeHalves(50000);
  const Table &table = getTable(named);
  std::vector<uint16_t> got = evaluateAll(instruction, x);
  for (size_t i = 0; i < got.size(); ++i) {
    double a = table.getValue(x.a[i]), b = table.getValue(x.b[i]),
           c = table.getValue(x.c[i]);
    uint16_t expected = table.round(f(a, b, c), "rn");
    ASSERT_EQ(got[i], expected)
        << name << " of " << a << ", " << b << ", " << c;
  }
}

TEST(PtxFloats, Halves) {
  for (const NamedFormat &named : {kHalf, kBrain}) {
    std::string type = named.name;
    auto check = [&](const std::string &op, const std::string &operands,
                     HalfReference f) {
      checkHalves(named, op + type, op + "." + type + " " + operands, f);
    };
    check("add.rn", "d, a, b;", [](Quad a, Quad b, Quad) { return a + b; });
    check("sub.rn", "d, a, b;", [](Quad a, Quad b, Quad) { return a - b; });
    check("mul.rn", "d, a, b;", [](Quad a, Quad b, Quad) { return a * b; });
    check("fma.rn", "d, a, b, c;",
          [](Quad a, Quad b, Quad c) { return addExactly(a * b, c); });
  }
}

/// 1.5 ulp and just above it: rounded twice, the second would be the first.
TEST(PtxFloats, HalvesAreRoundedOnce) {
  Columns<uint16_t> x;
  // (1 + 2^-10) * (1 + 2^-1) has 11 digits and half a unit; 2^-24 is above.
  x.a.assign(64, 0x3c01);
  x.b.assign(64, 0x3e00);
  x.c.assign(64, 0x0001);
  EXPECT_EQ(evaluateAll("fma.rn.f16 d, a, b, c;", x)[0], 0x3e02);
  x.c.assign(64, 0x8001);
  EXPECT_EQ(evaluateAll("fma.rn.f16 d, a, b, c;", x)[0], 0x3e01);
  // Of bf16, what is added may be 2^-133.
  x.a.assign(64, 0x3f81);
  x.b.assign(64, 0x3fc0);
  x.c.assign(64, 0x0001);
  EXPECT_EQ(evaluateAll("fma.rn.bf16 d, a, b, c;", x)[0], 0x3fc2);
  x.c.assign(64, 0x8001);
  EXPECT_EQ(evaluateAll("fma.rn.bf16 d, a, b, c;", x)[0], 0x3fc1);
}

TEST(PtxFloats, PackedHalves) {
  Columns<uint32_t> x;
  x.a.assign(64, 0x3c004000); // 1, 2
  x.b.assign(64, 0x4200c400); // 3, -4
  x.c.assign(64, 0x3c003c00);
  EXPECT_EQ(evaluateAll("add.f16x2 d, a, b;", x)[0], 0x4400c000u);
  EXPECT_EQ(evaluateAll("fma.rn.f16x2 d, a, b, c;", x)[0], 0x4400c700u);
  EXPECT_EQ(evaluateAll("fma.rn.relu.f16x2 d, a, b, c;", x)[0], 0x44000000u);
  EXPECT_EQ(evaluateAll("neg.f16x2 d, a;", x)[0], 0xbc00c000u);
  EXPECT_EQ(evaluateAll("abs.f16x2 d, b;", x)[0], 0x42004400u);
  EXPECT_EQ(evaluateAll("max.f16x2 d, a, b;", x)[0], 0x42004000u);
  EXPECT_EQ(evaluateAll("add.sat.f16x2 d, a, b;", x)[0], 0x3c000000u);
  EXPECT_EQ(evaluateAll("set.lt.f16x2.f16x2 d, a, b;", x)[0], 0x3c000000u);
  EXPECT_EQ(evaluateAll("set.lt.u32.f16x2 d, a, b;", x)[0], 0xffff0000u);
  EXPECT_EQ(evaluateAll("setp.lt.f16x2 %p1|%p2, a, b; selp.b32 d, 1, 2, %p1; "
                        "@%p2 add.s32 d, d, 4;",
                        x)[0],
            6u);
}

template <class T>
Columns<T> makeNumbers() {
  Columns<T> x;
  const T specials[] = {T(0),
                        T(-0.0),
                        T(1),
                        T(-1),
                        T(INFINITY),
                        T(-INFINITY),
                        T(NAN),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::denorm_min(),
                        -std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max(),
                        -std::numeric_limits<T>::max(),
                        T(0.1),
                        T(3)};
  for (T a : specials)
    for (T b : specials) {
      x.a.push_back(a);
      x.b.push_back(b);
      x.c.push_back(a == 0 ? T(1) : -a);
    }
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_int_distribution<int> exponent(-20, 20);
  while (x.a.size() < 4096) {
    x.a.push_back(T(std::ldexp(normal(random), exponent(random))));
    x.b.push_back(T(std::ldexp(normal(random), exponent(random))));
    x.c.push_back(T(std::ldexp(normal(random), exponent(random))));
  }
  return x;
}

template <class T>
using Reference = T (*)(T, T, T);

/// Under the rounding of the host.
template <class T>
void checkRounded(const std::string &op, const std::string &operands,
                  const std::string &type, Reference<T> reference) {
  Columns<T> x = makeNumbers<T>();
  const std::pair<const char *, int> modes[] = {{"rn", FE_TONEAREST},
                                                {"rz", FE_TOWARDZERO},
                                                {"rm", FE_DOWNWARD},
                                                {"rp", FE_UPWARD}};
  for (auto [mode, host] : modes) {
    std::string instruction = op + "." + mode + "." + type + " " + operands;
    std::vector<T> got = evaluateAll(instruction, x);
    for (size_t i = 0; i < got.size(); ++i) {
      std::fesetround(host);
      volatile T a = x.a[i], b = x.b[i], c = x.c[i];
      volatile T expected = reference(a, b, c);
      std::fesetround(FE_TONEAREST);
      ASSERT_TRUE(isSame<T>(got[i], expected))
          << instruction << " of " << x.a[i] << ", " << x.b[i] << ", " << x.c[i]
          << ": got " << got[i] << ", expected " << expected;
    }
  }
}

template <class T>
void checkAllRounded(const std::string &type) {
  checkRounded<T>("add", "d, a, b;", type, [](T a, T b, T) { return a + b; });
  checkRounded<T>("sub", "d, a, b;", type, [](T a, T b, T) { return a - b; });
  checkRounded<T>("mul", "d, a, b;", type, [](T a, T b, T) { return a * b; });
  checkRounded<T>("div", "d, a, b;", type, [](T a, T b, T) { return a / b; });
  checkRounded<T>("rcp", "d, a;", type, [](T a, T, T) { return 1 / a; });
  checkRounded<T>("sqrt", "d, a;", type,
                  [](T a, T, T) { return std::sqrt(a); });
  checkRounded<T>("fma", "d, a, b, c;", type,
                  [](T a, T b, T c) { return std::fma(a, b, c); });
}

TEST(PtxFloats, RoundingModes) {
  checkAllRounded<float>("f32");
  checkAllRounded<double>("f64");
}

Columns<float> repeat(float a, float b = 0, float c = 0) {
  return {std::vector<float>(64, a), std::vector<float>(64, b),
          std::vector<float>(64, c)};
}

float evaluate(const std::string &instruction, float a, float b = 0,
               float c = 0) {
  return evaluateAll(instruction, repeat(a, b, c))[0];
}

uint32_t evaluateBits(const std::string &instruction, float a, float b = 0) {
  float value = evaluate(instruction, a, b);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(PtxFloats, ExtremaAndSigns) {
  EXPECT_EQ(evaluate("min.f32 d, a, b;", NAN, 3), 3);
  EXPECT_TRUE(std::isnan(evaluate("min.NaN.f32 d, a, b;", NAN, 3)));
  EXPECT_TRUE(std::isnan(evaluate("max.f32 d, a, b;", NAN, NAN)));
  EXPECT_EQ(evaluateBits("min.f32 d, a, b;", 0.0f, -0.0f), 0x80000000u);
  EXPECT_EQ(evaluateBits("max.f32 d, a, b;", -0.0f, 0.0f), 0u);
  EXPECT_EQ(evaluateBits("max.NaN.f32 d, a, b;", -0.0f, 0.0f), 0u);
  EXPECT_EQ(evaluate("max.xorsign.abs.f32 d, a, b;", -5, 3), -5);
  EXPECT_EQ(evaluateBits("abs.f32 d, a;", -0.0f), 0u);
  EXPECT_EQ(evaluateBits("neg.f32 d, a;", 0.0f), 0x80000000u);
  EXPECT_EQ(evaluate("copysign.f32 d, a, b;", -1, 3), -3);
  // NaNs of arithmetic are all the same.
  EXPECT_EQ(evaluateBits("add.f32 d, a, b;", INFINITY, -INFINITY), 0x7fffffffu);
}

TEST(PtxFloats, FlushesAndSaturates) {
  EXPECT_EQ(evaluateBits("add.ftz.f32 d, a, b;", 1e-40f, -0.0f), 0u);
  EXPECT_EQ(evaluateBits("mul.ftz.f32 d, a, b;", -1e-30f, 1e-10f), 0x80000000u);
  EXPECT_EQ(evaluate("mul.f32 d, a, b;", 1e-30f, 1e-10f), 1e-30f * 1e-10f);
  EXPECT_EQ(evaluate("add.sat.f32 d, a, b;", 1, 1), 1);
  EXPECT_EQ(evaluate("fma.rn.sat.f32 d, a, b, c;", -1, 1, 0.5f), 0);
  EXPECT_EQ(evaluateBits("add.sat.f32 d, a, b;", NAN, 1), 0u);
}

TEST(PtxFloats, Approximations) {
  EXPECT_EQ(evaluate("ex2.approx.f32 d, a;", 3), 8);
  EXPECT_EQ(evaluate("lg2.approx.f32 d, a;", 8), 3);
  EXPECT_EQ(evaluate("lg2.approx.ftz.f32 d, a;", 1e-40f), -INFINITY);
  EXPECT_EQ(evaluate("rsqrt.approx.f32 d, a;", 4), 0.5f);
  EXPECT_EQ(evaluate("rcp.approx.f32 d, a;", -0.0f), -INFINITY);
  EXPECT_EQ(evaluate("sqrt.approx.f32 d, a;", 9), 3);
  EXPECT_EQ(evaluate("div.full.f32 d, a, b;", 6, 3), 2);
  EXPECT_EQ(evaluate("div.approx.ftz.f32 d, a, b;", 6, 3), 2);
  EXPECT_EQ(evaluate("tanh.approx.f32 d, a;", 0), 0);
  EXPECT_EQ(evaluate("sin.approx.f32 d, a;", 0.5f), std::sin(0.5f));
  EXPECT_TRUE(std::isnan(evaluate("cos.approx.ftz.f32 d, a;", INFINITY)));
}

TEST(PtxFloats, Tests) {
  auto test = [](const std::string &name, float value) {
    return evaluate("testp." + name +
                        ".f32 %p1, a; selp.f32 d, 0f3F800000, "
                        "0f00000000, %p1;",
                    value) == 1;
  };
  EXPECT_TRUE(test("finite", 1));
  EXPECT_FALSE(test("finite", INFINITY));
  EXPECT_TRUE(test("infinite", -INFINITY));
  EXPECT_TRUE(test("notanumber", NAN));
  EXPECT_FALSE(test("number", NAN));
  EXPECT_TRUE(test("subnormal", 1e-40f));
  EXPECT_FALSE(test("normal", 1e-40f));
  EXPECT_FALSE(test("normal", 0));
}

} // namespace
