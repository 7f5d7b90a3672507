//===- PtxFormats.h - Rounding to the float formats of PTX ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXFORMATS_H
#define COMM_TEST_CUDADOUBLE_PTXFORMATS_H

#include "PtxType.h"

#include <cmath>
#include <cstdint>

namespace ptx {

enum class Rounding : uint8_t { NearestEven, Zero, Down, Up, NearestAway };

/// A binary format of IEEE 754. Normal numbers are in [2^minimum, 2^(maximum +
/// 1)); `nan` is the one that operations give.
struct Format {
  int precision = 0;
  int minimum = 0;
  int maximum = 0;
  unsigned bits = 0;
  uint64_t nan = 0;

  uint64_t getSignBit() const { return uint64_t(1) << (bits - 1); }
  uint64_t getInfinity() const {
    return (getSignBit() - 1) & ~((uint64_t(1) << (precision - 1)) - 1);
  }
  /// |bits| is below 2^minimum.
  bool isSubnormal(uint64_t value) const {
    uint64_t magnitude = value & (getSignBit() - 1);
    return magnitude && magnitude < (uint64_t(1) << (precision - 1));
  }
};

inline constexpr Format kF16{11, -14, 15, 16, 0x7fff};
inline constexpr Format kBF16{8, -126, 127, 16, 0x7fff};
inline constexpr Format kF32{24, -126, 127, 32, 0x7fffffff};
inline constexpr Format kF64{53, -1022, 1023, 64, 0xfff8000000000000};

/// Of one lane of a float type.
const Format &getFormat(Type type);

/// The bits of +-magnitude * 2^exponent, rounded once.
uint64_t roundTo(const Format &format, bool isNegative, uint64_t magnitude,
                 int exponent, Rounding rounding);
uint64_t roundTo(const Format &format, double value, Rounding rounding);

/// The value of the bits, exactly.
double widen(const Format &format, uint64_t bits);

/// `value` is the sum, product... rounded to nearest; `error` has the sign of
/// what the exact result has beyond. Gives the odd one of the two neighbours of
/// the exact result: rounded again, to at most 51 bits, it gives what the exact
/// result would (S. Boldo, G. Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", 2008).
double makeOdd(double value, double error);

/// a + b and a * b + c, a / b, sqrt(a) rounded to odd. Products of factors of
/// at most 26 bits are exact.
double addOdd(double a, double b);
double fmaOdd(double a, double b, double c);
double divOdd(double a, double b);
double sqrtOdd(double a);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXFORMATS_H
