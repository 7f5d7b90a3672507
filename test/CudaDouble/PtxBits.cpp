//===- PtxBits.cpp - Logic, shifts and bit fields of PTX ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxOperations.h"

#include <algorithm>

using namespace ptx;

namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};

struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};

struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};

/// Predicates are 0 or 1, so that they are as good as integers here.
template <class Operation>
void decodeLogic(Decoder &decoder) {
  Type type = decoder.takeType();
  decodeOperands(decoder, type, 2);
  if (type.isPredicate() || type.kind == Kind::Bits)
    decoder.instruction.execute = binary<Operation, uint64_t>;
}

void invert(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = ~thread.slots[i.a] & i.immediate;
}

void invertAll(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = thread.slots[i.a] == 0;
}

/// The ones of a register of the type.
uint64_t getMask(Type type) {
  unsigned bits = type.getWidth();
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

template <Execute execute>
void decodeNot(Decoder &decoder) {
  Type type = decoder.takeType();
  decodeOperands(decoder, type, 1);
  decoder.instruction.immediate = getMask(type);
  if (type.isPredicate() || type.kind == Kind::Bits)
    decoder.instruction.execute = execute;
}

/// Amounts of the width and more shift everything out.
struct ShiftLeft {
  template <class T>
  static T apply(T a, uint32_t by) {
    return by >= 8 * sizeof(T) ? 0 : T(Wide<Unsigned<T>>(Unsigned<T>(a)) << by);
  }
};

struct ShiftRight {
  template <class T>
  static T apply(T a, uint32_t by) {
    uint32_t most = 8 * sizeof(T) - 1;
    if (by > most)
      return std::is_signed_v<T> ? T(a >> most) : T(0);
    return T(a >> by);
  }
};

template <class Operation, class T>
void shift(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  slots[i.d] = put(
      Operation::template apply<T>(get<T>(slots[i.a]), uint32_t(slots[i.b])));
}

template <class Operation>
void decodeShift(Decoder &decoder) {
  Type type = decoder.takeType();
  if (type.isFloat() || type.isPredicate())
    decoder.fail("expected a type of bits");
  decoder.expectOperands(3);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, U32);
  i.execute = forInteger(
      type, [](auto tag) { return &shift<Operation, decltype(tag)>; });
}

/// The high (left) or low (right) half of b:a, shifted by c.
template <bool isLeft>
void funnelShift(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  uint32_t by = uint32_t(slots[i.c]);
  by = i.flags ? std::min(by, 32u) : by % 32;
  uint64_t both = (slots[i.b] << 32) | slots[i.a];
  slots[i.d] = isLeft ? (both << by) >> 32 : (both >> by) & 0xffffffff;
}

void decodeFunnelShift(Decoder &decoder) {
  bool isLeft = decoder.takeOneOf({"l", "r"}) == "l";
  decoder.instruction.flags = decoder.takeOneOf({"clamp", "wrap"}) == "clamp";
  Type type = decoder.takeType();
  if (type != B32)
    decoder.fail("expected .b32");
  decodeOperands(decoder, type, 3);
  decoder.instruction.execute = isLeft ? funnelShift<true> : funnelShift<false>;
}

/// `length` bits from `start` on; signed ones repeat the last of them.
template <class T>
void extract(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  using U = Unsigned<T>;
  constexpr uint32_t width = 8 * sizeof(T);
  U a = get<U>(slots[i.a]);
  uint32_t start = slots[i.b] & 0xff;
  uint32_t length = slots[i.c] & 0xff;
  U sign = 0;
  if (std::is_signed_v<T> && length)
    sign = (a >> std::min(start + length - 1, width - 1)) & 1;
  U result = sign ? U(-1) : U(0);
  for (uint32_t k = 0; k < std::min(length, width); ++k) {
    U bit = start + k < width ? (a >> (start + k)) & 1 : sign;
    result = (result & ~(U(1) << k)) | bit << k;
  }
  slots[i.d] = put(result);
}

void decodeExtract(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!type.isInteger() || type.bits < 32)
    decoder.fail("expected integers of 32 or 64 bits");
  decoder.expectOperands(4);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, U32);
  i.c = decoder.getValue(3, U32);
  i.execute =
      forInteger(type, [](auto tag) { return &extract<decltype(tag)>; });
}

/// b with `length` bits of a at `start`.
template <class T>
void insert(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  T result = get<T>(slots[i.b]);
  T a = get<T>(slots[i.a]);
  uint32_t start = slots[i.c] & 0xff;
  uint32_t length = slots[i.e] & 0xff;
  for (uint32_t k = 0; k < length && start + k < 8 * sizeof(T); ++k)
    result = (result & ~(T(1) << (start + k))) | ((a >> k) & 1) << (start + k);
  slots[i.d] = put(result);
}

void decodeInsert(Decoder &decoder) {
  Type type = decoder.takeType();
  if (type.kind != Kind::Bits || type.bits < 32)
    decoder.fail("expected .b32 or .b64");
  decoder.expectOperands(5);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, type);
  i.c = decoder.getValue(3, U32);
  i.e = decoder.getValue(4, U32);
  i.execute = type.bits == 32 ? insert<uint32_t> : insert<uint64_t>;
}

