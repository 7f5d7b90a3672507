//===- Elements.h - Single elements as numbers and as text ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_ELEMENTS_H
#define COMM_RUNNER_ELEMENTS_H

#include "comm/Runner/Result.h"
#include "comm/Runtime/ElementTypes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlir::comm::runner {

using runtime::getByteSize;
using runtime::getName;
using runtime::isFloat;

/// The inverse of getName; `index` is an i64.
std::optional<CommDataType> getTypeByName(std::string_view name);

/// The element at `data`, of type `type`, exactly (an i1 is 0 or 1; an i64
/// beyond 2^53 is rounded).
double loadDouble(CommDataType type, const void *data);
/// The same as an integer; a float is truncated, a NaN or a number out of range
/// gives 0.
int64_t loadInt64(CommDataType type, const void *data);
/// Stores `value` rounded once, to nearest even; integer types truncate it, and
/// take 0 for a NaN or a number out of the range of int64_t.
void storeDouble(CommDataType type, void *data, double value);
/// Stores `value` modulo 2^width, or converted to the float type.
void storeInt64(CommDataType type, void *data, int64_t value);

/// One literal as MLIR writes it, stored at `data`: decimal numbers, `nan`,
/// `inf`, `true` and `false` (i1 only), 0x... (a number for an integer, the bit
/// pattern for a float). The failure's message names the literal and what was
/// expected.
MaybeFailure storeLiteral(CommDataType type, void *data, std::string_view text);
/// The element at `data` in the fewest digits that storeLiteral reads back to
/// the same value; i1 as `true` or `false`.
std::string formatElement(CommDataType type, const void *data);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_ELEMENTS_H
