//===- PtxWideArithmetic.cpp - Integer products of PTX --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxOperations.h"

#include <algorithm>
#include <limits>

using namespace ptx;

namespace {

template <class T>
T getHigh(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
}

template <class T>
T getLow(T a, T b) {
  return T(Wide<Unsigned<T>>(Unsigned<T>(a)) * Unsigned<T>(b));
}

template <class T>
T getSum(T a, T b) {
  return T(Unsigned<T>(a) + Unsigned<T>(b));
}

struct MulLow {
  template <class T>
  static T apply(T a, T b) {
    return getLow(a, b);
  }
};

struct MulHigh {
  template <class T>
  static T apply(T a, T b) {
    return getHigh(a, b);
  }
};

struct MadLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return getSum(getLow(a, b), c);
  }
};

struct MadHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return getSum(getHigh(a, b), c);
  }
};

struct MadHighSaturating {
  template <class T>
  static T apply(T a, T b, T c) {
    return T(std::clamp<Wide<T>>(Wide<T>(getHigh(a, b)) + c,
                                 std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max()));
  }
};

template <class T>
void mulWide(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  slots[i.d] = put(Wide<T>(Wide<T>(get<T>(slots[i.a])) * get<T>(slots[i.b])));
}

template <class T>
void madWide(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  Wide<T> product = Wide<T>(get<T>(slots[i.a])) * get<T>(slots[i.b]);
  slots[i.d] = put(getSum(product, get<Wide<T>>(slots[i.c])));
}

/// The low or high half of a * b, plus c, with the carries.
template <class T, bool isHigh, bool carryIn, bool carryOut>
void madWithCarry(Thread &thread, const Instruction &i) {
  using U = Unsigned<T>;
  uint64_t *slots = thread.slots;
  T a = get<T>(slots[i.a]);
  T b = get<T>(slots[i.b]);
  U product = U(isHigh ? getHigh(a, b) : getLow(a, b));
  Wide<U> sum =
      Wide<U>(product) + get<U>(slots[i.c]) + Wide<U>(carryIn && thread.carry);
  slots[i.d] = put(U(sum));
  if (carryOut)
    thread.carry = (sum >> (8 * sizeof(U))) != 0;
}

template <bool carryIn, bool carryOut>
void decodeMadWithCarry(Decoder &decoder) {
  bool isHigh = decoder.takeOneOf({"lo", "hi"}) == "hi";
  Type type = decoder.takeType();
  if (!type.isInteger() || type.bits < 32)
    decoder.fail("expected integers of 32 or 64 bits");
  decodeOperands(decoder, type, 3);
  decoder.instruction.execute = forInteger(type, [&](auto tag) {
    using T = decltype(tag);
    return isHigh ? &madWithCarry<T, true, carryIn, carryOut>
                  : &madWithCarry<T, false, carryIn, carryOut>;
  });
}

Type getWide(Decoder &decoder, Type type) {
  if (type.bits != 16 && type.bits != 32)
    decoder.fail("expected 16 or 32 bits with .wide");
  return {type.kind, uint8_t(2 * type.bits)};
}

void decodeWide(Decoder &decoder, Type type, bool isMad) {
  decoder.expectOperands(isMad ? 4 : 3);
  Type wide = getWide(decoder, type);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, wide);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, type);
  if (isMad)
    i.c = decoder.getValue(3, wide);
  auto select = [&](auto tag) -> Execute {
    using T = decltype(tag);
    return isMad ? &madWide<T> : &mulWide<T>;
  };
  if (type.bits == 16)
    i.execute = type.isSigned() ? select(int16_t()) : select(uint16_t());
  else
    i.execute = type.isSigned() ? select(int32_t()) : select(uint32_t());
}

void decodeMul(Decoder &decoder) {
  Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloat(decoder, FloatOperation::Mul, type);
  if (!type.isInteger())
    decoder.fail("expected an integer type");
  std::string_view part = decoder.takeOneOf({"lo", "hi", "wide"});
  if (part == "wide")
    decodeWide(decoder, type, /*isMad=*/false);
  else if (part == "lo")
    decodeBinary<MulLow>(decoder, type);
  else
    decodeBinary<MulHigh>(decoder, type);
}

