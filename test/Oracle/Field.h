//===- Field.h - Exact numbers ----------------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rational number is kept as its residue in the field Z/p, p = 2^61 - 1, and
// as a double. The residue is exact through +, -, * and /: two rationals that
// differ have the same residue once in 2^61. The double gives the order, which
// a field has not; two numbers are equal if and only if their residues are.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_FIELD_H
#define COMM_TEST_ORACLE_FIELD_H

#include <cmath>
#include <cstdint>

namespace mlir::comm::oracle::field {

using Residue = uint64_t;
inline constexpr Residue kPrime = (Residue(1) << 61) - 1;

inline Residue add(Residue a, Residue b) {
  Residue sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
inline Residue negate(Residue a) { return a ? kPrime - a : 0; }
inline Residue subtract(Residue a, Residue b) { return add(a, negate(b)); }
inline Residue multiply(Residue a, Residue b) {
  __extension__ typedef unsigned __int128 Wide;
  Wide product = static_cast<Wide>(a) * b;
  return add(static_cast<Residue>(product & kPrime),
             static_cast<Residue>(product >> 61));
}
inline Residue power(Residue a, uint64_t exponent) {
  Residue result = 1;
  for (; exponent; exponent >>= 1, a = multiply(a, a))
    if (exponent & 1)
      result = multiply(result, a);
  return result;
}
/// 1/a for a other than 0.
inline Residue invert(Residue a) { return power(a, kPrime - 2); }
inline Residue fromInteger(int64_t a) {
  Residue size = (a < 0 ? 0 - static_cast<uint64_t>(a) : a) % kPrime;
  return a < 0 ? negate(size) : size;
}
/// The residue of what a finite double is exactly; 0 for one that is not.
inline Residue fromDouble(double a) {
  if (!std::isfinite(a))
    return 0;
  int exponent;
  auto mantissa =
      static_cast<int64_t>(std::ldexp(std::frexp(a, &exponent), 53));
  exponent -= 53;
  // 2^61 = 1.
  int64_t shift = ((exponent % 61) + 61) % 61;
  return multiply(fromInteger(mantissa), Residue(1) << shift);
}

} // namespace mlir::comm::oracle::field

#endif // COMM_TEST_ORACLE_FIELD_H
