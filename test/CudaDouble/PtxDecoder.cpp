//===- PtxDecoder.cpp - From PTX as it is written to what runs ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxDecoder.h"

#include "PtxThread.h"

#include <algorithm>

using namespace ptx;

static DecodeTable makeTable() {
  DecodeTable table;
  addArithmetic(table);
  addWideArithmetic(table);
  addBits(table);
  addFloats(table);
  addApproximations(table);
  addComparisons(table);
  addConversions(table);
  addMoves(table);
  addLoadsAndStores(table);
  addAtomics(table);
  addControl(table);
  addWarp(table);
  return table;
}

static void executeUnknown(Thread &, const Instruction &) {
  throw Fault("unknown instruction");
}

Decoder::Decoder(const ModuleSyntax &module, const FunctionSyntax &syntax,
                 Program &program, Function &function)
    : module(module), syntax(syntax), program(program), function(function) {
  function.registers = syntax.registers.size();
  function.frameBytes = (syntax.frameBytes + 15) / 16 * 16;
}

void Decoder::decodeBody() {
  for (const Statement &each : syntax.statements) {
    statement = &each;
    instruction = Instruction();
    instruction.line = each.line;
    if (each.guard >= 0)
      instruction.guard = each.guard + 1;
    instruction.guardIsNegated = each.guardIsNegated;
    instruction.execute = executeUnknown;
    try {
      decodeStatement(each);
    } catch (const DecodeError &error) {
      instruction.execute = executeUnknown;
      function.problems.push_back("line " + std::to_string(each.line) + ": '" +
                                  each.opcode + "': " + error.what());
    }
    function.code.push_back(instruction);
  }
  // A body may end without one.
  Statement end;
  end.opcode = "ret";
  end.line = function.code.empty() ? syntax.line : function.code.back().line;
  statement = &end;
  instruction = Instruction();
  instruction.line = end.line;
  decodeStatement(end);
  function.code.push_back(instruction);
}

void Decoder::decodeStatement(const Statement &each) {
  static const DecodeTable table = makeTable();
  modifiers.clear();
  std::string_view rest = each.opcode;
  size_t dot = rest.find('.');
  auto it = table.find(rest.substr(0, dot));
  if (it == table.end())
    fail("unknown instruction");
  while (dot != std::string_view::npos) {
    rest.remove_prefix(dot + 1);
    dot = rest.find('.');
    modifiers.push_back(rest.substr(0, dot));
  }
  it->second(*this);
  if (!modifiers.empty())
    fail("unknown modifier '." + std::string(modifiers.front()) + "'");
  if (!instruction.execute || instruction.execute == executeUnknown)
    fail("unknown combination of modifiers");
}

bool Decoder::take(std::string_view modifier) {
  auto it = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (it == modifiers.end())
    return false;
  modifiers.erase(it);
  return true;
}

std::string_view
Decoder::takeOptional(std::initializer_list<std::string_view> candidates) {
  for (std::string_view candidate : candidates)
    if (take(candidate))
      return candidate;
  return {};
}

std::string_view
Decoder::takeOneOf(std::initializer_list<std::string_view> candidates) {
  std::string_view found = takeOptional(candidates);
  if (found.empty()) {
    std::string names;
    for (std::string_view candidate : candidates)
      names += " ." + std::string(candidate);
    fail("expected one of" + names);
  }
  return found;
}

std::string_view Decoder::takeAny() {
  if (modifiers.empty())
    return {};
  std::string_view first = modifiers.front();
  modifiers.erase(modifiers.begin());
  return first;
}

Type Decoder::takeType() {
  for (auto it = modifiers.begin(); it != modifiers.end(); ++it)
    if (std::optional<Type> type = getType(*it)) {
      modifiers.erase(it);
      return *type;
    }
  fail("expected a type");
}

std::optional<Space> Decoder::takeSpace() {
  for (auto it = modifiers.begin(); it != modifiers.end(); ++it)
    if (std::optional<Space> space = getSpace(*it)) {
      modifiers.erase(it);
      return space;
    }
  return std::nullopt;
}

const Operand &Decoder::getOperand(size_t index) const {
  if (index >= statement->operands.size())
    fail("expected an operand " + std::to_string(index));
  return statement->operands[index];
}

void Decoder::expectOperands(size_t least, size_t most) const {
  size_t count = statement->operands.size();
  if (count < least || count > most)
    fail("unexpected number of operands: " + std::to_string(count));
}

unsigned Decoder::getRegisterBits(const Operand &operand) const {
  if (operand.kind != Operand::Register)
    fail("expected a register");
  return syntax.registers[operand.registerIndex].bits;
}

uint32_t Decoder::getResult(const Operand &operand, unsigned bits,
                            bool mayBeWider) {
  unsigned got = getRegisterBits(operand);
  if (operand.isNegated || (mayBeWider ? got < bits : got != bits))
    fail("expected a register of " + std::to_string(bits) + " bits, got " +
         std::to_string(got));
  return operand.registerIndex + 1;
}

