//===- ElementTypes.h - Element types and half-width floats -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_ELEMENTTYPES_H
#define COMM_RUNTIME_ELEMENTTYPES_H

#include "comm/Runtime/CommRuntime.h"

#include <cstdint>
#include <cstring>

namespace mlir::comm::runtime {

/// True for the values of CommDataType.
bool isDataType(int32_t type);
/// True for the values of CommReduction.
bool isReduction(int32_t reduction);
/// True for f16, bf16, f32 and f64.
bool isFloat(CommDataType type);
/// Bytes of one element in memory; 1 for an i1.
int64_t getByteSize(CommDataType type);
/// "f16", "i64", ...
const char *getName(CommDataType type);
/// "sum", "avg", ...
const char *getName(CommReduction reduction);

/// An IEEE binary16 number in memory.
struct Half {
  uint16_t bits;
};
/// A bfloat16 number in memory: the upper half of a binary32.
struct BFloat {
  uint16_t bits;
};

/// The same 32 bits.
inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The conversions choose among values that are all computed, so that loops over
// them vectorise.

/// Exact; a NaN stays a NaN.
inline float toFloat(Half value) {
  uint32_t sign = (value.bits & 0x8000u) << 16;
  uint32_t magnitude = value.bits & 0x7fffu;
  // Subnormal: an integer multiple of 2^-24, which a float holds exactly.
  uint32_t small =
      toBits(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  uint32_t normal = (magnitude << 13) + (112u << 23);
  uint32_t large = 0x7f800000u | magnitude << 13; // An infinity, or a NaN.
  uint32_t result = magnitude < 0x0400u ? small : normal;
  return fromBits(sign | (magnitude < 0x7c00u ? result : large));
}

inline float toFloat(BFloat value) {
  return fromBits(static_cast<uint32_t>(value.bits) << 16);
}

/// Rounds to nearest, ties to even; too large becomes infinity, a NaN stays a
/// NaN.
inline Half toHalf(float value) {
  uint32_t sign = (toBits(value) >> 16) & 0x8000u;
  int32_t bits = static_cast<int32_t>(toBits(value) & 0x7fffffffu);
  // NaN: quiet, with what fits of its payload.
  int32_t nan = 0x7e00 | ((bits >> 13) & 0x3ff);
  // Below 2^-14. The last bit of 0.5f is 2^-24.
  int32_t small = static_cast<int32_t>(
      toBits(fromBits(static_cast<uint32_t>(bits)) + 0.5f) - toBits(0.5f));
  int32_t normal = (bits - 0x38000000 + 0xfff + ((bits >> 13) & 1)) >> 13;
  int32_t result = bits < 0x38800000 ? small : normal;
  // From 65520 on, halfway to 2^16.
  result = bits >= 0x477ff000 ? 0x7c00 : result;
  result = bits > 0x7f800000 ? nan : result;
  return {static_cast<uint16_t>(sign | static_cast<uint32_t>(result))};
}

inline BFloat toBFloat(float value) {
  uint32_t bits = toBits(value);
  uint32_t nan = bits >> 16 | 0x40u;
  // Neither overflows: a NaN is not rounded.
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  bool isNaN = static_cast<int32_t>(bits & 0x7fffffffu) > 0x7f800000;
  return {static_cast<uint16_t>(isNaN ? nan : rounded)};
}

} // namespace mlir::comm::runtime

#endif // COMM_RUNTIME_ELEMENTTYPES_H
