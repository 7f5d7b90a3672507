//===- PtxSyntax.h - A PTX module as it is written --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of registers and variables are resolved here, as they depend on the
// braces around them; labels and functions are resolved by the decoder.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXSYNTAX_H
#define COMM_TEST_CUDADOUBLE_PTXSYNTAX_H

#include "PtxType.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ptx {

struct Variable;

/// Where an initializer holds the address of another variable.
struct AddressOf {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string variable;
  int64_t addend = 0;
};

struct Variable {
  std::string name;
  uint32_t line = 0;
  Space space = Space::Generic;
  uint64_t size = 0;
  uint64_t alignment = 1;
  bool isExtern = false;
  std::vector<uint8_t> initial;
  std::vector<AddressOf> addresses;

  /// In the frame of the function: `address` counts from the frame's start.
  /// Otherwise it is what the name means in an instruction.
  bool inFrame = false;
  uint64_t address = 0;
};

struct Register {
  std::string name;
  /// 1 for predicates.
  unsigned bits = 0;
};

struct Operand {
  enum Kind {
    Register,  // %r1, !%p1
    Immediate, // 7, -7
    Real,      // 0f3F800000
    Symbol,    // variable + offset
    Name,      // a special register, a label or a function
    Address,   // [parts[0] + offset]
    Vector,    // {parts}
    Pair,      // parts[0]|parts[1]
    List,      // (parts), of a call
    Sink,      // _
  };
  Kind kind = Sink;
  /// !%p1 or -0f3F800000.
  bool isNegated = false;
  bool isSingle = false;
  uint32_t registerIndex = 0;
  uint64_t value = 0;
  int64_t offset = 0;
  const Variable *variable = nullptr;
  std::string name;
  std::vector<Operand> parts;
};

struct Statement {
  uint32_t line = 0;
  /// Index of a register; -1: always.
  int64_t guard = -1;
  bool guardIsNegated = false;
  /// "ld.global.v2.b64"
  std::string opcode;
  std::vector<Operand> operands;
  /// In which braces: see FunctionSyntax::scopeParents.
  unsigned scope = 0;
};

struct Label {
  /// Index of the statement that follows.
  size_t statement = 0;
  /// Of a `.branchtargets`.
  std::vector<std::string> targets;
  unsigned scope = 0;
};

struct FunctionSyntax {
  std::string name;
  uint32_t line = 0;
  bool isEntry = false;
  bool hasBody = false;
  std::vector<const Variable *> returns;
  std::vector<const Variable *> parameters;
  std::vector<ptx::Register> registers;
  std::vector<Statement> statements;
  std::map<std::pair<unsigned, std::string>, Label> labels;
  /// The scope around each; scope 0 is the body.
  std::vector<unsigned> scopeParents;
  /// Bytes of what is in the frame, and of the parameters of an entry.
  uint64_t frameBytes = 0;
  uint64_t parameterBytes = 0;
  uint64_t maximumThreads = 0;
  uint64_t requiredThreads = 0;
};

struct ModuleSyntax {
  /// All of all functions; pointers to them stay valid.
  std::deque<Variable> variables;
  std::map<std::string, const Variable *> globals;
  std::map<std::string, FunctionSyntax> functions;
  /// Bytes of all shared variables with the gaps between them.
  uint64_t sharedBytes = 0;
};

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXSYNTAX_H
