//===- PtxFormats.cpp - Rounding to the float formats of PTX --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFormats.h"

#include "PtxThread.h"

using namespace ptx;

const Format &ptx::getFormat(Type type) {
  if (type.kind == Kind::Brain)
    return kBF16;
  return type.bits == 16 ? kF16 : type.bits == 32 ? kF32 : kF64;
}

/// magnitude / 2^shift, rounded.
static uint64_t shiftRounded(uint64_t magnitude, int shift, bool isNegative,
                             Rounding rounding) {
  if (shift <= 0)
    return magnitude << -shift;
  uint64_t result = shift < 64 ? magnitude >> shift : 0;
  // What is cut off, in units of which half is `half`.
  uint64_t rest =
      shift < 64 ? magnitude & ((uint64_t(1) << shift) - 1) : magnitude;
  uint64_t half = uint64_t(1) << (shift < 64 ? shift - 1 : 63);
  if (shift > 64)
    rest = magnitude ? 1 : 0;
  switch (rounding) {
  case Rounding::NearestEven:
    return result + (rest > half || (rest == half && (result & 1)));
  case Rounding::NearestAway:
    return result + (rest >= half);
  case Rounding::Zero:
    return result;
  case Rounding::Down:
    return result + (isNegative && rest);
  case Rounding::Up:
    return result + (!isNegative && rest);
  }
  return result;
}

/// What a value above the largest number becomes.
static uint64_t overflow(const Format &format, bool isNegative,
                         Rounding rounding) {
  bool isInfinite = rounding == Rounding::NearestEven ||
                    rounding == Rounding::NearestAway ||
                    rounding == (isNegative ? Rounding::Down : Rounding::Up);
  return format.getInfinity() - !isInfinite;
}

uint64_t ptx::roundTo(const Format &format, bool isNegative, uint64_t magnitude,
                      int exponent, Rounding rounding) {
  uint64_t sign = isNegative ? format.getSignBit() : 0;
  if (!magnitude)
    return sign;
  int top = 63 - __builtin_clzll(magnitude) + exponent;
  // The last place of the result.
  int unit = std::max(top, format.minimum) - (format.precision - 1);
  uint64_t digits =
      shiftRounded(magnitude, unit - exponent, isNegative, rounding);
  uint64_t hidden = uint64_t(1) << (format.precision - 1);
  if (digits == 2 * hidden) {
    digits = hidden;
    ++unit;
  }
  if (digits < hidden)
    return sign | digits;
  int biased = unit + format.precision - 1 - format.minimum + 1;
  if (biased > format.maximum - format.minimum + 1)
    return sign | overflow(format, isNegative, rounding);
  return sign | uint64_t(biased) << (format.precision - 1) | (digits - hidden);
}

uint64_t ptx::roundTo(const Format &format, double value, Rounding rounding) {
  if (std::isnan(value))
    return format.nan;
  bool isNegative = std::signbit(value);
  if (std::isinf(value))
    return format.getInfinity() | (isNegative ? format.getSignBit() : 0);
  uint64_t bits = put(value);
  uint64_t digits = bits & ((uint64_t(1) << 52) - 1);
  int biased = (bits >> 52) & 0x7ff;
  if (biased)
    digits |= uint64_t(1) << 52;
  return roundTo(format, isNegative, digits, std::max(biased, 1) - 1075,
                 rounding);
}

double ptx::widen(const Format &format, uint64_t bits) {
  if (format.bits == 64)
    return get<double>(bits);
  if (format.bits == 32)
    return get<float>(bits);
  bits &= 0xffff;
  if (format.precision == 8)
    return get<float>(bits << 16);
  uint64_t sign = (bits & 0x8000) << 48;
  uint64_t exponent = (bits >> 10) & 0x1f;
  uint64_t digits = bits & 0x3ff;
  if (exponent == 0) {
    double value = double(digits) * 0x1p-24;
    return sign ? -value : value;
  }
  exponent = exponent == 31 ? 2047 : exponent + 1008;
  return get<double>(sign | exponent << 52 | digits << 42);
}

double ptx::makeOdd(double value, double error) {
  uint64_t bits = put(value);
  if (error == 0 || std::isnan(error) || std::isinf(value) || (bits & 1))
    return value;
  return get<double>((error < 0) == (value < 0) ? bits + 1 : bits - 1);
}

/// The error of the sum is a number, and this is it (D. Knuth).
static double getSumError(double a, double b, double sum) {
  double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

double ptx::addOdd(double a, double b) {
  double sum = a + b;
  return makeOdd(sum, getSumError(a, b, sum));
}

double ptx::fmaOdd(double a, double b, double c) { return addOdd(a * b, c); }

double ptx::divOdd(double a, double b) {
  double quotient = a / b;
  if (quotient == 0 || !std::isfinite(quotient) || std::isinf(b))
    return quotient;
  double rest = std::fma(-quotient, b, a);
  return makeOdd(quotient, std::signbit(b) ? -rest : rest);
}

double ptx::sqrtOdd(double a) {
  double root = std::sqrt(a);
  return makeOdd(root, std::fma(-root, root, a));
}
