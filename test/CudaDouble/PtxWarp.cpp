//===- PtxWarp.cpp - What threads of a PTX warp do together ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBarrier.h"

#include <algorithm>

using namespace ptx;

namespace {

/// Instruction::flags. Slots: `list` is the mask of the threads (0 where it is
/// those that are there), `a` to `c` operands, `d` and `e` results.
enum Operation : uint16_t {
  Sync,
  Active,
  Elect,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUniform,
  VoteBallot,
  MatchAny,
  MatchAll,
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceSignedMin,
  ReduceSignedMax,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  OperationMask = 0x1f,
  NegateFlag = 0x20,
};

uint32_t getLane(const Thread &thread) { return thread.index % kWarpSize; }

void wait(Thread &thread, const Instruction &) { thread.state = State::AtWarp; }

/// Threads by lane, and what they came with.
struct Group {
  explicit Group(const std::vector<Thread *> &threads)
      : threads(threads), i(*threads[0]->current) {
    for (Thread *thread : threads) {
      lanes[getLane(*thread)] = thread;
      mask |= uint32_t(1) << getLane(*thread);
    }
  }

  uint64_t getValue(const Thread *thread) const { return thread->slots[i.a]; }
  bool isTrue(const Thread *thread) const {
    return (thread->slots[i.a] != 0) != bool(i.flags & NegateFlag);
  }
  uint32_t getBallot() const {
    uint32_t ballot = 0;
    for (Thread *thread : threads)
      ballot |= uint32_t(isTrue(thread)) << getLane(*thread);
    return ballot;
  }
  /// The lanes that have the value.
  uint32_t getMatch(uint64_t value) const {
    uint32_t match = 0;
    for (Thread *thread : threads)
      match |= uint32_t(getValue(thread) == value) << getLane(*thread);
    return match;
  }

  const std::vector<Thread *> &threads;
  const Instruction &i;
  Thread *lanes[kWarpSize] = {};
  uint32_t mask = 0;
};

/// Whom the thread reads from; its predicate is false where it is itself, as
/// the other is out of the segment.
uint32_t getSourceLane(const Thread &thread, const Instruction &i,
                       bool &isInside) {
  uint32_t lane = getLane(thread);
  auto b = uint32_t(thread.slots[i.b]);
  auto c = uint32_t(thread.slots[i.c]);
  uint32_t segment = (c >> 8) & 0x1f;
  uint32_t clamp = c & 0x1f;
  b &= 0x1f;
  int last = int((lane & segment) | (clamp & ~segment));
  int source = 0;
  switch (i.flags & OperationMask) {
  case ShuffleUp:
    source = int(lane) - int(b);
    isInside = source >= last;
    break;
  case ShuffleDown:
    source = int(lane + b);
    isInside = source <= last;
    break;
  case ShuffleXor:
    source = int(lane ^ b);
    isInside = source <= last;
    break;
  default:
    source = int((lane & segment) | (b & ~segment));
    isInside = source <= last;
    break;
  }
  return isInside ? uint32_t(source) : lane;
}

void shuffle(const Group &group) {
  uint64_t results[kWarpSize] = {};
  bool predicates[kWarpSize] = {};
  for (Thread *thread : group.threads) {
    uint32_t lane = getLane(*thread);
    uint32_t source = getSourceLane(*thread, group.i, predicates[lane]);
    if (source >= kWarpSize || !group.lanes[source])
      throw Fault("shfl of lane " + std::to_string(lane) + " reads from lane " +
                  std::to_string(source) + ", which takes no part");
    results[lane] = group.getValue(group.lanes[source]);
  }
  for (Thread *thread : group.threads) {
    if (group.i.d)
      thread->slots[group.i.d] = results[getLane(*thread)];
    if (group.i.e)
      thread->slots[group.i.e] = predicates[getLane(*thread)];
  }
}

uint32_t reduceTwo(uint16_t operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case ReduceAdd:
    return a + b;
  case ReduceMin:
    return std::min(a, b);
  case ReduceMax:
    return std::max(a, b);
  case ReduceSignedMin:
    return uint32_t(std::min(int32_t(a), int32_t(b)));
  case ReduceSignedMax:
    return uint32_t(std::max(int32_t(a), int32_t(b)));
  case ReduceAnd:
    return a & b;
  case ReduceOr:
    return a | b;
  default:
    return a ^ b;
  }
}

