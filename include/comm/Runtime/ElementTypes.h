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

/// Exact; a NaN stays a NaN.
float toFloat(Half value);
float toFloat(BFloat value);
/// Rounds to nearest, ties to even; too large becomes infinity, a NaN stays a
/// NaN.
Half toHalf(float value);
BFloat toBFloat(float value);

} // namespace mlir::comm::runtime

#endif // COMM_RUNTIME_ELEMENTTYPES_H
