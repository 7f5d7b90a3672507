//===- PtxHalves.h - All numbers of f16 and of bf16 -------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference knows nothing of bits: it looks for the neighbours of a value
// among all that the format has.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXHALVES_H
#define COMM_TEST_CUDADOUBLE_PTXHALVES_H

#include "PtxTesting.h"

#include <algorithm>
#include <cmath>

namespace ptx::testing {

struct NamedFormat {
  const char *name;
  const Format &format;
};
inline const NamedFormat kHalf{"f16", kF16};
inline const NamedFormat kBrain{"bf16", kBF16};

/// The finite numbers of a format of 16 bits that are not negative; the next
/// power of two stands for infinity.
class Table {
public:
  explicit Table(const NamedFormat &named) {
    bool isHalf = &named.format == &kF16;
    int digits = isHalf ? 10 : 7;
    int bias = isHalf ? 15 : 127;
    infinity = isHalf ? 0x7c00 : 0x7f80;
    for (int bits = 0; bits <= infinity; ++bits) {
      int exponent = bits >> digits;
      int rest = bits & ((1 << digits) - 1);
      values.push_back(
          exponent ? std::ldexp(rest + (1 << digits), exponent - bias - digits)
                   : std::ldexp(rest, 1 - bias - digits));
    }
  }

  double getValue(uint16_t bits) const {
    uint16_t magnitude = bits & 0x7fff;
    double value = magnitude > infinity    ? NAN
                   : magnitude == infinity ? INFINITY
                                           : values[magnitude];
    return bits & 0x8000 ? -value : value;
  }

  /// "rn", "rz", "rm" or "rp" of a value.
  template <class T>
  uint16_t round(T value, const std::string &mode) const {
    if (value != value)
      return 0x7fff;
    uint16_t sign = std::signbit(double(value)) ? 0x8000 : 0;
    if (std::isinf(double(value)))
      return sign | infinity;
    T magnitude = sign ? -value : value;
    auto above = std::upper_bound(values.begin(), values.end(), magnitude);
    bool isBeyond = above == values.end();
    uint16_t low = isBeyond ? infinity - 1 : above - values.begin() - 1;
    uint16_t high = low + 1;
    if (!isBeyond && values[low] == magnitude && low != infinity)
      return sign | low;
    bool up = mode == (sign ? "rm" : "rp");
    if (mode == "rn") {
      T middle = (T(values[low]) + values[high]) / 2;
      up = magnitude > middle || (magnitude == middle && (high & 1) == 0);
    }
    return sign | (up ? high : low);
  }

private:
  int infinity;
  std::vector<double> values;
};

inline const Table &getTable(const NamedFormat &named) {
  static const Table half(kHalf), brain(kBrain);
  return &named.format == &kF16 ? half : brain;
}

inline std::vector<uint16_t> getAllHalves() {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  return all;
}

/// Zeros of different signs are different, all NaNs are the same.
template <class T>
bool isSame(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace ptx::testing

#endif // COMM_TEST_CUDADOUBLE_PTXHALVES_H
