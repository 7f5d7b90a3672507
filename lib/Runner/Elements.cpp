//===- Elements.cpp - Single elements as numbers and as text --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Elements.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace mlir::comm;
using namespace mlir::comm::runner;

namespace {

template <typename T>
T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T>
void store(void *data, T value) {
  std::memcpy(data, &value, sizeof(T));
}

/// Rounded to odd: a second rounding to at most 22 bits then gives what one
/// rounding would have given.
float roundToOdd(double value) {
  float rounded = static_cast<float>(value);
  if (rounded == value || std::isnan(value) || std::isinf(value))
    return rounded;
  if (std::fabs(rounded) > std::fabs(value))
    rounded = std::nextafter(rounded, 0.0f);
  uint32_t bits;
  std::memcpy(&bits, &rounded, sizeof(bits));
  bits |= 1;
  std::memcpy(&rounded, &bits, sizeof(bits));
  return rounded;
}

unsigned getBitWidth(CommDataType type) {
  return type == COMM_I1 ? 1 : 8 * getByteSize(type);
}

MaybeFailure unexpected(CommDataType type, std::string_view text,
                        std::string_view expected) {
  return usageFailure("'" + std::string(text) + "' is not a value of type " +
                      getName(type) + ": expected " + std::string(expected));
}

/// Whether all of `text` was read.
bool readAll(std::string_view text, std::from_chars_result result) {
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool isHex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' &&
         (text[1] == 'x' || text[1] == 'X');
}

MaybeFailure storeInteger(CommDataType type, void *data,
                          std::string_view text) {
  if (type == COMM_I1 && (text == "true" || text == "false")) {
    store<uint8_t>(data, text == "true");
    return std::nullopt;
  }
  constexpr std::string_view kind = "an integer";
  std::string_view digits = text;
  bool negative = !digits.empty() && digits[0] == '-';
  if (negative)
    digits.remove_prefix(1);
  bool hex = isHex(digits);
  if (hex)
    digits.remove_prefix(2);
  uint64_t magnitude;
  auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), magnitude, hex ? 16 : 10);
  if (end != digits.data() + digits.size() || digits.empty() ||
      error == std::errc::invalid_argument)
    return unexpected(type, text, type == COMM_I1 ? "true or false" : kind);
  // As in MLIR, a signless integer takes what fits as signed or as unsigned.
  unsigned width = getBitWidth(type);
  uint64_t largest = width == 64 ? UINT64_MAX : (uint64_t(1) << width) - 1;
  uint64_t smallest = type == COMM_I1 ? 0 : uint64_t(1) << (width - 1);
  if (error != std::errc() || magnitude > (negative ? smallest : largest))
    return unexpected(type, text,
                      (negative ? "at least -" : "at most ") +
                          std::to_string(negative ? smallest : largest));
  storeInt64(type, data,
             static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  return std::nullopt;
}

MaybeFailure storeFloat(CommDataType type, void *data, std::string_view text) {
  if (isHex(text)) {
    uint64_t bits;
    std::string_view digits = text.substr(2);
    auto result =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    unsigned width = getBitWidth(type);
    if (!readAll(digits, result) || (width < 64 && bits >> width))
      return unexpected(type, text,
                        "a bit pattern of at most " +
                            std::to_string(width / 4) + " hexadecimal digits");
    std::memcpy(data, &bits, getByteSize(type));
    return std::nullopt;
  }
  // from_chars knows neither a plus sign nor that what overflows is infinite.
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-')
    digits.remove_prefix(1);
  auto read = [&](auto &value) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), value);
  };
  // f32 is read as such: a detour through f64 would round twice.
  float single = 0;
  double number = 0;
  std::from_chars_result result =
      type == COMM_F32 ? read(single) : read(number);
  if (result.ec == std::errc::invalid_argument ||
      result.ptr != digits.data() + digits.size() ||
      digits.find('(') != std::string_view::npos)
    return unexpected(type, text, "a number");
  if (type == COMM_F32)
    store(data, single);
  else
    storeDouble(type, data, number);
  bool named = digits.find_first_of("iI") != std::string_view::npos;
  if (result.ec != std::errc() ||
      (std::isinf(loadDouble(type, data)) && !named))
    return unexpected(type, text, "a number in its range");
  return std::nullopt;
}

