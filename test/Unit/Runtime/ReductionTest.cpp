//===- ReductionTest.cpp - The arithmetic of reductions -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <cmath>
#include <limits>
#include <random>

using namespace mlir::comm::runtime;

static constexpr double inf = std::numeric_limits<double>::infinity();
static const double nan_ = std::numeric_limits<double>::quiet_NaN();

/// The all_reduce of one number per rank, as every rank gets it.
static std::vector<double> reduceNumbers(CommDataType type,
                                         CommReduction reduction,
                                         const std::vector<double> &numbers) {
  std::vector<double> results(numbers.size());
  CommSite site = siteAt("comm.all_reduce", 1);
  spawn({static_cast<int64_t>(numbers.size())}, [&](const Rank &rank) {
    std::vector<char> in = encode(type, {numbers[rank.rank]}), out = in;
    EXPECT_EQ(COMM_SUCCESS,
              commAllReduce(rank.context, rank.group({0}), in.data(),
                            out.data(), 1, type, reduction, &site));
    results[rank.rank] = decode(type, out)[0];
  });
  return results;
}

static void expectReduced(CommDataType type, CommReduction reduction,
                          const std::vector<double> &numbers, double expected) {
  for (double result : reduceNumbers(type, reduction, numbers)) {
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(result)) << getName(type) << " got " << result;
    else
      EXPECT_EQ(expected, result) << getName(type) << getName(reduction);
    EXPECT_EQ(std::signbit(expected), std::signbit(result));
  }
}

TEST(Reduction, IntegersWrap) {
  expectReduced(COMM_I8, COMM_SUM, {120, 100, 0}, -36);
  expectReduced(COMM_I8, COMM_PROD, {100, 100, 1}, 16);
  // As unsigned numbers these overflow an int when they are multiplied.
  expectReduced(COMM_I16, COMM_PROD, {-1, -1, 1}, 1);
  expectReduced(COMM_I32, COMM_SUM, {2147483647, 1, 0}, -2147483648.0);
}

TEST(Reduction, IntegersAreSigned) {
  for (CommDataType type : {COMM_I8, COMM_I16, COMM_I32, COMM_I64}) {
    expectReduced(type, COMM_MAX, {-3, -1, -2}, -1);
    expectReduced(type, COMM_MIN, {3, -1, 2}, -1);
  }
}

TEST(Reduction, NaNWins) {
  for (CommDataType type : {COMM_F16, COMM_BF16, COMM_F32, COMM_F64})
    for (CommReduction reduction : {COMM_MAX, COMM_MIN}) {
      expectReduced(type, reduction, {nan_, 1, 2}, nan_);
      expectReduced(type, reduction, {1, nan_, 2}, nan_);
      expectReduced(type, reduction, {1, 2, nan_}, nan_);
    }
}

TEST(Reduction, ZerosAreOrdered) {
  for (CommDataType type : {COMM_F16, COMM_BF16, COMM_F32, COMM_F64}) {
    expectReduced(type, COMM_MAX, {-0.0, 0.0, -0.0}, 0.0);
    expectReduced(type, COMM_MIN, {0.0, -0.0, 0.0}, -0.0);
    expectReduced(type, COMM_MAX, {-inf, -2, -inf}, -2);
  }
}

TEST(Reduction, HalvesAccumulateWide) {
  expectReduced(COMM_F16, COMM_AVG, {40000, 40000, 40000, 40000}, 40000);
  expectReduced(COMM_F16, COMM_SUM, {40000, 40000, -40000}, 40000);
  expectReduced(COMM_F16, COMM_SUM, {40000, 40000, 0}, inf);
  // Rounding after each step would lose every 1: above 2048 an f16 is even,
  // above 256 a bf16 is.
  expectReduced(COMM_F16, COMM_SUM, {2048, 1, 1, 1, 1}, 2052);
  expectReduced(COMM_BF16, COMM_SUM, {256, 1, 1, 1, 1}, 260);
  expectReduced(COMM_BF16, COMM_AVG, {256, 256, 258}, 256);
}

