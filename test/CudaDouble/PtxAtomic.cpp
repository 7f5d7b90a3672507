//===- PtxAtomic.cpp - Atomic instructions of PTX -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFloat.h"

#include <algorithm>

using namespace ptx;

namespace {

template <class T>
T readAs(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// value = Operation(value, b, c)
template <class Operation, class T>
void change(void *value, const void *b, const void *c) {
  T result = Operation::apply(readAs<T>(value), readAs<T>(b), readAs<T>(c));
  std::memcpy(value, &result, sizeof(result));
}

struct And {
  template <class T>
  static T apply(T a, T b, T) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b, T) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b, T) {
    return a ^ b;
  }
};
struct Exchange {
  template <class T>
  static T apply(T, T b, T) {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  static T apply(T a, T b, T c) {
    return a == b ? c : a;
  }
};
struct Add {
  template <class T>
  static T apply(T a, T b, T) {
    if constexpr (std::is_integral_v<T>)
      return T(Unsigned<T>(a) + Unsigned<T>(b));
    else
      return a + b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b, T) {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b, T) {
    return std::max(a, b);
  }
};
/// Wraps to zero above b, and from zero to b.
struct Increment {
  template <class T>
  static T apply(T a, T b, T) {
    return a >= b ? 0 : a + 1;
  }
};
struct Decrement {
  template <class T>
  static T apply(T a, T b, T) {
    return a == 0 || a > b ? b : a - 1;
  }
};

/// Sums of the lanes in the format, each rounded to nearest.
template <const Format &format, unsigned lanes>
void addNarrow(void *value, const void *b, const void *) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto *element = static_cast<uint16_t *>(value) + lane;
    double sum = addOdd(widen(format, *element),
                        widen(format, static_cast<const uint16_t *>(b)[lane]));
    *element = uint16_t(roundTo(format, sum, Rounding::NearestEven));
  }
}

template <class Operation>
Change forBits(Type type) {
  if (type.bits == 16)
    return change<Operation, uint16_t>;
  return type.bits == 32 ? change<Operation, uint32_t>
                         : change<Operation, uint64_t>;
}

template <class Operation>
Change forNumber(Type type) {
  if (!type.isSigned())
    return forBits<Operation>(type);
  return type.bits == 32 ? change<Operation, int32_t>
                         : change<Operation, int64_t>;
}

Change selectAdd(Type type) {
  if (type == F32)
    return change<Add, float>;
  if (type.isFloat() && type.bits == 64)
    return change<Add, double>;
  if (type.kind == Kind::Brain)
    return type.lanes == 2 ? addNarrow<kBF16, 2> : addNarrow<kBF16, 1>;
  if (type.isFloat())
    return type.lanes == 2 ? addNarrow<kF16, 2> : addNarrow<kF16, 1>;
  return forNumber<Add>(type);
}

Change selectChange(Decoder &decoder, std::string_view name, Type type) {
  bool isBits = type.kind == Kind::Bits;
  if (type.bits < 32 && !type.isFloat() &&
      !(isBits && type.bits == 16 && name == "cas"))
    return nullptr;
  if (name == "add")
    return isBits ? nullptr : selectAdd(type);
  if (name == "exch")
    return isBits ? forBits<Exchange>(type) : nullptr;
  if (name == "cas")
    return isBits ? forBits<CompareAndSwap>(type) : nullptr;
  if (name == "and" || name == "or" || name == "xor") {
    if (!isBits)
      return nullptr;
    return name == "and"  ? forBits<And>(type)
           : name == "or" ? forBits<Or>(type)
                          : forBits<Xor>(type);
  }
  if (type.isFloat() || isBits)
    decoder.fail("unexpected type");
  if (name == "min" || name == "max")
    return name == "min" ? forNumber<Min>(type) : forNumber<Max>(type);
  if (type != U32)
    return nullptr;
  return name == "inc" ? forBits<Increment>(type) : forBits<Decrement>(type);
}

/// `list`: which of the changes of the function; `count`: bytes.
void executeAtomic(Thread &thread, const Instruction &i) {
  uint64_t old[2] = {};
  update(thread, Space(i.flags), thread.slots[i.a] + i.immediate, i.count,
         thread.frames.back().function->changes[i.list], old,
         &thread.slots[i.b], &thread.slots[i.c]);
  if (i.d)
    thread.slots[i.d] = old[0];
}

/// Of memory order: threads and kernels run one after the other.
void skipOrder(Decoder &decoder) {
  decoder.takeOptional({"relaxed", "acquire", "release", "acq_rel"});
  decoder.takeOptional({"cta", "cluster", "gpu", "sys"});
  decoder.take("noftz");
}

template <bool hasResult>
void decodeAtomic(Decoder &decoder) {
  skipOrder(decoder);
  std::optional<Space> space = decoder.takeSpace();
  std::string_view name = decoder.takeOneOf(
      {"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  Type type = decoder.takeType();
  size_t address = hasResult ? 1 : 0;
  size_t values = name == "cas" ? 2 : 1;
  decoder.expectOperands(address + 1 + values);
  Instruction &i = decoder.instruction;
  int64_t offset = 0;
  std::optional<Space> spaceOfSymbol;
  i.a = decoder.getAddress(address, offset, spaceOfSymbol);
  if (spaceOfSymbol == Space::Shared && !space)
    decoder.fail("generic access to a variable of shared memory");
  i.immediate = offset;
  i.flags = uint16_t(space ? *space : Space::Generic);
  i.count = type.getBytes();
  if (hasResult && decoder.getOperand(0).kind != Operand::Sink)
    i.d = decoder.getResult(0, type);
  i.b = decoder.getValue(address + 1, type);
  if (values == 2)
    i.c = decoder.getValue(address + 2, type);
  Change change = selectChange(decoder, name, type);
  if (!change)
    decoder.fail("unexpected type");
  Function &function = decoder.getCurrentFunction();
  i.list = function.changes.size();
  function.changes.push_back(change);
  i.execute = executeAtomic;
}

} // namespace

void ptx::addAtomics(DecodeTable &table) {
  table["atom"] = decodeAtomic</*hasResult=*/true>;
  table["red"] = decodeAtomic</*hasResult=*/false>;
}
