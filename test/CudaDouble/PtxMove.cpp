//===- PtxMove.cpp - Moves and addresses of PTX ---------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxOperations.h"

using namespace ptx;

namespace {

void move(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = thread.slots[i.a];
}

/// d = a + immediate: addresses of the frame, and between spaces.
void moveWithOffset(Thread &thread, const Instruction &i) {
  thread.slots[i.d] = thread.slots[i.a] + i.immediate;
}

/// d = {low, ..., high}, elements of `flags` bits.
void pack(Thread &thread, const Instruction &i) {
  const uint32_t *list = &thread.frames.back().function->lists[i.list];
  uint64_t result = 0;
  for (unsigned k = 0; k < i.count; ++k)
    result |= thread.slots[list[k]] << (k * i.flags);
  thread.slots[i.d] = result;
}

/// Elements that are not wanted have slot 0.
void unpack(Thread &thread, const Instruction &i) {
  const uint32_t *list = &thread.frames.back().function->lists[i.list];
  uint64_t value = thread.slots[i.a];
  uint64_t mask = (uint64_t(1) << i.flags) - 1;
  for (unsigned k = 0; k < i.count; ++k)
    if (list[k])
      thread.slots[list[k]] = (value >> (k * i.flags)) & mask;
}

/// The type of an element of `count` that make up the type.
Type getElement(Decoder &decoder, Type type, size_t count) {
  if (type.kind != Kind::Bits || (count != 2 && count != 4) ||
      type.bits % count || type.bits / count < 8)
    decoder.fail("unexpected elements");
  return {Kind::Bits, uint8_t(type.bits / count)};
}

void decodePack(Decoder &decoder, Type type) {
  Instruction &i = decoder.instruction;
  const std::vector<Operand> &parts = decoder.getOperand(1).parts;
  Type element = getElement(decoder, type, parts.size());
  std::vector<uint32_t> slots;
  for (const Operand &part : parts)
    slots.push_back(decoder.getValue(part, element));
  i.d = decoder.getResult(0, type);
  i.list = decoder.addList(slots);
  i.count = slots.size();
  i.flags = element.bits;
  i.execute = pack;
}

void decodeUnpack(Decoder &decoder, Type type) {
  Instruction &i = decoder.instruction;
  const std::vector<Operand> &parts = decoder.getOperand(0).parts;
  Type element = getElement(decoder, type, parts.size());
  std::vector<uint32_t> slots;
  for (const Operand &part : parts)
    slots.push_back(
        part.kind == Operand::Sink ? 0 : decoder.getResult(part, element.bits));
  i.a = decoder.getValue(1, type);
  i.list = decoder.addList(slots);
  i.count = slots.size();
  i.flags = element.bits;
  i.execute = unpack;
}

/// An operand that is an address: of a variable or in a register.
void decodeAddressOperand(Decoder &decoder, const Operand &operand, Type type) {
  Instruction &i = decoder.instruction;
  i.execute = moveWithOffset;
  if (operand.kind != Operand::Symbol) {
    i.a = decoder.getValue(operand, type);
    return;
  }
  int64_t offset = operand.offset;
  i.a = decoder.getSymbol(decoder.getVariable(operand), offset);
  i.immediate = offset;
}

void decodeMove(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(2);
  const Operand &result = decoder.getOperand(0);
  const Operand &operand = decoder.getOperand(1);
  if (result.kind == Operand::Vector)
    return decodeUnpack(decoder, type);
  if (operand.kind == Operand::Vector)
    return decodePack(decoder, type);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(result, type.getWidth());
  if (operand.kind == Operand::Symbol && operand.variable->inFrame) {
    if (type.bits != 64)
      decoder.fail("expected an address of 64 bits");
    return decodeAddressOperand(decoder, operand, type);
  }
  i.a = decoder.getValue(operand, type);
  i.execute = move;
}

void decodeConvertAddress(Decoder &decoder) {
  bool isFromGeneric = decoder.take("to");
  std::optional<Space> space = decoder.takeSpace();
  Type type = decoder.takeType();
  if (!space || type != U64)
    decoder.fail("expected a space and .u64");
  decoder.expectOperands(2);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  decodeAddressOperand(decoder, decoder.getOperand(1), type);
  // Only those of shared memory are not generic ones already.
  if (space == Space::Shared)
    i.immediate += isFromGeneric ? 0 - kSharedWindow : kSharedWindow;
}

template <Space space>
void isInSpace(Thread &thread, const Instruction &i) {
  uint64_t address = thread.slots[i.a];
  Space found = address >= kSharedWindow  ? Space::Shared
                : address >= kLocalWindow ? Space::Local
                : address >= kParamWindow ? Space::Param
                                          : Space::Global;
  thread.slots[i.d] = found == space;
}

void decodeIsInSpace(Decoder &decoder) {
  std::optional<Space> space = decoder.takeSpace();
  decoder.expectOperands(2);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, Pred);
  i.a = decoder.getValue(1, U64);
  if (space == Space::Shared)
    i.execute = isInSpace<Space::Shared>;
  else if (space == Space::Local)
    i.execute = isInSpace<Space::Local>;
  else if (space == Space::Global)
    i.execute = isInSpace<Space::Global>;
}

} // namespace

void ptx::addMoves(DecodeTable &table) {
  table["mov"] = decodeMove;
  table["cvta"] = decodeConvertAddress;
  table["isspacep"] = decodeIsInSpace;
}
