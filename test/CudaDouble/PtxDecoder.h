//===- PtxDecoder.h - From PTX as it is written to what runs ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of instructions adds its names to a table of decoders. A decoder
// takes the modifiers that it knows and resolves the operands; what is left
// over is an error, so that no modifier is ignored silently.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXDECODER_H
#define COMM_TEST_CUDADOUBLE_PTXDECODER_H

#include "PtxCode.h"
#include "PtxSyntax.h"

#include <initializer_list>
#include <stdexcept>

namespace ptx {

/// "unknown modifier '.foo'"; the line and the instruction are added.
struct DecodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Decoder {
public:
  Decoder(const ModuleSyntax &module, const FunctionSyntax &syntax,
          Program &program, Function &function);

  /// What is not known becomes a problem of the function.
  void decodeBody();

  // The modifiers of the instruction.
  bool take(std::string_view modifier);
  /// The one of `modifiers` that is there; an error where none is.
  std::string_view takeOneOf(std::initializer_list<std::string_view> modifiers);
  std::string_view
  takeOptional(std::initializer_list<std::string_view> modifiers);
  /// The first modifier that is a type.
  Type takeType();
  std::optional<Space> takeSpace();
  /// The first modifier, whatever it is; empty where none is left.
  std::string_view takeAny();
  const std::vector<std::string_view> &getModifiers() const {
    return modifiers;
  }

  // The operands, in the order in which they are written.
  size_t getOperandCount() const { return statement->operands.size(); }
  const Operand &getOperand(size_t index) const;
  void expectOperands(size_t count) const { expectOperands(count, count); }
  void expectOperands(size_t least, size_t most) const;
  /// The slot of a register that is written. `bits`: the width that it must
  /// have; it may be larger where `mayBeWider`.
  uint32_t getResult(const Operand &operand, unsigned bits,
                     bool mayBeWider = false);
  /// The slot of a value of the type.
  uint32_t getValue(const Operand &operand, Type type, bool mayBeWider = false);
  uint32_t getResult(size_t index, Type type) {
    return getResult(getOperand(index), type.getWidth());
  }
  uint32_t getValue(size_t index, Type type) {
    return getValue(getOperand(index), type);
  }
  /// "[a + 8]": slot and offset; `spaceOfSymbol` where a variable is named.
  uint32_t getAddress(size_t index, int64_t &offset,
                      std::optional<Space> &spaceOfSymbol);
  /// A predicate that may be negated.
  uint32_t getPredicate(const Operand &operand, bool &isNegated);
  unsigned getRegisterBits(const Operand &operand) const;
  uint32_t getConstant(uint64_t value);
  /// Appends to the lists of the function; the index of the first.
  uint32_t addList(const std::vector<uint32_t> &slots);
  /// The index of the statement that the label names.
  uint64_t getLabel(const std::string &name) const;
  const Label &findLabel(const std::string &name) const;
  Function &getFunction(const std::string &name);
  const FunctionSyntax &getFunctionSyntax(const std::string &name) const;
  Function &getCurrentFunction() { return function; }
  const Variable &getVariable(const Operand &operand) const;
  /// What the variable's name means: a value, or an offset from slot 0.
  uint32_t getSymbol(const Variable &variable, int64_t &offset);

  [[noreturn]] void fail(const std::string &message) const {
    throw DecodeError(message);
  }

  /// What is decoded; line and guard are set.
  Instruction instruction;

private:
  uint32_t getSpecial(const std::string &name);
  void decodeStatement(const Statement &statement);

  const ModuleSyntax &module;
  const FunctionSyntax &syntax;
  Program &program;
  Function &function;
  const Statement *statement = nullptr;
  std::vector<std::string_view> modifiers;
  std::map<uint64_t, uint32_t> constantSlots;
  std::map<Special, uint32_t> specialSlots;
};

using Decode = void (*)(Decoder &);
using DecodeTable = std::map<std::string_view, Decode>;

void addArithmetic(DecodeTable &table);
void addWideArithmetic(DecodeTable &table);
void addBits(DecodeTable &table);
void addFloats(DecodeTable &table);
void addApproximations(DecodeTable &table);
void addComparisons(DecodeTable &table);
void addConversions(DecodeTable &table);
void addMoves(DecodeTable &table);
void addLoadsAndStores(DecodeTable &table);
void addAtomics(DecodeTable &table);
void addControl(DecodeTable &table);
void addWarp(DecodeTable &table);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXDECODER_H
