//===- PtxCompare.cpp - Comparisons and selections of PTX -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFloat.h"

#include <iterator>

using namespace ptx;

namespace {

enum Comparison : uint16_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // True where one is NaN.
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

constexpr std::string_view kComparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                             "ge",  "equ", "neu", "ltu", "leu",
                                             "gtu", "geu", "num", "nan"};

/// The comparison of setp and set, what it is combined with, and .ftz, as
/// Instruction::flags holds them.
enum : uint16_t {
  kComparison = 0xf,
  kAnd = 1 << 4,
  kOr = 2 << 4,
  kXor = 3 << 4,
  kCombine = 3 << 4,
  kNegate = 1 << 6,
  kFtz = 1 << 7,
};

template <class T>
bool isTrue(uint16_t comparison, T a, T b) {
  bool isNan = a != a || b != b;
  switch (comparison) {
  case Eq:
    return a == b;
  case Ne:
    return !isNan && a != b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Equ:
    return isNan || a == b;
  case Neu:
    return a != b;
  case Ltu:
    return isNan || a < b;
  case Leu:
    return isNan || a <= b;
  case Gtu:
    return isNan || a > b;
  case Geu:
    return isNan || a >= b;
  case Num:
    return !isNan;
  default:
    return isNan;
  }
}

bool combine(Thread &thread, const Instruction &i, bool value) {
  if (!(i.flags & kCombine))
    return value;
  bool c = (thread.slots[i.c] != 0) != bool(i.flags & kNegate);
  switch (i.flags & kCombine) {
  case kAnd:
    return value && c;
  case kOr:
    return value || c;
  default:
    return value != c;
  }
}

/// How the operands of a comparison are read.
template <class T>
struct Plain {
  using Value = T;
  static constexpr unsigned bits = 8 * sizeof(T);
  static Value read(uint64_t slot, const Instruction &) { return get<T>(slot); }
};

template <const Format &format>
struct Widened {
  using Value = double;
  static constexpr unsigned bits = format.bits;
  static Value read(uint64_t slot, const Instruction &i) {
    FloatFlags flags;
    if (i.flags & kFtz)
      flags.add(FloatFlags::Ftz);
    return widenFlushed(format, slot, flags);
  }
};

template <class Reader>
bool compareLane(Thread &thread, const Instruction &i, unsigned lane) {
  unsigned shift = lane * Reader::bits;
  return isTrue(i.flags & kComparison,
                Reader::read(thread.slots[i.a] >> shift, i),
                Reader::read(thread.slots[i.b] >> shift, i));
}

/// p|q = a < b and c | !(a < b) and c; of packed types, p|q are of the lanes.
template <class Reader>
void setPredicate(Thread &thread, const Instruction &i) {
  bool first = compareLane<Reader>(thread, i, 0);
  bool second = !first;
  if constexpr (Reader::bits == 16)
    if (i.count == 2)
      second = compareLane<Reader>(thread, i, 1);
  bool p = combine(thread, i, first);
  bool q = combine(thread, i, second);
  if (i.d)
    thread.slots[i.d] = p;
  if (i.e)
    thread.slots[i.e] = q;
}

/// `immediate`: true in a lane of the result.
template <class Reader>
void setValue(Thread &thread, const Instruction &i) {
  uint64_t result = 0;
  if constexpr (Reader::bits == 16) {
    for (unsigned lane = 0; lane < i.count; ++lane)
      if (combine(thread, i, compareLane<Reader>(thread, i, lane)))
        result |= i.immediate << (16 * lane);
  } else if (combine(thread, i, compareLane<Reader>(thread, i, 0))) {
    result = i.immediate;
  }
  thread.slots[i.d] = result;
}

template <template <class> class Choice>
Execute selectReader(Type type, bool flushes) {
  if (type.kind == Kind::Brain)
    return Choice<Widened<kBF16>>::execute;
  if (type.isFloat() && type.bits == 16)
    return Choice<Widened<kF16>>::execute;
  if (type == F32)
    return flushes ? Choice<Widened<kF32>>::execute
                   : Choice<Plain<float>>::execute;
  if (type.isFloat())
    return Choice<Plain<double>>::execute;
  return forInteger(
      type, [](auto tag) { return Choice<Plain<decltype(tag)>>::execute; });
}

template <class Reader>
struct SetPredicate {
  static constexpr Execute execute = setPredicate<Reader>;
};

template <class Reader>
struct SetValue {
  static constexpr Execute execute = setValue<Reader>;
};

/// .lt.and.ftz: what is compared and combined.
uint16_t takeComparison(Decoder &decoder) {
  uint16_t flags = 0;
  // Those of unsigned integers have names of their own.
  std::string_view other = decoder.takeOptional({"lo", "ls", "hi", "hs"});
  if (!other.empty()) {
    flags = other == "lo" ? Lt : other == "ls" ? Le : other == "hi" ? Gt : Ge;
  } else {
    std::string_view name =
        decoder.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                           "ltu", "leu", "gtu", "geu", "num", "nan"});
    while (kComparisons[flags] != name)
      ++flags;
  }
  if (decoder.take("and"))
    flags |= kAnd;
  else if (decoder.take("or"))
    flags |= kOr;
  else if (decoder.take("xor"))
    flags |= kXor;
  if (decoder.take("ftz"))
    flags |= kFtz;
  return flags;
}