uint32_t reduce(const Group &group) {
  auto total = uint32_t(group.getValue(group.threads[0]));
  for (size_t k = 1; k < group.threads.size(); ++k)
    total = reduceTwo(group.i.flags & OperationMask, total,
                      uint32_t(group.getValue(group.threads[k])));
  return total;
}

/// The value of `d` that all have in common.
uint32_t computeCommon(const Group &group) {
  uint32_t ballot = group.getBallot();
  switch (group.i.flags & OperationMask) {
  case Active:
    return group.mask;
  case Elect:
    return __builtin_ctz(group.mask);
  case VoteAll:
    return ballot == group.mask;
  case VoteAny:
    return ballot != 0;
  case VoteUniform:
    return ballot == group.mask || ballot == 0;
  case VoteBallot:
    return ballot;
  case MatchAll: {
    uint32_t match = group.getMatch(group.getValue(group.threads[0]));
    return match == group.mask ? match : 0;
  }
  default:
    return reduce(group);
  }
}

void completeCommon(const Group &group) {
  uint32_t common = computeCommon(group);
  bool isElection = (group.i.flags & OperationMask) == Elect;
  for (Thread *thread : group.threads) {
    if (group.i.d)
      thread->slots[group.i.d] = common;
    if (group.i.e)
      thread->slots[group.i.e] =
          isElection ? getLane(*thread) == common : common != 0;
  }
}

void completeMatchAny(const Group &group) {
  uint32_t results[kWarpSize] = {};
  for (Thread *thread : group.threads)
    results[getLane(*thread)] = group.getMatch(group.getValue(thread));
  for (Thread *thread : group.threads)
    thread->slots[group.i.d] = results[getLane(*thread)];
}

/// d or d|p.
void decodeResult(Decoder &decoder, unsigned bits, bool mayHavePredicate) {
  Instruction &i = decoder.instruction;
  const Operand &result = decoder.getOperand(0);
  bool isPair = result.kind == Operand::Pair;
  if (isPair && !mayHavePredicate)
    decoder.fail("expected one result");
  const Operand &d = isPair ? result.parts[0] : result;
  if (d.kind != Operand::Sink)
    i.d = decoder.getResult(d, bits);
  if (isPair && result.parts[1].kind != Operand::Sink)
    i.e = decoder.getResult(result.parts[1], 1);
}

void finishDecoding(Decoder &decoder, uint16_t operation, int mask) {
  Instruction &i = decoder.instruction;
  i.flags |= operation;
  if (mask >= 0)
    i.list = decoder.getValue(size_t(mask), B32);
  decoder.getCurrentFunction().waits = true;
  i.execute = wait;
}

void decodeShuffle(Decoder &decoder) {
  decoder.takeOneOf({"sync"});
  std::string_view mode = decoder.takeOneOf({"up", "down", "bfly", "idx"});
  decoder.takeOneOf({"b32"});
  decoder.expectOperands(5);
  decodeResult(decoder, 32, /*mayHavePredicate=*/true);
  Instruction &i = decoder.instruction;
  i.a = decoder.getValue(1, B32);
  i.b = decoder.getValue(2, B32);
  i.c = decoder.getValue(3, B32);
  finishDecoding(decoder,
                 mode == "up"     ? ShuffleUp
                 : mode == "down" ? ShuffleDown
                 : mode == "bfly" ? ShuffleXor
                                  : ShuffleIndex,
                 /*mask=*/4);
}

