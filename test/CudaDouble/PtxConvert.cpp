//===- PtxConvert.cpp - Conversions of PTX --------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFloat.h"

#include <algorithm>
#include <limits>

using namespace ptx;

namespace {

/// Instruction::immediate of a conversion.
struct Target {
  Type type;
  unsigned registerBits = 0;
  /// .rni and the like, to an integer of the same format.
  bool isIntegral = false;

  Target() = default;
  explicit Target(uint64_t bits)
      : type{Kind(bits & 0xff), uint8_t(bits >> 8)},
        registerBits((bits >> 16) & 0xff), isIntegral(bits >> 24) {}
  uint64_t getBits() const {
    return uint64_t(type.kind) | uint64_t(type.bits) << 8 |
           uint64_t(registerBits) << 16 | uint64_t(isIntegral) << 24;
  }
};

/// Every integer of up to 64 bits.
using Integer = __int128;

struct Range {
  Integer least;
  Integer most;
};

Range getRange(Type type) {
  Integer one = 1;
  if (type.isSigned())
    return {-(one << (type.bits - 1)), (one << (type.bits - 1)) - 1};
  return {0, (one << type.bits) - 1};
}

/// The value in a register, which may be wider than the type.
Integer extend(Type type, Integer value) {
  Integer one = 1;
  value &= (one << type.bits) - 1;
  bool isNegative = type.isSigned() && (value >> (type.bits - 1));
  return isNegative ? value - (one << type.bits) : value;
}

uint64_t truncate(Integer value, unsigned bits) {
  return uint64_t(value) &
         (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
}

/// The source's type of a conversion from integers is in Instruction::flags.
Type getSource(const Instruction &i) {
  return {Kind(i.flags & 0xf), uint8_t(i.flags >> 8)};
}

void integerToInteger(Thread &thread, const Instruction &i) {
  Target target(i.immediate);
  Integer value = extend(getSource(i), thread.slots[i.a]);
  if (i.count) { // .sat
    Range range = getRange(target.type);
    value = std::clamp(value, range.least, range.most);
  }
  thread.slots[i.d] = truncate(extend(target.type, value), target.registerBits);
}

void integerToFloat(Thread &thread, const Instruction &i) {
  Target target(i.immediate);
  Integer value = extend(getSource(i), thread.slots[i.a]);
  const Format &format = getFormat(target.type);
  FloatFlags flags(i.list);
  uint64_t bits =
      roundTo(format, value < 0, uint64_t(value < 0 ? -value : value),
              /*exponent=*/0, flags.rounding());
  thread.slots[i.d] = finish(format, bits, flags);
}

double roundToIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

/// Values out of range become the nearest in it.
Integer clampToRange(double value, Type type) {
  Range range = getRange(type);
  if (value >= 0x1p64)
    return range.most;
  if (value <= -0x1p64)
    return range.least;
  return std::clamp(Integer(value), range.least, range.most);
}

void floatToInteger(Thread &thread, const Instruction &i) {
  Target target(i.immediate);
  FloatFlags flags(i.flags);
  Type source = flags.type();
  double value = widenFlushed(getFormat(source), thread.slots[i.a], flags);
  Integer result = 0;
  if (!std::isnan(value))
    result =
        clampToRange(roundToIntegral(value, flags.rounding()), target.type);
  else if (source.bits == 64 || target.type.bits == 64)
    result = Integer(1) << (target.type.bits - 1);
  thread.slots[i.d] =
      truncate(extend(target.type, result), target.registerBits);
}

uint64_t convertFloat(uint64_t bits, FloatFlags flags, Target target) {
  // .ftz is of .f32 operands and results.
  Type source = flags.type();
  double value = widenFlushed(getFormat(source), bits,
                              source.bits == 32 ? flags : FloatFlags());
  Rounding rounding = flags.rounding();
  if (target.isIntegral) {
    value = roundToIntegral(value, rounding);
    rounding = Rounding::NearestEven;
  }
  const Format &format = getFormat(target.type);
  FloatFlags after;
  if (flags.has(FloatFlags::Ftz) && target.type.bits == 32)
    after.add(FloatFlags::Ftz);
  for (FloatFlags::Flag flag : {FloatFlags::Sat, FloatFlags::Relu})
    if (flags.has(flag))
      after.add(flag);
  return finish(format, roundTo(format, value, rounding), after);
}

void floatToFloat(Thread &thread, const Instruction &i) {
  thread.slots[i.d] =
      convertFloat(thread.slots[i.a], FloatFlags(i.flags), Target(i.immediate));
}

/// The upper half is of a.
void floatsToPacked(Thread &thread, const Instruction &i) {
  FloatFlags flags(i.flags);
  Target target(i.immediate);
  uint64_t high = convertFloat(thread.slots[i.a], flags, target);
  thread.slots[i.d] =
      high << 16 | convertFloat(thread.slots[i.b], flags, target);
}

/// .rni: to an integer; .rn: to what the format holds.
bool takeIntegralRounding(Decoder &decoder, FloatFlags &flags) {
  std::string_view name = decoder.takeOptional({"rni", "rzi", "rmi", "rpi"});
  if (name == "rzi")
    flags.setRounding(Rounding::Zero);
  else if (name == "rmi")
    flags.setRounding(Rounding::Down);
  else if (name == "rpi")
    flags.setRounding(Rounding::Up);
  return !name.empty();
}

void decodeFromInteger(Decoder &decoder, Type source, const Target &target,
                       FloatFlags flags) {
  Instruction &i = decoder.instruction;
  i.flags = uint16_t(source.kind) | uint16_t(source.bits << 8);
  if (target.type.isFloat()) {
    i.list = flags.getBits();
    i.execute = integerToFloat;
  } else {
    i.count = flags.has(FloatFlags::Sat);
    i.execute = integerToInteger;
  }
}

void decodePacked(Decoder &decoder, Type type, Type source, FloatFlags flags) {
  if (source != F32)
    decoder.fail("expected .f32");
  Instruction &i = decoder.instruction;
  decoder.expectOperands(3);
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, source);
  i.b = decoder.getValue(2, source);
  Target target;
  target.type = {type.kind, 16};
  i.immediate = target.getBits();
  i.flags = flags.getBits();
  i.execute = floatsToPacked;
}

void decodeConversion(Decoder &decoder) {
  Type type = decoder.takeType();
  Type source = decoder.takeType();
  FloatFlags flags;
  bool isIntegral = takeIntegralRounding(decoder, flags);
  if (!isIntegral)
    flags = takeFloatFlags(decoder, source);
  FloatFlags rest = takeFloatFlags(decoder, source);
  for (FloatFlags::Flag flag : {FloatFlags::Ftz, FloatFlags::Sat})
    if (rest.has(flag))
      flags.add(flag);
  flags.setType(source);
  if (type.lanes == 2)
    return decodePacked(decoder, type, source, flags);
  if (type.isPredicate() || source.isPredicate() || source.lanes == 2 ||
      type.kind == Kind::Bits || source.kind == Kind::Bits)
    decoder.fail("unexpected type");
  if (source.isFloat() && !type.isFloat() && !isIntegral)
    decoder.fail("expected a rounding to integers");
  decoder.expectOperands(2);
  Instruction &i = decoder.instruction;
  const Operand &result = decoder.getOperand(0);
  i.d = decoder.getResult(result, type.bits, /*mayBeWider=*/!type.isFloat());
  i.a = decoder.getValue(decoder.getOperand(1), source,
                         /*mayBeWider=*/!source.isFloat());
  Target target;
  target.type = type;
  target.registerBits = decoder.getRegisterBits(result);
  target.isIntegral = isIntegral && type.isFloat();
  i.immediate = target.getBits();
  if (!source.isFloat())
    return decodeFromInteger(decoder, source, target, flags);
  i.flags = flags.getBits();
  i.execute = type.isFloat() ? floatToFloat : floatToInteger;
}

} // namespace

void ptx::addConversions(DecodeTable &table) {
  table["cvt"] = decodeConversion;
}