/// a, b and, where something is combined, c.
void decodeCompared(Decoder &decoder, Type type) {
  Instruction &i = decoder.instruction;
  if (type.isInteger() || type.kind == Kind::Bits)
    if ((i.flags & kComparison) > Ge)
      decoder.fail("comparison of floats");
  decoder.expectOperands(i.flags & kCombine ? 4 : 3);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, type);
  i.count = type.lanes;
  if (i.flags & kCombine) {
    bool isNegated = false;
    i.c = decoder.getPredicate(decoder.getOperand(3), isNegated);
    i.flags |= isNegated ? kNegate : 0;
  }
}

void decodeSetPredicate(Decoder &decoder) {
  Instruction &i = decoder.instruction;
  i.flags = takeComparison(decoder);
  Type type = decoder.takeType();
  decodeCompared(decoder, type);
  const Operand &result = decoder.getOperand(0);
  bool isPair = result.kind == Operand::Pair;
  if (type.lanes == 2 && !isPair)
    decoder.fail("expected two predicates");
  const Operand &p = isPair ? result.parts[0] : result;
  if (p.kind != Operand::Sink)
    i.d = decoder.getResult(p, 1);
  if (isPair && result.parts[1].kind != Operand::Sink)
    i.e = decoder.getResult(result.parts[1], 1);
  i.execute = selectReader<SetPredicate>(type, i.flags & kFtz);
}

void decodeSet(Decoder &decoder) {
  Instruction &i = decoder.instruction;
  i.flags = takeComparison(decoder);
  Type result = decoder.takeType();
  Type type = decoder.takeType();
  if (type.lanes != result.lanes &&
      !(type.lanes == 2 && result.getWidth() == 32 && result.isInteger()))
    decoder.fail("unexpected type of the result");
  decodeCompared(decoder, type);
  i.d = decoder.getResult(0, result);
  unsigned lane = result.getWidth() / type.lanes;
  i.immediate = result.isFloat()
                    ? roundTo(getFormat(result), 1, Rounding::NearestEven)
                : lane == 64 ? ~uint64_t(0)
                             : (uint64_t(1) << lane) - 1;
  i.execute = selectReader<SetValue>(type, i.flags & kFtz);
}

void selectValue(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = thread.slots[thread.slots[i.c] ? i.a : i.b];
}

void decodeSelp(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(4);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, type);
  i.c = decoder.getValue(3, Pred);
  i.execute = selectValue;
}

/// a where c >= 0, which no NaN is.
template <class Reader>
void selectBySign(Thread &thread, const Instruction &i) {
  bool isFirst = Reader::read(thread.slots[i.c], i) >= 0;
  thread.slots[i.d] = thread.slots[isFirst ? i.a : i.b];
}

void decodeSlct(Decoder &decoder) {
  Instruction &i = decoder.instruction;
  if (decoder.take("ftz"))
    i.flags = kFtz;
  Type type = decoder.takeType();
  Type sign = decoder.takeType();
  decoder.expectOperands(4);
  i.d = decoder.getResult(0, type);
  i.a = decoder.getValue(1, type);
  i.b = decoder.getValue(2, type);
  i.c = decoder.getValue(3, sign);
  if (sign == F32)
    i.execute = selectBySign<Widened<kF32>>;
  else if (sign == Type{Kind::Signed, 32})
    i.execute = selectBySign<Plain<int32_t>>;
}

enum Test : uint16_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal
};

void test(Thread &thread, const Instruction &i) {
  uint64_t bits = thread.slots[i.a];
  const Format &format = i.immediate == 32 ? kF32 : kF64;
  double value = widen(format, bits);
  bool isSubnormal = format.isSubnormal(bits);
  bool result = false;
  switch (i.flags) {
  case Finite:
    result = std::isfinite(value);
    break;
  case Infinite:
    result = std::isinf(value);
    break;
  case Number:
    result = !std::isnan(value);
    break;
  case NotANumber:
    result = std::isnan(value);
    break;
  case Normal:
    result = std::isfinite(value) && value != 0 && !isSubnormal;
    break;
  default:
    result = isSubnormal;
    break;
  }
  thread.slots[i.d] = result;
}

void decodeTest(Decoder &decoder) {
  constexpr std::string_view names[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
  std::string_view name = decoder.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  Instruction &i = decoder.instruction;
  while (names[i.flags] != name)
    ++i.flags;
  Type type = decoder.takeType();
  if (!type.isFloat() || type.bits < 32 || type.lanes != 1)
    decoder.fail("expected .f32 or .f64");
  decoder.expectOperands(2);
  i.d = decoder.getResult(0, Pred);
  i.a = decoder.getValue(1, type);
  i.immediate = type.bits;
  i.execute = test;
}

} // namespace

void ptx::addComparisons(DecodeTable &table) {
  table["setp"] = decodeSetPredicate;
  table["set"] = decodeSet;
  table["selp"] = decodeSelp;
  table["slct"] = decodeSlct;
  table["testp"] = decodeTest;
}
