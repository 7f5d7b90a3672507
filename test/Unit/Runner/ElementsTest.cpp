//===- ElementsTest.cpp - Tests of elements and tensors -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunnerTesting.h"

#include <cmath>

using namespace mlir::comm;
using namespace mlir::comm::runner;
using testing::HasSubstr;

namespace {

/// The bits of `value` stored as `type`.
uint64_t storeBits(CommDataType type, double value) {
  uint64_t bits = 0;
  storeDouble(type, &bits, value);
  return bits;
}

/// What a literal reads as and prints as, or the failure.
std::string roundTrip(CommDataType type, std::string_view text) {
  uint64_t bits = 0;
  if (MaybeFailure failure = storeLiteral(type, &bits, text)) {
    EXPECT_EQ(failure->code, ExitCode::Usage);
    return failure->message;
  }
  return formatElement(type, &bits);
}

TEST(Elements, HalvesRoundOnce) {
  EXPECT_EQ(storeBits(COMM_F16, 1.0), 0x3c00u);
  EXPECT_EQ(storeBits(COMM_F16, 65504), 0x7bffu);
  EXPECT_EQ(storeBits(COMM_F16, 65519.99), 0x7bffu);
  EXPECT_EQ(storeBits(COMM_F16, 65520), 0x7c00u);
  EXPECT_EQ(storeBits(COMM_F16, -1e300), 0xfc00u);
  EXPECT_EQ(storeBits(COMM_F16, 0x1p-24), 0x0001u);
  EXPECT_EQ(storeBits(COMM_F16, 0x1p-25), 0x0000u);
  EXPECT_EQ(storeBits(COMM_F16, 0x1.0000000000001p-25), 0x0001u);
  EXPECT_EQ(storeBits(COMM_F16, -0.0), 0x8000u);
  EXPECT_EQ(storeBits(COMM_BF16, 1.0), 0x3f80u);
  // Just above and below the middle of two neighbours, by less than f32 sees.
  EXPECT_EQ(storeBits(COMM_F16, 1 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(storeBits(COMM_F16, 1 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(storeBits(COMM_F16, -(1 + 3 * 0x1p-11 - 0x1p-40)), 0xbc01u);
  EXPECT_EQ(storeBits(COMM_F16, 1 + 3 * 0x1p-11), 0x3c02u);
  EXPECT_EQ(storeBits(COMM_BF16, 1 + 0x1p-8 + 0x1p-45), 0x3f81u);
}

TEST(Elements, EveryHalfSurvivesNumberAndText) {
  for (CommDataType type : {COMM_F16, COMM_BF16})
    for (uint32_t i = 0; i <= 0xffff; ++i) {
      uint16_t bits = i;
      double value = loadDouble(type, &bits);
      if (std::isnan(value))
        continue;
      ASSERT_EQ(storeBits(type, value), bits);
      uint64_t read = 0;
      std::string text = formatElement(type, &bits);
      ASSERT_FALSE(storeLiteral(type, &read, text)) << text;
      ASSERT_EQ(read, bits) << text;
    }
}

TEST(Elements, PrintsTheFewestDigits) {
  EXPECT_EQ(roundTrip(COMM_F32, "0.1"), "0.1");
  EXPECT_EQ(roundTrip(COMM_F64, "0.1"), "0.1");
  EXPECT_EQ(roundTrip(COMM_F16, "0.1"), "0.1");
  EXPECT_EQ(roundTrip(COMM_BF16, "0.3333"), "0.334");
  EXPECT_EQ(roundTrip(COMM_F16, "40000"), "40000");
  EXPECT_EQ(roundTrip(COMM_F32, "4.0"), "4");
  EXPECT_EQ(roundTrip(COMM_F32, "16777217"), "16777216");
  EXPECT_EQ(roundTrip(COMM_F32, "-0"), "-0");
  EXPECT_EQ(roundTrip(COMM_F64, "1e300"), "1e+300");
}

TEST(Elements, ReadsLiterals) {
  EXPECT_EQ(roundTrip(COMM_F32, "nan"), "nan");
  EXPECT_EQ(roundTrip(COMM_BF16, "-inf"), "-inf");
  EXPECT_EQ(roundTrip(COMM_F64, "+2.5"), "2.5");
  EXPECT_EQ(roundTrip(COMM_F32, "0x40490FDB"), "3.1415927");
  EXPECT_EQ(roundTrip(COMM_F16, "0x3C00"), "1");
  EXPECT_EQ(roundTrip(COMM_I32, "0xff"), "255");
  EXPECT_EQ(roundTrip(COMM_I8, "-128"), "-128");
  EXPECT_EQ(roundTrip(COMM_I8, "255"), "-1");
  EXPECT_EQ(roundTrip(COMM_I64, "-9223372036854775808"),
            "-9223372036854775808");
  EXPECT_EQ(roundTrip(COMM_I1, "true"), "true");
  EXPECT_EQ(roundTrip(COMM_I1, "0"), "false");
}

TEST(Elements, RefusesOtherLiterals) {
  EXPECT_EQ(roundTrip(COMM_F32, "1.5x"),
            "'1.5x' is not a value of type f32: expected a number");
  EXPECT_THAT(roundTrip(COMM_F32, "true"), HasSubstr("expected a number"));
  EXPECT_THAT(roundTrip(COMM_F32, "+-1"), HasSubstr("expected a number"));
  EXPECT_THAT(roundTrip(COMM_F32, ""), HasSubstr("expected a number"));
  EXPECT_THAT(roundTrip(COMM_F32, "nan(7)"), HasSubstr("expected a number"));
  EXPECT_EQ(roundTrip(COMM_F16, "65520"),
            "'65520' is not a value of type f16: expected a number in its "
            "range");
  EXPECT_THAT(roundTrip(COMM_F64, "1e400"), HasSubstr("in its range"));
  EXPECT_THAT(roundTrip(COMM_F16, "0x12345"),
              HasSubstr("at most 4 hexadecimal digits"));
  EXPECT_THAT(roundTrip(COMM_I32, "1.0"), HasSubstr("expected an integer"));
  EXPECT_THAT(roundTrip(COMM_I8, "256"), HasSubstr("expected at most 255"));
  EXPECT_THAT(roundTrip(COMM_I8, "-129"), HasSubstr("expected at least -128"));
  EXPECT_THAT(roundTrip(COMM_I64, "18446744073709551616"),
              HasSubstr("expected at most 18446744073709551615"));
  EXPECT_THAT(roundTrip(COMM_I1, "2"), HasSubstr("expected at most 1"));
  EXPECT_THAT(roundTrip(COMM_I1, "yes"), HasSubstr("expected true or false"));
}

TEST(HostTensor, OwnsAlignedZeros) {
  for (Shape shape : {Shape{}, Shape{3}, Shape{0, 5}, Shape{33, 1}}) {
    HostTensor tensor(COMM_I64, shape);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.getData()) % 64, 0u);
    for (double element : getElements(tensor))
      EXPECT_EQ(element, 0);
  }
  EXPECT_EQ(HostTensor(COMM_F32, {}).getElementCount(), 1);
  EXPECT_EQ(HostTensor(COMM_F32, {0, 5}).getByteCount(), 0);
}

TEST(HostTensor, CopiesAreDeep) {
  HostTensor tensor = makeTensor(COMM_F32, {2}, {1, 2});
  HostTensor copy = tensor;
  EXPECT_TRUE(copy.isIdenticalTo(tensor));
  copy.setDouble(1, 3);
  EXPECT_EQ(tensor.getDouble(1), 2);
  EXPECT_FALSE(copy.isIdenticalTo(tensor));
  tensor = copy;
  EXPECT_TRUE(copy.isIdenticalTo(tensor));
}

TEST(HostTensor, IdenticalMeansBits) {
  HostTensor nan = makeTensor(COMM_F32, {1}, {NAN});
  EXPECT_TRUE(nan.isIdenticalTo(nan));
  EXPECT_FALSE(makeTensor(COMM_F32, {1}, {0.0})
                   .isIdenticalTo(makeTensor(COMM_F32, {1}, {-0.0})));
  EXPECT_FALSE(HostTensor(COMM_F32, {1, 2}).isIdenticalTo({COMM_F32, {2, 1}}));
  EXPECT_FALSE(HostTensor(COMM_F32, {2}).isIdenticalTo({COMM_I32, {2}}));
}

TEST(HostTensor, CountsElementsWithoutOverflow) {
  EXPECT_EQ(getElementCount({}), 1);
  EXPECT_EQ(getElementCount({0, int64_t(1) << 62, 16}), 0);
  EXPECT_EQ(getElementCount({int64_t(1) << 32, int64_t(1) << 32}),
            std::nullopt);
  EXPECT_EQ(getElementCount({int64_t(1) << 61}), std::nullopt);
}

TEST(HostTensor, FormatsTypesAndIndices) {
  EXPECT_EQ(formatType(COMM_BF16, {4, kDynamic}), "4x?xbf16");
  EXPECT_EQ(formatType(COMM_F32, {}), "f32");
  EXPECT_EQ(formatIndex(getIndex({2, 3, 4}, 17)), "[1, 1, 1]");
}

} // namespace
