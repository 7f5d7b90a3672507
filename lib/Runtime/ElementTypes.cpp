//===- ElementTypes.cpp - Element types and half-width floats -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/ElementTypes.h"

#include <cstring>

using namespace mlir::comm::runtime;

bool mlir::comm::runtime::isDataType(int32_t type) {
  return type >= COMM_F16 && type <= COMM_I64;
}

bool mlir::comm::runtime::isReduction(int32_t reduction) {
  return reduction >= COMM_SUM && reduction <= COMM_XOR;
}

bool mlir::comm::runtime::isFloat(CommDataType type) {
  return type <= COMM_F64;
}

int64_t mlir::comm::runtime::getByteSize(CommDataType type) {
  switch (type) {
  case COMM_I1:
  case COMM_I8:
    return 1;
  case COMM_F16:
  case COMM_BF16:
  case COMM_I16:
    return 2;
  case COMM_F32:
  case COMM_I32:
    return 4;
  case COMM_F64:
  case COMM_I64:
    return 8;
  }
  return 0;
}

const char *mlir::comm::runtime::getName(CommDataType type) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64", "i1",
                                      "i8",  "i16",  "i32", "i64"};
  return names[type];
}

const char *mlir::comm::runtime::getName(CommReduction reduction) {
  static const char *const names[] = {"sum", "avg", "prod", "max",
                                      "min", "and", "or",   "xor"};
  return names[reduction];
}

static float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float mlir::comm::runtime::toFloat(Half value) {
  uint32_t sign = (value.bits & 0x8000u) << 16;
  uint32_t exponent = (value.bits >> 10) & 0x1f;
  uint32_t mantissa = value.bits & 0x3ff;
  // Subnormal: an integer multiple of 2^-24, which a float holds exactly.
  if (exponent == 0)
    return fromBits(sign | toBits(static_cast<float>(mantissa) * 0x1p-24f));
  if (exponent == 0x1f)
    return fromBits(sign | 0x7f800000u | mantissa << 13);
  return fromBits(sign | (exponent + 112) << 23 | mantissa << 13);
}

float mlir::comm::runtime::toFloat(BFloat value) {
  return fromBits(static_cast<uint32_t>(value.bits) << 16);
}

Half mlir::comm::runtime::toHalf(float value) {
  uint32_t bits = toBits(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  bits &= 0x7fffffffu;
  uint32_t result;
  if (bits > 0x7f800000u) // NaN: quiet, with what fits of its payload.
    result = 0x7e00u | ((bits >> 13) & 0x3ffu);
  else if (bits >= 0x477ff000u) // 65520, halfway to 2^16, and up.
    result = 0x7c00u;
  else if (bits < 0x38800000u) // Below 2^-14. The last bit of 0.5f is 2^-24.
    result = toBits(fromBits(bits) + 0.5f) - toBits(0.5f);
  else
    result = (bits + 0xfffu + ((bits >> 13) & 1) - 0x38000000u) >> 13;
  return {static_cast<uint16_t>(sign | result)};
}

BFloat mlir::comm::runtime::toBFloat(float value) {
  uint32_t bits = toBits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {static_cast<uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16)};
}
