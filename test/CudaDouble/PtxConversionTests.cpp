//===- PtxConversionTests.cpp - Every conversion of PTX -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxHalves.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ptx;
using namespace ptx::testing;

namespace {

/// A kernel of one conversion on each element: "ld.global.LOAD", "cvt.HOW",
/// "st.global.STORE", of registers %rs, %r or %rd.
std::string convertKernel(const std::string &how, unsigned fromBits,
                          unsigned toBits) {
  auto bits = [](unsigned n) { return std::to_string(std::max(n, 8u)); };
  auto reg = [](unsigned n) {
    return n <= 16 ? "%rs" : n == 32 ? "%r" : "%rd";
  };
  return makeKernel(
      "mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ntid.x; mov.u32 %r12, %tid.x;\n"
      "mad.lo.s32 %r10, %r10, %r11, %r12; ld.param.b64 %rd10, [p0];\n"
      "ld.param.b64 %rd11, [p1];\n"
      "mad.wide.u32 %rd10, %r10, " +
      std::to_string(fromBits / 8) +
      ", %rd10;\n"
      "mad.wide.u32 %rd11, %r10, " +
      std::to_string(toBits / 8) + ", %rd11;\nld.global.b" + bits(fromBits) +
      " " + reg(fromBits) + "1, [%rd10];\ncvt." + how + " " + reg(toBits) +
      "2, " + reg(fromBits) + "1;\nst.global.b" + bits(toBits) + " [%rd11], " +
      reg(toBits) + "2;");
}

template <class From, class To>
std::vector<To> convert(const std::string &how, std::vector<From> from) {
  Runner runner(convertKernel(how, 8 * sizeof(From), 8 * sizeof(To)));
  while (from.size() % 128)
    from.push_back(from.back());
  std::vector<To> to(from.size());
  runner.run("k", from.size() / 128, 128, from, to, 0);
  return to;
}

TEST(PtxConversions, HalvesToWider) {
  for (const NamedFormat &named : {kHalf, kBrain}) {
    auto floats = convert<uint16_t, float>(std::string("f32.") + named.name,
                                           getAllHalves());
    auto doubles = convert<uint16_t, double>(std::string("f64.") + named.name,
                                             getAllHalves());
    for (unsigned i = 0; i < 65536; ++i) {
      double value = getTable(named).getValue(uint16_t(i));
      ASSERT_TRUE(isSame<float>(floats[i], float(value))) << named.name << i;
      ASSERT_TRUE(isSame<double>(doubles[i], value)) << named.name << i;
    }
  }
}

/// Every number of the format, what is half way to the next, and what is just
/// beside those.
template <class T>
std::vector<T> makeAround(const Table &table) {
  std::vector<T> values = {std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min(), T(NAN)};
  for (unsigned bits = 0; bits < 0x8000; ++bits) {
    double low = table.getValue(uint16_t(bits));
    if (std::isnan(low))
      break;
    double high = table.getValue(uint16_t(bits + 1));
    T middle = T(std::isinf(high) ? low + (low - table.getValue(bits - 1)) / 2
                                  : (low + high) / 2);
    for (T value : {T(low), middle})
      for (T each : {value, std::nextafter(value, T(0)),
                     std::nextafter(value, T(INFINITY))}) {
        values.push_back(each);
        values.push_back(-each);
      }
  }
  return values;
}

template <class T>
void checkNarrowing(const NamedFormat &named, const std::string &from) {
  const Table &table = getTable(named);
  std::vector<T> values = makeAround<T>(table);
  for (std::string mode : {"rn", "rz", "rm", "rp"}) {
    auto got =
        convert<T, uint16_t>(mode + "." + named.name + "." + from, values);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(got[i], table.round(values[i], mode))
          << mode << " " << named.name << " of " << values[i];
  }
}

TEST(PtxConversions, WiderToHalves) {
  for (const NamedFormat &named : {kHalf, kBrain}) {
    checkNarrowing<float>(named, "f32");
    checkNarrowing<double>(named, "f64");
  }
}

TEST(PtxConversions, DoubleToFloat) {
  std::vector<double> values = {
      1e300,    -1e300,     1e-310,         -0.0,
      NAN,      INFINITY,   0x1.ffffffp127, 0x1.fffffe8p127,
      0x1p-150, 0x1.8p-149, 0x1.000001p0,   0x1.000003p0,
      0.1};
  auto nearest = convert<double, float>("rn.f32.f64", values);
  auto zero = convert<double, float>("rz.f32.f64", values);
  auto down = convert<double, float>("rm.f32.f64", values);
  auto up = convert<double, float>("rp.f32.f64", values);
  for (size_t i = 0; i < values.size(); ++i) {
    double value = values[i];
    EXPECT_TRUE(isSame(nearest[i], float(value))) << value;
    if (std::isnan(value))
      continue;
    EXPECT_LE(down[i], value);
    EXPECT_GE(up[i], value);
    EXPECT_TRUE(double(up[i]) == value ||
                std::nextafterf(down[i], INFINITY) == up[i]);
    EXPECT_EQ(zero[i], value < 0 ? up[i] : down[i]) << value;
  }
}

/// What PTX says of values out of range and of NaN.
template <class To>
To toInteger(double value, const std::string &mode, bool isWide) {
  if (std::isnan(value))
    return isWide || sizeof(To) == 8
               ? To(std::make_unsigned_t<To>(1) << (8 * sizeof(To) - 1))
               : To(0);
  value = mode == "rni"   ? std::nearbyint(value)
          : mode == "rzi" ? std::trunc(value)
          : mode == "rmi" ? std::floor(value)
                          : std::ceil(value);
  if (value >= std::ldexp(1, std::numeric_limits<To>::digits))
    return std::numeric_limits<To>::max();
  if (value <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return To(value);
}

template <class To, class From, class Widen>
void checkToInteger(const std::string &to, const std::string &from,
                    const std::vector<From> &values, Widen &&toDouble) {
  for (std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
    auto got = convert<From, To>(mode + "." + to + "." + from, values);
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(got[i], toInteger<To>(toDouble(values[i]), mode, from == "f64"))
          << mode << "." << to << "." << from << " of " << toDouble(values[i]);
  }
}

template <class From, class Widen>
void checkToIntegers(const std::string &from, const std::vector<From> &values,
                     Widen &&toDouble) {
  checkToInteger<int8_t>("s8", from, values, toDouble);
  checkToInteger<uint8_t>("u8", from, values, toDouble);
  checkToInteger<int16_t>("s16", from, values, toDouble);
  checkToInteger<uint16_t>("u16", from, values, toDouble);
  checkToInteger<int32_t>("s32", from, values, toDouble);
  checkToInteger<uint32_t>("u32", from, values, toDouble);
  checkToInteger<int64_t>("s64", from, values, toDouble);
  checkToInteger<uint64_t>("u64", from, values, toDouble);
}

template <class T>
std::vector<T> makeReals() {
  std::vector<T> values = {T(0), T(-0.0), T(NAN), T(INFINITY), T(-INFINITY)};
  for (int exponent = -3; exponent < 67; ++exponent)
    for (double factor : {1.0, 1.25, 1.5, 1.75, 0.99999, 1.00001})
      for (double sign : {1.0, -1.0})
        values.push_back(T(sign * std::ldexp(factor, exponent)));
  return values;
}

TEST(PtxConversions, FloatsToIntegers) {
  checkToIntegers("f16", getAllHalves(),
                  [](uint16_t x) { return getTable(kHalf).getValue(x); });
  checkToIntegers("f32", makeReals<float>(), [](float x) { return x; });
  checkToIntegers("f64", makeReals<double>(), [](double x) { return x; });
}

template <class T>
std::vector<T> makeIntegers() {
  std::vector<T> values;
  for (size_t k = 0; k < 8 * sizeof(T); ++k)
    for (int beside : {-2, -1, 0, 1, 2})
      for (uint64_t more : {uint64_t(0), uint64_t(1) << k / 2}) {
        uint64_t value = (uint64_t(1) << k) + more + uint64_t(beside);
        values.push_back(T(value));
        values.push_back(T(0 - value));
      }
  values.push_back(std::numeric_limits<T>::max());
  values.push_back(std::numeric_limits<T>::min());
  return values;
}

template <class From>
void checkFromInteger(const std::string &from) {
  std::vector<From> values = makeIntegers<From>();
  auto floats = convert<From, float>("rn.f32." + from, values);
  auto doubles = convert<From, double>("rn.f64." + from, values);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(floats[i], float(values[i])) << from;
    ASSERT_EQ(doubles[i], double(values[i])) << from;
  }
  for (const NamedFormat &named : {kHalf, kBrain})
    for (std::string mode : {"rn", "rz", "rm", "rp"}) {
      auto got =
          convert<From, uint16_t>(mode + "." + named.name + "." + from, values);
      for (size_t i = 0; i < values.size(); ++i) {
        auto value = double(values[i]);
        // The reference takes doubles.
        if (value >= 0x1p63 || From(value) != values[i])
          continue;
        ASSERT_EQ(got[i], getTable(named).round(value, mode))
            << mode << " " << named.name << " of " << value;
      }
    }
}

TEST(PtxConversions, IntegersToFloats) {
  checkFromInteger<int8_t>("s8");
  checkFromInteger<uint8_t>("u8");
  checkFromInteger<int16_t>("s16");
  checkFromInteger<uint16_t>("u16");
  checkFromInteger<int32_t>("s32");
  checkFromInteger<uint32_t>("u32");
  checkFromInteger<int64_t>("s64");
  checkFromInteger<uint64_t>("u64");
}

template <class To, class From>
void checkIntegers(const std::string &to, const std::string &from) {
  std::vector<From> values = makeIntegers<From>();
  auto plain = convert<From, To>(to + "." + from, values);
  auto clamped = convert<From, To>("sat." + to + "." + from, values);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(plain[i], To(values[i])) << to << "." << from;
    __int128 value = values[i];
    value = std::max<__int128>(value, std::numeric_limits<To>::min());
    value = std::min<__int128>(value, std::numeric_limits<To>::max());
    ASSERT_EQ(clamped[i], To(value)) << to << "." << from;
  }
}

