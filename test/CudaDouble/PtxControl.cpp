//===- PtxControl.cpp - Branches, calls and barriers of PTX ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBarrier.h"

#include <algorithm>

using namespace ptx;

namespace {

void jump(Thread &thread, uint64_t target) {
  if (++thread.branches > kMaximumBranches)
    throw Fault("more than " + std::to_string(kMaximumBranches) +
                " branches: the loop seems to have no end");
  thread.next = &thread.frames.back().function->code[target];
}

void branch(Thread &thread, const Instruction &i) { jump(thread, i.immediate); }

void branchIndexed(Thread &thread, const Instruction &i) {
  const std::vector<uint32_t> &targets =
      thread.frames.back().function->targets[i.list];
  uint64_t index = thread.slots[i.a];
  if (index >= targets.size())
    throw Fault("branch to target " + std::to_string(index) + " of " +
                std::to_string(targets.size()));
  jump(thread, targets[index]);
}

const std::string &getName(Decoder &decoder, size_t index) {
  const Operand &operand = decoder.getOperand(index);
  if (operand.kind != Operand::Name)
    decoder.fail("expected a name");
  return operand.name;
}

void decodeBranch(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(1);
  decoder.instruction.immediate = decoder.getLabel(getName(decoder, 0));
  decoder.instruction.execute = branch;
}

void decodeBranchIndexed(Decoder &decoder) {
  decoder.takeOneOf({"idx"});
  decoder.take("uni");
  decoder.expectOperands(2);
  Instruction &i = decoder.instruction;
  i.a = decoder.getValue(0, U32);
  std::vector<uint32_t> targets;
  for (const std::string &name : decoder.findLabel(getName(decoder, 1)).targets)
    targets.push_back(decoder.getLabel(name));
  Function &function = decoder.getCurrentFunction();
  i.list = function.targets.size();
  function.targets.push_back(std::move(targets));
  i.execute = branchIndexed;
}

void enter(Thread &thread, const Instruction &i) {
  const Call &call = thread.frames.back().function->calls[i.list];
  if (thread.frames.size() > 64)
    throw Fault("more than 64 calls within each other");
  thread.enter(*call.callee, &call);
}

void failAssertion(Thread &, const Instruction &) {
  throw Fault("assertion of the kernel failed");
}

/// What is passed must be as large as what is taken.
void pair(Decoder &decoder, const Operand &list,
          const std::vector<const Variable *> &formals,
          std::vector<FrameCopy> &copies) {
  if (list.kind != Operand::List || list.parts.size() != formals.size())
    decoder.fail("expected " + std::to_string(formals.size()) + " arguments");
  for (size_t k = 0; k < formals.size(); ++k) {
    const Variable &variable = decoder.getVariable(list.parts[k]);
    if (!variable.inFrame || variable.size != formals[k]->size)
      decoder.fail("argument '" + variable.name + "' of another size");
    copies.push_back({variable.address, formals[k]->address, variable.size});
  }
}

/// call (results), name, (arguments), or less.
void decodeCall(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(1, 3);
  bool hasResults = decoder.getOperand(0).kind == Operand::List;
  size_t index = hasResults ? 1 : 0;
  const std::string &name = getName(decoder, index);
  if (name == "__assertfail") {
    decoder.instruction.execute = failAssertion;
    return;
  }
  const FunctionSyntax &callee = decoder.getFunctionSyntax(name);
  Function &function = decoder.getCurrentFunction();
  Call call;
  call.callee = &decoder.getFunction(name);
  Operand none;
  none.kind = Operand::List;
  pair(decoder, hasResults ? decoder.getOperand(0) : none, callee.returns,
       call.results);
  bool hasArguments = decoder.getOperandCount() > index + 1;
  pair(decoder, hasArguments ? decoder.getOperand(index + 1) : none,
       callee.parameters, call.arguments);
  function.callees.push_back(call.callee);
  decoder.instruction.list = function.calls.size();
  function.calls.push_back(std::move(call));
  decoder.instruction.execute = enter;
}

void leave(Thread &thread, const Instruction &) { thread.leave(); }

void exitThread(Thread &thread, const Instruction &) {
  thread.state = State::Exited;
}

void trap(Thread &, const Instruction &) { throw Fault("the kernel trapped"); }

void doNothing(Thread &, const Instruction &) {}

template <Execute execute>
void decodePlain(Decoder &decoder) {
  decoder.take("uni");
  decoder.expectOperands(0);
  decoder.instruction.execute = execute;
}

/// Threads and kernels run one after the other: fences have nothing to order.
void decodeFence(Decoder &decoder) {
  decoder.take("proxy");
  decoder.takeOptional(
      {"sc", "acq_rel", "acquire", "release", "async", "alias"});
  decoder.takeOptional({"cta", "cluster", "gpu", "sys", "gl"});
  decoder.expectOperands(0);
  decoder.instruction.execute = doNothing;
}

void decodeSleep(Decoder &decoder) {
  decoder.takeOneOf({"u32"});
  decoder.expectOperands(1);
  decoder.getValue(0, U32);
  decoder.instruction.execute = doNothing;
}

void wait(Thread &thread, const Instruction &) {
  thread.state = State::AtBarrier;
}

} // namespace

/// bar.sync a, b; bar.arrive a, b; bar.red.popc.u32 d, a, b, !c;
void ptx::decodeBlockBarrier(Decoder &decoder) {
  Instruction &i = decoder.instruction;
  decoder.take("cta");
  std::string_view name = decoder.takeOneOf({"sync", "arrive", "red"});
  i.flags = name == "sync" ? kBarrierSync : kBarrierArrive;
  size_t first = 0;
  size_t last = decoder.getOperandCount();
  if (name == "red") {
    std::string_view reduction = decoder.takeOneOf({"popc", "and", "or"});
    i.flags = reduction == "popc"  ? kBarrierPopc
              : reduction == "and" ? kBarrierAnd
                                   : kBarrierOr;
    Type type = decoder.takeType();
    if (type != (reduction == "popc" ? U32 : Pred))
      decoder.fail("unexpected type");
    i.d = decoder.getResult(0, type);
    first = 1;
    --last;
    bool isNegated = false;
    i.c = decoder.getPredicate(decoder.getOperand(last), isNegated);
    i.flags |= isNegated ? kBarrierNegate : 0;
  }
  if (decoder.take("aligned"))
    i.flags |= kBarrierAligned;
  size_t count = last - first;
  if (last < first || count < (name == "arrive" ? 2 : 1) || count > 2)
    decoder.fail("unexpected number of operands");
  i.a = decoder.getValue(first, U32);
  if (count == 2)
    i.b = decoder.getValue(first + 1, U32);
  decoder.getCurrentFunction().waits = true;
  i.execute = wait;
}

void ptx::addControl(DecodeTable &table) {
  table["bra"] = decodeBranch;
  table["brx"] = decodeBranchIndexed;
  table["call"] = decodeCall;
  table["ret"] = decodePlain<leave>;
  table["exit"] = decodePlain<exitThread>;
  table["trap"] = decodePlain<trap>;
  table["brkpt"] = decodePlain<trap>;
  table["membar"] = decodeFence;
  table["fence"] = decodeFence;
  table["nanosleep"] = decodeSleep;
  table["barrier"] = decodeBlockBarrier;
}
