//===- PtxThread.cpp - State of a running PTX kernel ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxThread.h"

using namespace ptx;

void Thread::start(uint32_t thread) {
  index = thread;
  state = State::Running;
  carry = false;
  branches = 0;
  current = nullptr;
  frames.clear();
  slotStack.clear();
  stack.clear();
  enter(*block.launch.kernel.function, /*call=*/nullptr);
}

void Thread::run() {
  while (state == State::Running) {
    const Instruction *i = next++;
    current = i;
    if (i->guard >= 0 && (slots[i->guard] != 0) == i->guardIsNegated)
      continue;
    i->execute(*this, *i);
  }
}

void Thread::enter(const Function &function, const Call *call) {
  uint64_t caller = frames.empty() ? 0 : frames.back().firstByte;
  if (!frames.empty())
    frames.back().next = next;
  Frame frame{&function, call, nullptr, slotStack.size(), stack.size()};
  frames.push_back(frame);
  // Registers that are not written yet are zeros; local memory is 0xff.
  uint64_t constants = frame.firstSlot + 1 + function.registers;
  slotStack.resize(constants + function.constants.size());
  stack.resize(frame.firstByte + function.frameBytes, 0xff);
  slots = slotStack.data() + frame.firstSlot;
  slots[0] = kLocalWindow + frame.firstByte;
  if (!function.constants.empty())
    std::memcpy(&slotStack[constants], function.constants.data(),
                function.constants.size() * sizeof(uint64_t));
  for (auto [slot, special] : function.specials)
    slots[slot] = getSpecial(special);
  if (call)
    for (const FrameCopy &copy : call->arguments)
      std::memcpy(&stack[frame.firstByte + copy.callee],
                  &stack[caller + copy.caller], copy.bytes);
  next = function.code.data();
}

void Thread::leave() {
  Frame frame = frames.back();
  if (!frame.call) {
    state = State::Exited;
    return;
  }
  frames.pop_back();
  const Frame &caller = frames.back();
  for (const FrameCopy &copy : frame.call->results)
    std::memcpy(&stack[caller.firstByte + copy.caller],
                &stack[frame.firstByte + copy.callee], copy.bytes);
  slotStack.resize(frame.firstSlot);
  stack.resize(frame.firstByte);
  slots = slotStack.data() + caller.firstSlot;
  next = caller.next;
}

uint64_t Thread::getSpecial(Special special) const {
  uint32_t lane = index % kWarpSize;
  uint32_t bit = uint32_t(1) << lane;
  switch (special) {
  case Special::TidX:
    return index;
  case Special::NtidX:
    return block.launch.threads;
  case Special::CtaidX:
    return block.index;
  case Special::NctaidX:
    return block.launch.blocks;
  case Special::LaneId:
    return lane;
  case Special::WarpId:
    return index / kWarpSize;
  case Special::WarpCount:
    return (block.launch.threads + kWarpSize - 1) / kWarpSize;
  case Special::LanemaskEq:
    return bit;
  case Special::LanemaskLt:
    return bit - 1;
  case Special::LanemaskLe:
    return bit | (bit - 1);
  case Special::LanemaskGt:
    return ~(bit | (bit - 1));
  case Special::LanemaskGe:
    return ~(bit - 1);
  case Special::One:
    return 1;
  case Special::Zero:
    break;
  }
  return 0;
}