static uint64_t maskTo(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// The bits of a literal such as 0f3F800000 or 0d3FF0000000000000.
static uint64_t getRealBits(const Operand &operand, Type type) {
  unsigned bits = type.getWidth();
  if (bits == (operand.isSingle ? 32 : 64))
    return operand.value;
  if (bits == 32)
    return put(static_cast<float>(get<double>(operand.value)));
  if (bits == 64 && type.isFloat())
    return put(static_cast<double>(get<float>(operand.value)));
  throw DecodeError("number in a place of another size");
}

uint32_t Decoder::getValue(const Operand &operand, Type type, bool mayBeWider) {
  unsigned bits = type.getWidth();
  switch (operand.kind) {
  case Operand::Register:
    return getResult(operand, bits, mayBeWider);
  case Operand::Immediate:
    if (type.isFloat() && type.bits > 16)
      fail("integer in the place of a ." + std::string("f") +
           std::to_string(type.bits));
    return getConstant(maskTo(operand.value, bits));
  case Operand::Real:
    return getConstant(getRealBits(operand, type));
  case Operand::Symbol: {
    int64_t offset = operand.offset;
    uint32_t base = getSymbol(getVariable(operand), offset);
    if (base == 0)
      fail("address of a variable of the frame");
    return getConstant(maskTo(offset, bits));
  }
  case Operand::Name:
    return getSpecial(operand.name);
  default:
    fail("unexpected kind of operand");
  }
}

uint32_t Decoder::getPredicate(const Operand &operand, bool &isNegated) {
  Operand plain = operand;
  isNegated = operand.isNegated;
  plain.isNegated = false;
  return getValue(plain, Pred);
}

const Variable &Decoder::getVariable(const Operand &operand) const {
  if (operand.kind != Operand::Symbol)
    fail("expected a variable");
  return *operand.variable;
}

uint32_t Decoder::getSymbol(const Variable &variable, int64_t &offset) {
  if (variable.isExtern)
    fail("'" + variable.name + "' is declared only");
  if (variable.space == Space::Shared)
    function.shared[variable.address] = variable.size;
  offset += static_cast<int64_t>(variable.address);
  return variable.inFrame ? 0 : getConstant(0);
}

uint32_t Decoder::getAddress(size_t index, int64_t &offset,
                             std::optional<Space> &spaceOfSymbol) {
  const Operand &operand = getOperand(index);
  if (operand.kind != Operand::Address)
    fail("expected an address");
  const Operand &base = operand.parts[0];
  offset = operand.offset;
  if (base.kind == Operand::Register) {
    unsigned bits = getRegisterBits(base);
    if (bits != 64 && bits != 32)
      fail("expected an address of 64 bits");
    return getResult(base, bits);
  }
  if (base.kind == Operand::Immediate) {
    offset += static_cast<int64_t>(base.value);
    return getConstant(0);
  }
  const Variable &variable = getVariable(base);
  spaceOfSymbol = variable.space;
  return getSymbol(variable, offset);
}

uint32_t Decoder::getConstant(uint64_t value) {
  auto [it, isNew] = constantSlots.try_emplace(
      value, function.registers + 1 + function.constants.size());
  if (isNew)
    function.constants.push_back(value);
  return it->second;
}

uint32_t Decoder::addList(const std::vector<uint32_t> &slots) {
  uint32_t first = function.lists.size();
  function.lists.insert(function.lists.end(), slots.begin(), slots.end());
  return first;
}

uint32_t Decoder::getSpecial(const std::string &name) {
  static const std::map<std::string, Special> names = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::Zero},
      {"%tid.z", Special::Zero},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::One},
      {"%ntid.z", Special::One},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::Zero},
      {"%ctaid.z", Special::Zero},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::One},
      {"%nctaid.z", Special::One},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::WarpCount},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%lanemask_ge", Special::LanemaskGe},
  };
  if (name == "WARP_SZ")
    return getConstant(kWarpSize);
  auto found = names.find(name);
  if (found == names.end())
    fail("unknown name '" + name + "'");
  auto [it, isNew] = specialSlots.try_emplace(
      found->second, function.registers + 1 + function.constants.size());
  if (isNew) {
    function.constants.push_back(0);
    function.specials.emplace_back(it->second, found->second);
  }
  return it->second;
}

const Label &Decoder::findLabel(const std::string &name) const {
  for (unsigned scope = statement->scope;; scope = syntax.scopeParents[scope]) {
    auto it = syntax.labels.find({scope, name});
    if (it != syntax.labels.end())
      return it->second;
    if (scope == 0)
      fail("unknown label '" + name + "'");
  }
}

uint64_t Decoder::getLabel(const std::string &name) const {
  return findLabel(name).statement;
}

Function &Decoder::getFunction(const std::string &name) {
  auto it = program.functions.find(name);
  if (it == program.functions.end())
    fail("unknown function '" + name + "'");
  return *it->second;
}

const FunctionSyntax &
Decoder::getFunctionSyntax(const std::string &name) const {
  auto it = module.functions.find(name);
  if (it == module.functions.end())
    fail("unknown function '" + name + "'");
  return it->second;
}