TEST(Reduction, AveragesOfThree) {
  expectReduced(COMM_F32, COMM_AVG, {1, 2, 6}, 3);
  expectReduced(COMM_F64, COMM_AVG, {1, 1, 2}, 4.0 / 3);
}

TEST(Reduction, IsBitwiseReproducible) {
  // Sums of such numbers depend on the order.
  constexpr int64_t n = 6, count = 3001;
  std::vector<std::vector<float>> results;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::vector<float>> outs(n);
    spawn({n}, [&](const Rank &rank) {
      std::mt19937 random(rank.rank);
      std::normal_distribution<float> normal;
      std::vector<float> in(count);
      for (float &value : in)
        value = normal(random) * std::exp(8 * normal(random));
      outs[rank.rank].resize(count);
      EXPECT_EQ(COMM_SUCCESS,
                commAllReduce(rank.context, rank.group({0}), in.data(),
                              outs[rank.rank].data(), count, COMM_F32, COMM_SUM,
                              nullptr));
    });
    results.insert(results.end(), outs.begin(), outs.end());
  }
  for (const std::vector<float> &result : results)
    EXPECT_EQ(0, std::memcmp(result.data(), results[0].data(),
                             count * sizeof(float)));
}

static void expectRefused(CommDataType type, CommReduction reduction,
                          const std::string &why) {
  std::unique_ptr<World> world = makeWorld({3});
  CommSite site = siteAt("comm.all_reduce", 7);
  std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
    int64_t in = 1, out = 5;
    EXPECT_NE(COMM_SUCCESS, commAllReduce(rank.context, rank.group({0}), &in,
                                          &out, 1, type, reduction, &site));
    EXPECT_EQ(5, out);
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(COMM_INVALID, failure->status);
  EXPECT_EQ("comm.all_reduce at test.mlir:7: " + why, failure->message);
}

TEST(Reduction, RefusesWhatHasNoMeaning) {
  expectRefused(COMM_I32, COMM_AVG, "avg is not defined on i32: use sum");
  expectRefused(COMM_I1, COMM_SUM,
                "sum is not defined on i1: use and, or or xor");
  expectRefused(COMM_I1, COMM_MAX,
                "max is not defined on i1: use and, or or xor");
  for (CommReduction reduction : {COMM_AND, COMM_OR, COMM_XOR})
    for (CommDataType type : {COMM_F16, COMM_BF16, COMM_F32, COMM_F64})
      expectRefused(type, reduction,
                    std::string(getName(reduction)) + " is not defined on " +
                        getName(type));
}

TEST(ElementTypes, HalvesKeepTheirBits) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    float value = toFloat(Half{half});
    if (!std::isnan(value))
      ASSERT_EQ(half, toHalf(value).bits);
    else
      ASSERT_TRUE(std::isnan(toFloat(toHalf(value))));
    float wide = toFloat(BFloat{half});
    if (!std::isnan(wide))
      ASSERT_EQ(half, toBFloat(wide).bits);
    else
      ASSERT_TRUE(std::isnan(toFloat(toBFloat(wide))));
  }
}

TEST(ElementTypes, RoundsToNearestEven) {
  // Between neighbours: exactly half goes to the even one, anything more or
  // less to the nearer.
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    float low = toFloat(Half{bits}), high = toFloat(Half{uint16_t(bits + 1)});
    float middle = low + (high - low) / 2;
    uint16_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(even, toHalf(middle).bits) << middle;
    ASSERT_EQ(bits, toHalf(std::nextafter(middle, 0.0f)).bits) << middle;
    ASSERT_EQ(bits + 1, toHalf(std::nextafter(middle, 1e9f)).bits) << middle;
  }
  EXPECT_EQ(0x7bff, toHalf(65519.0f).bits);
  EXPECT_EQ(0x7c00, toHalf(65520.0f).bits);
  EXPECT_EQ(0x3f80, toBFloat(1.00390625f).bits);
  EXPECT_EQ(0x3f82, toBFloat(1.01171875f).bits);
  EXPECT_EQ(0x7f80, toBFloat(std::numeric_limits<float>::max()).bits);
}