void decodeMad(Decoder &decoder) {
  if (decoder.take("cc"))
    return decodeMadWithCarry<false, true>(decoder);
  Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloat(decoder, FloatOperation::Fma, type);
  if (!type.isInteger())
    decoder.fail("expected an integer type");
  std::string_view part = decoder.takeOneOf({"lo", "hi", "wide"});
  bool isSaturating = decoder.take("sat");
  if (isSaturating && (part != "hi" || type != Type{Kind::Signed, 32}))
    decoder.fail("expected .hi.s32 with .sat");
  if (part == "wide")
    decodeWide(decoder, type, /*isMad=*/true);
  else if (part == "lo")
    decodeTernary<MadLow>(decoder, type);
  else if (isSaturating)
    decodeTernary<MadHighSaturating>(decoder, type);
  else
    decodeTernary<MadHigh>(decoder, type);
}

void decodeMadc(Decoder &decoder) {
  if (decoder.take("cc"))
    decodeMadWithCarry<true, true>(decoder);
  else
    decodeMadWithCarry<true, false>(decoder);
}

/// Factors are the low 24 bits; the part of the 48 bits that is given.
template <class T, bool isHigh>
void mul24(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  auto narrow = [](T value) { return T(Unsigned<T>(value) << 8) >> 8; };
  Wide<T> product =
      Wide<T>(narrow(get<T>(slots[i.a]))) * narrow(get<T>(slots[i.b]));
  T part = T(isHigh ? product >> 16 : product);
  slots[i.d] = put(i.flags ? getSum(part, get<T>(slots[i.c])) : part);
}

template <bool isMad>
void decode24(Decoder &decoder) {
  bool isHigh = decoder.takeOneOf({"lo", "hi"}) == "hi";
  Type type = decoder.takeType();
  if (!type.isInteger() || type.bits != 32)
    decoder.fail("expected .u32 or .s32");
  decodeOperands(decoder, type, isMad ? 3 : 2);
  decoder.instruction.flags = isMad;
  if (type.isSigned())
    decoder.instruction.execute =
        isHigh ? &mul24<int32_t, true> : &mul24<int32_t, false>;
  else
    decoder.instruction.execute =
        isHigh ? &mul24<uint32_t, true> : &mul24<uint32_t, false>;
}

/// Which parts of a and b are signed, and the first of the bytes of b.
enum ProductFlags : uint16_t { SignedA = 1, SignedB = 2, Upper = 4 };

/// d = c + the sum of the products of the parts of a, and as many bytes of b.
template <unsigned count>
void sumProducts(Thread &thread, const Instruction &i) {
  constexpr unsigned bits = 32 / count;
  uint32_t a = uint32_t(thread.slots[i.a]), b = uint32_t(thread.slots[i.b]);
  uint32_t sum = uint32_t(thread.slots[i.c]);
  auto getPart = [&](uint32_t value, unsigned width, unsigned part, bool sign) {
    uint32_t top = value << (32 - width * (part + 1));
    return sign ? uint32_t(int32_t(top) >> (32 - width)) : top >> (32 - width);
  };
  for (unsigned part = 0; part < count; ++part)
    sum += getPart(a, bits, part, i.flags & SignedA) *
           getPart(b, 8, part + (i.flags & Upper ? 2 : 0), i.flags & SignedB);
  thread.slots[i.d] = sum;
}

template <unsigned count>
void decodeProducts(Decoder &decoder) {
  uint16_t flags = 0;
  if (count == 2 && decoder.takeOneOf({"lo", "hi"}) == "hi")
    flags |= Upper;
  for (uint16_t sign : {SignedA, SignedB}) {
    Type type = decoder.takeType();
    if (!type.isInteger() || type.bits != 32)
      decoder.fail("expected .u32 or .s32");
    if (type.isSigned())
      flags |= sign;
  }
  decodeOperands(decoder, Type{Kind::Unsigned, 32}, 3);
  decoder.instruction.flags = flags;
  decoder.instruction.execute = &sumProducts<count>;
}

} // namespace

void ptx::addWideArithmetic(DecodeTable &table) {
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["madc"] = decodeMadc;
  table["dp2a"] = decodeProducts<2>;
  table["dp4a"] = decodeProducts<4>;
  table["mul24"] = decode24</*isMad=*/false>;
  table["mad24"] = decode24</*isMad=*/true>;
}