/// The leading zeros of a value of `width` bits.
uint32_t countLeadingZeros(uint64_t value, uint32_t width) {
  return value ? __builtin_clzll(value) - (64 - width) : width;
}

template <uint32_t width>
void clz(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = countLeadingZeros(thread.slots[i.a], width);
}

void popc(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = __builtin_popcountll(thread.slots[i.a]);
}

/// The highest bit that is not the sign; all ones where there is none.
template <class T>
void bfind(Thread &thread, const Instruction &i) {
  T a = get<T>(thread.slots[i.a]);
  uint64_t bits = put(T(a < 0 ? ~a : a));
  constexpr uint32_t width = 8 * sizeof(T);
  uint32_t zeros = countLeadingZeros(bits, width);
  uint32_t found = i.flags ? zeros : width - 1 - zeros;
  thread.slots[i.d] = bits ? found : 0xffffffff;
}

template <class T>
void brev(Thread &thread, const Instruction &i) {
  T result = 0;
  T a = get<T>(thread.slots[i.a]);
  for (size_t k = 0; k < 8 * sizeof(T); ++k)
    result |= ((a >> k) & 1) << (8 * sizeof(T) - 1 - k);
  thread.slots[i.d] = put(result);
}

/// d is a count, of 32 bits.
void decodeCount(Decoder &decoder, Type type) {
  if (type.bits < 32 || type.isFloat() || type.lanes != 1)
    decoder.fail("expected 32 or 64 bits");
  decoder.expectOperands(2);
  decoder.instruction.d = decoder.getResult(0, U32);
  decoder.instruction.a = decoder.getValue(1, type);
}

void decodeClz(Decoder &decoder) {
  Type type = decoder.takeType();
  decodeCount(decoder, type);
  decoder.instruction.execute = type.bits == 32 ? clz<32> : clz<64>;
}

void decodePopc(Decoder &decoder) {
  decodeCount(decoder, decoder.takeType());
  decoder.instruction.execute = popc;
}

void decodeBfind(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.instruction.flags = decoder.take("shiftamt");
  decodeCount(decoder, type);
  decoder.instruction.execute =
      forInteger(type, [](auto tag) { return &bfind<decltype(tag)>; });
}

void decodeBrev(Decoder &decoder) {
  Type type = decoder.takeType();
  decodeOperands(decoder, type, 1);
  if (type == B32)
    decoder.instruction.execute = brev<uint32_t>;
  else if (type == Type{Kind::Bits, 64})
    decoder.instruction.execute = brev<uint64_t>;
}

/// Byte k of the result is byte c[4k..4k+2] of b:a, or its sign eight times.
void permute(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  uint64_t both = (slots[i.b] << 32) | slots[i.a];
  uint32_t result = 0;
  for (uint32_t k = 0; k < 4; ++k) {
    uint32_t selector = (slots[i.c] >> (4 * k)) & 0xf;
    auto byte = uint8_t(both >> (8 * (selector & 7)));
    if (selector & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= uint32_t(byte) << (8 * k);
  }
  slots[i.d] = result;
}

void decodePermute(Decoder &decoder) {
  if (decoder.takeType() != B32)
    decoder.fail("expected .b32");
  decodeOperands(decoder, B32, 3);
  decoder.instruction.execute = permute;
}

/// Bit k is bit (a_k, b_k, c_k) of the table.
void lookUp(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  uint32_t result = 0;
  for (uint32_t k = 0; k < 32; ++k) {
    uint32_t index = ((slots[i.a] >> k) & 1) << 2 |
                     ((slots[i.b] >> k) & 1) << 1 | ((slots[i.c] >> k) & 1);
    result |= ((i.immediate >> index) & 1) << k;
  }
  slots[i.d] = result;
}

void decodeLookUp(Decoder &decoder) {
  if (decoder.takeType() != B32)
    decoder.fail("expected .b32");
  decoder.expectOperands(5);
  const Operand &table = decoder.getOperand(4);
  if (table.kind != Operand::Immediate || table.value > 0xff)
    decoder.fail("expected a table of 8 bits");
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, B32);
  i.a = decoder.getValue(1, B32);
  i.b = decoder.getValue(2, B32);
  i.c = decoder.getValue(3, B32);
  i.immediate = table.value;
  i.execute = lookUp;
}

} // namespace

void ptx::addBits(DecodeTable &table) {
  table["and"] = decodeLogic<And>;
  table["or"] = decodeLogic<Or>;
  table["xor"] = decodeLogic<Xor>;
  table["not"] = decodeNot<invert>;
  table["cnot"] = decodeNot<invertAll>;
  table["shl"] = decodeShift<ShiftLeft>;
  table["shr"] = decodeShift<ShiftRight>;
  table["shf"] = decodeFunnelShift;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["clz"] = decodeClz;
  table["popc"] = decodePopc;
  table["bfind"] = decodeBfind;
  table["brev"] = decodeBrev;
  table["prmt"] = decodePermute;
  table["lop3"] = decodeLookUp;
}
