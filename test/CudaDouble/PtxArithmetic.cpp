//===- PtxArithmetic.cpp - Integer arithmetic of PTX ----------------------===//
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

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return T(Unsigned<T>(a) + Unsigned<T>(b));
  }
};

struct Sub {
  template <class T>
  static T apply(T a, T b) {
    return T(Unsigned<T>(a) - Unsigned<T>(b));
  }
};

template <class T>
T clampToType(Wide<T> value) {
  return T(std::clamp<Wide<T>>(value, std::numeric_limits<T>::min(),
                               std::numeric_limits<T>::max()));
}

struct AddSaturating {
  template <class T>
  static T apply(T a, T b) {
    return clampToType<T>(Wide<T>(a) + Wide<T>(b));
  }
};

struct SubSaturating {
  template <class T>
  static T apply(T a, T b) {
    return clampToType<T>(Wide<T>(a) - Wide<T>(b));
  }
};

// The GPU gives something for a division by zero, PTX does not say what.
template <class T>
void checkDivisor(T b) {
  if (b == 0)
    throw Fault("integer division by zero");
}

struct Div {
  template <class T>
  static T apply(T a, T b) {
    checkDivisor(b);
    return b == T(-1) && std::is_signed_v<T> ? Sub::apply(T(0), a) : T(a / b);
  }
};

struct Rem {
  template <class T>
  static T apply(T a, T b) {
    checkDivisor(b);
    return b == T(-1) && std::is_signed_v<T> ? T(0) : T(a % b);
  }
};

struct Min {
  template <class T>
  static T apply(T a, T b) {
    return std::min(a, b);
  }
};

struct Max {
  template <class T>
  static T apply(T a, T b) {
    return std::max(a, b);
  }
};

struct Neg {
  template <class T>
  static T apply(T a) {
    return Sub::apply(T(0), a);
  }
};

struct Abs {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};

/// |a - b| + c
struct Sad {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(a < b ? Sub::apply(b, a) : Sub::apply(a, b), c);
  }
};

template <class Operation, class Saturating, FloatOperation ofFloats>
void decodeSum(Decoder &decoder);

/// d = a + b, and a carry (or borrow) out; `withCarryIn` takes one in.
template <class T, bool isSub, bool carryIn, bool carryOut>
void sumWithCarry(Thread &thread, const Instruction &i) {
  using U = Unsigned<T>;
  U a = get<U>(thread.slots[i.a]);
  U b = get<U>(thread.slots[i.b]);
  Wide<U> in = carryIn && thread.carry;
  Wide<U> sum = isSub ? Wide<U>(a) - b - in : Wide<U>(a) + b + in;
  thread.slots[i.d] = put(U(sum));
  if (carryOut)
    thread.carry = (sum >> (8 * sizeof(U))) != 0;
}

template <bool isSub, bool carryIn>
void decodeCarry(Decoder &decoder, bool carryOut) {
  Type type = decoder.takeType();
  decodeOperands(decoder, type, 2);
  if (type.bits < 32 || type.isFloat())
    decoder.fail("expected 32 or 64 bits");
  decoder.instruction.execute = forInteger(type, [&](auto tag) {
    using T = decltype(tag);
    return carryOut ? &sumWithCarry<T, isSub, carryIn, true>
                    : &sumWithCarry<T, isSub, carryIn, false>;
  });
}

template <class Operation, class Saturating, FloatOperation ofFloats>
void decodeSum(Decoder &decoder) {
  constexpr bool isSub = std::is_same_v<Operation, Sub>;
  if (decoder.take("cc"))
    return decodeCarry<isSub, false>(decoder, /*carryOut=*/true);
  Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloat(decoder, ofFloats, type);
  if (!type.isInteger())
    decoder.fail("expected an integer type");
  if (!decoder.take("sat"))
    return decodeBinary<Operation>(decoder, type);
  if (type != Type{Kind::Signed, 32})
    decoder.fail("expected .s32 with .sat");
  decodeBinary<Saturating>(decoder, type);
}

template <bool isSub>
void decodeSumWithCarry(Decoder &decoder) {
  decodeCarry<isSub, true>(decoder, decoder.take("cc"));
}

/// An operation of two operands on integers or floats.
template <class Operation, FloatOperation ofFloats>
void decodeEither(Decoder &decoder) {
  Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloat(decoder, ofFloats, type);
  if (!type.isInteger())
    decoder.fail("expected an integer type");
  decodeBinary<Operation>(decoder, type);
}

template <class Operation, FloatOperation ofFloats>
void decodeSign(Decoder &decoder) {
  Type type = decoder.takeType();
  if (type.isFloat())
    return decodeFloat(decoder, ofFloats, type);
  if (!type.isSigned())
    decoder.fail("expected a signed type");
  decodeUnary<Operation>(decoder, type);
}

void decodeRem(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!type.isInteger() || type.lanes != 1)
    decoder.fail("expected an integer type");
  decodeBinary<Rem>(decoder, type);
}

void decodeSad(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!type.isInteger())
    decoder.fail("expected an integer type");
  decodeTernary<Sad>(decoder, type);
}

} // namespace

void ptx::addArithmetic(DecodeTable &table) {
  table["add"] = decodeSum<Add, AddSaturating, FloatOperation::Add>;
  table["sub"] = decodeSum<Sub, SubSaturating, FloatOperation::Sub>;
  table["addc"] = decodeSumWithCarry</*isSub=*/false>;
  table["subc"] = decodeSumWithCarry</*isSub=*/true>;
  table["div"] = decodeEither<Div, FloatOperation::Div>;
  table["min"] = decodeEither<Min, FloatOperation::Min>;
  table["max"] = decodeEither<Max, FloatOperation::Max>;
  table["rem"] = decodeRem;
  table["abs"] = decodeSign<Abs, FloatOperation::Abs>;
  table["neg"] = decodeSign<Neg, FloatOperation::Neg>;
  table["sad"] = decodeSad;
}