template <class From>
void checkFromIntegers(const std::string &from) {
  checkIntegers<int8_t, From>("s8", from);
  checkIntegers<uint8_t, From>("u8", from);
  checkIntegers<int16_t, From>("s16", from);
  checkIntegers<uint16_t, From>("u16", from);
  checkIntegers<int32_t, From>("s32", from);
  checkIntegers<uint32_t, From>("u32", from);
  checkIntegers<int64_t, From>("s64", from);
  checkIntegers<uint64_t, From>("u64", from);
}

TEST(PtxConversions, IntegersToIntegers) {
  checkFromIntegers<int8_t>("s8");
  checkFromIntegers<uint8_t>("u8");
  checkFromIntegers<int16_t>("s16");
  checkFromIntegers<uint16_t>("u16");
  checkFromIntegers<int32_t>("s32");
  checkFromIntegers<uint32_t>("u32");
  checkFromIntegers<int64_t>("s64");
  checkFromIntegers<uint64_t>("u64");
}

TEST(PtxConversions, ToIntegersInTheFormat) {
  std::vector<float> values = makeReals<float>();
  auto even = convert<float, float>("rni.f32.f32", values);
  auto down = convert<float, float>("rmi.f32.f32", values);
  auto saturated = convert<float, float>("sat.f32.f32", values);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(isSame(even[i], std::nearbyint(values[i])));
    EXPECT_TRUE(isSame(down[i], std::floor(values[i])));
    float expected = values[i] > 1 ? 1 : values[i] > 0 ? values[i] : 0;
    EXPECT_EQ(saturated[i], expected) << values[i];
  }
  auto halves = convert<uint16_t, uint16_t>("rpi.f16.f16", getAllHalves());
  for (unsigned i = 0; i < 65536; ++i)
    ASSERT_TRUE(isSame(getTable(kHalf).getValue(halves[i]),
                       std::ceil(getTable(kHalf).getValue(uint16_t(i)))));
}

