//===- PtxLoadStore.cpp - Loads and stores of PTX -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxOperations.h"

using namespace ptx;

namespace {

Space getSpace(const Instruction &i) { return Space(i.flags); }

uint64_t getAddress(const Thread &thread, const Instruction &i) {
  return thread.slots[i.a] + i.immediate;
}

/// The value of a loaded element in a register of `bits` bits: signed ones
/// repeat their sign.
template <class T>
uint64_t widenTo(T value, unsigned bits) {
  if constexpr (std::is_signed_v<T>) {
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    return uint64_t(int64_t(value)) & mask;
  } else {
    return value;
  }
}

/// `e`: bits of the register.
template <class T>
void loadOne(Thread &thread, const Instruction &i) {
  T value;
  load(thread, getSpace(i), getAddress(thread, i), sizeof(T), &value);
  thread.slots[i.d] = widenTo(value, i.e);
}

template <class T>
void storeOne(Thread &thread, const Instruction &i) {
  T value = get<T>(thread.slots[i.d]);
  store(thread, getSpace(i), getAddress(thread, i), sizeof(T), &value);
}

constexpr unsigned kMostElements = 8;

/// Elements that are not wanted have slot 0.
template <class T>
void loadVector(Thread &thread, const Instruction &i) {
  const uint32_t *list = &thread.frames.back().function->lists[i.list];
  T values[kMostElements];
  load(thread, getSpace(i), getAddress(thread, i), i.count * sizeof(T), values);
  for (unsigned k = 0; k < i.count; ++k)
    if (list[k])
      thread.slots[list[k]] = widenTo(values[k], i.e);
}

template <class T>
void storeVector(Thread &thread, const Instruction &i) {
  const uint32_t *list = &thread.frames.back().function->lists[i.list];
  T values[kMostElements];
  for (unsigned k = 0; k < i.count; ++k)
    values[k] = get<T>(thread.slots[list[k]]);
  store(thread, getSpace(i), getAddress(thread, i), i.count * sizeof(T),
        values);
}

/// f(T()) for what an element is in memory.
template <class F>
Execute forElement(Type type, F &&f) {
  if (type.getWidth() == 8)
    return type.isSigned() ? f(int8_t()) : f(uint8_t());
  Type whole{type.kind, uint8_t(type.getWidth())};
  return forInteger(whole, f);
}

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Of memory order and caches: a thread runs alone until it waits, and nothing
/// here is cached.
void skipOrderAndCaches(Decoder &decoder) {
  if (decoder.take("volatile") || decoder.take("weak")) {
  } else if (!decoder.takeOptional({"relaxed", "acquire", "release", "mmio"})
                  .empty()) {
    decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  }
  decoder.takeOptional({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  decoder.take("nc");
  std::vector<std::string_view> all = decoder.getModifiers();
  for (std::string_view modifier : all)
    if (startsWith(modifier, "L1::") || startsWith(modifier, "L2::"))
      decoder.take(modifier);
}

/// Space, address and type. Operand `address` has the address.
Type decodeAccess(Decoder &decoder, size_t address) {
  skipOrderAndCaches(decoder);
  std::string_view vector = decoder.takeOptional({"v2", "v4", "v8"});
  std::optional<Space> space = decoder.takeSpace();
  Type type = decoder.takeType();
  if (type.isPredicate())
    decoder.fail("unexpected type");
  Instruction &i = decoder.instruction;
  i.count = vector.empty() ? 1 : vector[1] - '0';
  if (i.count * type.getBytes() > 32)
    decoder.fail("vector of more than 32 bytes");
  int64_t offset = 0;
  std::optional<Space> spaceOfSymbol;
  i.a = decoder.getAddress(address, offset, spaceOfSymbol);
  i.immediate = offset;
  // A variable of shared memory is named by its offset there.
  if (spaceOfSymbol == Space::Shared && !space)
    decoder.fail("generic access to a variable of shared memory");
  i.flags = uint16_t(space ? *space : Space::Generic);
  return type;
}

/// The elements of {a, b}, or the one operand.
std::vector<Operand> getElements(Decoder &decoder, size_t index) {
  const Operand &operand = decoder.getOperand(index);
  if (decoder.instruction.count == 1)
    return {operand};
  if (operand.kind != Operand::Vector ||
      operand.parts.size() != decoder.instruction.count)
    decoder.fail("expected as many elements as the vector has");
  return operand.parts;
}

void decodeLoad(Decoder &decoder) {
  decoder.expectOperands(2);
  Type type = decodeAccess(decoder, /*address=*/1);
  Instruction &i = decoder.instruction;
  std::vector<uint32_t> slots;
  for (const Operand &element : getElements(decoder, 0)) {
    if (element.kind == Operand::Sink) {
      slots.push_back(0);
      continue;
    }
    slots.push_back(decoder.getResult(element, type.getWidth(),
                                      /*mayBeWider=*/true));
    i.e = decoder.getRegisterBits(element);
  }
  bool isVector = i.count > 1;
  if (isVector)
    i.list = decoder.addList(slots);
  else
    i.d = slots[0];
  i.execute = forElement(type, [&](auto tag) {
    using T = decltype(tag);
    return isVector ? &loadVector<T> : &loadOne<T>;
  });
}

void decodeStore(Decoder &decoder) {
  decoder.expectOperands(2);
  Type type = decodeAccess(decoder, /*address=*/0);
  Instruction &i = decoder.instruction;
  if (i.flags == uint16_t(Space::Const))
    decoder.fail("store to constant memory");
  std::vector<uint32_t> slots;
  for (const Operand &element : getElements(decoder, 1))
    slots.push_back(decoder.getValue(element, type, /*mayBeWider=*/true));
  bool isVector = i.count > 1;
  if (isVector)
    i.list = decoder.addList(slots);
  else
    i.d = slots[0];
  i.execute = forElement(type, [&](auto tag) {
    using T = decltype(tag);
    return isVector ? &storeVector<T> : &storeOne<T>;
  });
}

void doNothing(Thread &, const Instruction &) {}

/// The address is not looked at: a prefetch never faults.
void decodePrefetch(Decoder &decoder) {
  decoder.takeSpace();
  skipOrderAndCaches(decoder);
  decoder.takeOptional({"L1", "L2"});
  decoder.instruction.execute = doNothing;
}

} // namespace

void ptx::addLoadsAndStores(DecodeTable &table) {
  table["ld"] = decodeLoad;
  table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;
}
