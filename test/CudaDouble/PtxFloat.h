//===- PtxFloat.h - Arithmetic on floats in PTX -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXFLOAT_H
#define COMM_TEST_CUDADOUBLE_PTXFLOAT_H

#include "PtxFormats.h"
#include "PtxOperations.h"

namespace ptx {

/// The type of an instruction on floats and its modifiers, as
/// Instruction::flags holds them.
class FloatFlags {
public:
  enum Flag : uint16_t {
    Ftz = 1 << 3,
    Sat = 1 << 4,
    Relu = 1 << 5,
    Nan = 1 << 6,
    XorSign = 1 << 7,
  };

  FloatFlags() = default;
  explicit FloatFlags(uint16_t bits) : bits(bits) {}

  uint16_t getBits() const { return bits; }
  bool has(Flag flag) const { return bits & flag; }
  void add(Flag flag) { bits |= flag; }
  Rounding rounding() const { return Rounding(bits & 7); }
  void setRounding(Rounding rounding) {
    bits = (bits & ~7) | uint16_t(rounding);
  }
  Type type() const {
    return {bits & kBrain ? Kind::Brain : Kind::Float, uint8_t(bits >> 9)};
  }
  void setType(Type type) {
    bits = (bits & 0xff) | uint16_t(type.bits << 9) |
           (type.kind == Kind::Brain ? kBrain : 0);
  }
  /// Rounds to nearest, with no modifier.
  bool isPlain() const { return (bits & 0xff) == 0; }

private:
  static constexpr uint16_t kBrain = 1 << 8;

  uint16_t bits = 0;
};

/// .rn .rz .rm .rp, .ftz, .sat, .relu
FloatFlags takeFloatFlags(Decoder &decoder, Type type);

/// An operand, with subnormal numbers as zeros where .ftz says so.
double widenFlushed(const Format &format, uint64_t bits, FloatFlags flags);

/// A result after .ftz, .sat and .relu.
uint64_t finish(const Format &format, uint64_t bits, FloatFlags flags);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXFLOAT_H