template <typename T>
std::string formatShortest(T value) {
  char buffer[32];
  auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

} // namespace

std::optional<CommDataType>
mlir::comm::runner::getTypeByName(std::string_view name) {
  if (name == "index")
    return COMM_I64;
  for (int type = COMM_F16; type <= COMM_I64; ++type)
    if (getName(static_cast<CommDataType>(type)) == name)
      return static_cast<CommDataType>(type);
  return std::nullopt;
}

double mlir::comm::runner::loadDouble(CommDataType type, const void *data) {
  switch (type) {
  case COMM_F16:
    return runtime::toFloat(load<runtime::Half>(data));
  case COMM_BF16:
    return runtime::toFloat(load<runtime::BFloat>(data));
  case COMM_F32:
    return load<float>(data);
  case COMM_F64:
    return load<double>(data);
  default:
    return static_cast<double>(loadInt64(type, data));
  }
}

int64_t mlir::comm::runner::loadInt64(CommDataType type, const void *data) {
  switch (type) {
  case COMM_I1:
    return load<uint8_t>(data) & 1;
  case COMM_I8:
    return load<int8_t>(data);
  case COMM_I16:
    return load<int16_t>(data);
  case COMM_I32:
    return load<int32_t>(data);
  case COMM_I64:
    return load<int64_t>(data);
  default:
    break;
  }
  double value = loadDouble(type, data);
  return value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : 0;
}

void mlir::comm::runner::storeDouble(CommDataType type, void *data,
                                     double value) {
  switch (type) {
  case COMM_F16:
    return store(data, runtime::toHalf(roundToOdd(value)));
  case COMM_BF16:
    return store(data, runtime::toBFloat(roundToOdd(value)));
  case COMM_F32:
    return store(data, static_cast<float>(value));
  case COMM_F64:
    return store(data, value);
  default:
    return storeInt64(type, data, loadInt64(COMM_F64, &value));
  }
}

void mlir::comm::runner::storeInt64(CommDataType type, void *data,
                                    int64_t value) {
  switch (type) {
  case COMM_I1:
    return store(data, static_cast<uint8_t>(value & 1));
  case COMM_I8:
    return store(data, static_cast<int8_t>(value));
  case COMM_I16:
    return store(data, static_cast<int16_t>(value));
  case COMM_I32:
    return store(data, static_cast<int32_t>(value));
  case COMM_I64:
    return store(data, value);
  case COMM_F32:
    return store(data, static_cast<float>(value));
  default:
    return storeDouble(type, data, static_cast<double>(value));
  }
}

MaybeFailure mlir::comm::runner::storeLiteral(CommDataType type, void *data,
                                              std::string_view text) {
  return isFloat(type) ? storeFloat(type, data, text)
                       : storeInteger(type, data, text);
}

std::string mlir::comm::runner::formatElement(CommDataType type,
                                              const void *data) {
  if (type == COMM_I1)
    return load<uint8_t>(data) & 1 ? "true" : "false";
  if (!isFloat(type))
    return std::to_string(loadInt64(type, data));
  double value = loadDouble(type, data);
  if (std::isnan(value))
    return "nan";
  if (type == COMM_F64)
    return formatShortest(value);
  if (type == COMM_F32 || std::isinf(value))
    return formatShortest(static_cast<float>(value));
  // Halves: the first precision that reads back to the same 16 bits.
  char buffer[32];
  for (int digits = 1;; ++digits) {
    auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                             std::chars_format::general, digits)
                   .ptr;
    double read = 0;
    std::from_chars(buffer, end, read);
    uint16_t bits;
    storeDouble(type, &bits, read);
    if (bits != load<uint16_t>(data))
      continue;
    // Fewest digits found; let to_chars choose the shorter of 4e+01 and 40.
    return formatShortest(read);
  }
}