void decodeVote(Decoder &decoder) {
  decoder.takeOneOf({"sync"});
  std::string_view mode = decoder.takeOneOf({"all", "any", "uni", "ballot"});
  bool isBallot = mode == "ballot";
  decoder.takeOneOf({isBallot ? "b32" : "pred"});
  decoder.expectOperands(3);
  decodeResult(decoder, isBallot ? 32 : 1, /*mayHavePredicate=*/false);
  bool isNegated = false;
  decoder.instruction.a =
      decoder.getPredicate(decoder.getOperand(1), isNegated);
  decoder.instruction.flags = isNegated ? NegateFlag : 0;
  finishDecoding(decoder,
                 isBallot        ? VoteBallot
                 : mode == "all" ? VoteAll
                 : mode == "any" ? VoteAny
                                 : VoteUniform,
                 /*mask=*/2);
}

void decodeMatch(Decoder &decoder) {
  bool isAny = decoder.takeOneOf({"any", "all"}) == "any";
  decoder.takeOneOf({"sync"});
  Type type = decoder.takeType();
  decoder.expectOperands(3);
  decodeResult(decoder, 32, /*mayHavePredicate=*/!isAny);
  decoder.instruction.a = decoder.getValue(1, type);
  finishDecoding(decoder, isAny ? MatchAny : MatchAll, /*mask=*/2);
}

void decodeReduce(Decoder &decoder) {
  decoder.takeOneOf({"sync"});
  std::string_view name =
      decoder.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = decoder.takeType();
  bool isBits = name == "and" || name == "or" || name == "xor";
  if (type.getWidth() != 32 || (isBits ? type != B32 : !type.isInteger()))
    decoder.fail("unexpected type");
  decoder.expectOperands(3);
  decodeResult(decoder, 32, /*mayHavePredicate=*/false);
  decoder.instruction.a = decoder.getValue(1, type);
  bool isSigned = type.isSigned();
  finishDecoding(decoder,
                 name == "add"   ? ReduceAdd
                 : name == "min" ? (isSigned ? ReduceSignedMin : ReduceMin)
                 : name == "max" ? (isSigned ? ReduceSignedMax : ReduceMax)
                 : name == "and" ? ReduceAnd
                 : name == "or"  ? ReduceOr
                                 : ReduceXor,
                 /*mask=*/2);
}

void decodeActive(Decoder &decoder) {
  decoder.takeOneOf({"b32"});
  decoder.expectOperands(1);
  decodeResult(decoder, 32, /*mayHavePredicate=*/false);
  finishDecoding(decoder, Active, /*mask=*/-1);
}

void decodeElect(Decoder &decoder) {
  decoder.takeOneOf({"sync"});
  decoder.expectOperands(2);
  decodeResult(decoder, 32, /*mayHavePredicate=*/true);
  finishDecoding(decoder, Elect, /*mask=*/1);
}

void decodeBar(Decoder &decoder) {
  if (!decoder.take("warp")) {
    decodeBlockBarrier(decoder);
    decoder.instruction.flags |= kBarrierAligned;
    return;
  }
  decoder.takeOneOf({"sync"});
  decoder.expectOperands(1);
  finishDecoding(decoder, Sync, /*mask=*/0);
}

} // namespace

uint32_t ptx::getWarpMask(const Thread &thread) {
  const Instruction &i = *thread.current;
  if (!i.list)
    return 0;
  auto mask = uint32_t(thread.slots[i.list]);
  if (!(mask >> getLane(thread) & 1))
    throw Fault("the mask " + toHex(mask) + " of the threads lacks its own");
  return mask;
}

void ptx::completeWarp(const std::vector<Thread *> &threads) {
  Group group(threads);
  switch (group.i.flags & OperationMask) {
  case Sync:
    // Memory is ordered by this one only.
    threads[0]->block.shared.passWarp(threads[0]->index / kWarpSize);
    return;
  case ShuffleUp:
  case ShuffleDown:
  case ShuffleXor:
  case ShuffleIndex:
    return shuffle(group);
  case MatchAny:
    return completeMatchAny(group);
  default:
    return completeCommon(group);
  }
}

void ptx::addWarp(DecodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeReduce;
  table["activemask"] = decodeActive;
  table["elect"] = decodeElect;
  table["bar"] = decodeBar;
}