TEST(PtxConversions, SubnormalsAreZeros) {
  std::vector<float> values = {1e-40f, -1e-40f, 0x1p-126f};
  auto got = convert<float, double>("ftz.f64.f32", values);
  EXPECT_TRUE(isSame(got[0], 0.0));
  EXPECT_TRUE(isSame(got[1], -0.0));
  EXPECT_TRUE(isSame(got[2], 0x1p-126));
  std::vector<uint16_t> halves = {1};
  // Those of f16 are normal in f32.
  EXPECT_EQ((convert<uint16_t, float>("ftz.f32.f16", halves)[0]), 0x1p-24f);
}

TEST(PtxConversions, TwoAtOnce) {
  Runner runner(makeKernel(R"(
    ld.param.b64 %rd1, [p0]; ld.param.b64 %rd2, [p1];
    ld.global.v2.b32 {%r1, %r2}, [%rd1];
    cvt.rn.f16x2.f32 %r3, %r1, %r2;
    cvt.rn.relu.bf16x2.f32 %r4, %r1, %r2;
    st.global.v2.b32 [%rd2], {%r3, %r4};)"));
  std::vector<float> values = {1.0f, -2.0f};
  std::vector<uint32_t> packed(2);
  runner.run("k", 1, 1, values, packed, 0);
  EXPECT_EQ(packed[0], 0x3c00c000u);
  EXPECT_EQ(packed[1], 0x3f800000u);
}

} // namespace
