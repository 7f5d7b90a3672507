//===- PtxParser.h - Parses PTX ---------------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXPARSER_H
#define COMM_TEST_CUDADOUBLE_PTXPARSER_H

#include "PtxLexer.h"
#include "PtxSyntax.h"

namespace ptx {

/// Bytes that no variable in shared memory has, after each: no access is
/// longer, so none that starts in one variable ends in another.
inline constexpr uint64_t kSharedGap = 32;

/// Throws SyntaxError.
class Parser {
public:
  Parser(std::string_view text, ModuleSyntax &module)
      : lexer(text), module(module) {}

  void parseModule();

private:
  struct Scope {
    unsigned id = 0;
    std::map<std::string, uint32_t> registers;
    std::map<std::string, const Variable *> variables;
  };

  // PtxParser.cpp: modules, variables, functions.
  [[noreturn]] void fail(const std::string &expected);
  bool accept(std::string_view text);
  void expect(std::string_view text);
  std::string parseWord();
  int64_t parseInteger();
  void parseFunction(bool isEntry);
  void parseFunctionDirectives();
  const Variable *parseParameter();
  void parseParameters(std::vector<const Variable *> &parameters);
  void parseVariables(Space space, bool isExtern);
  Variable &parseVariable(Space space, uint64_t alignment, unsigned lanes,
                          Type type);
  void parseInitializer(Variable &variable, uint64_t elementBytes);
  void parseInitialElement(Variable &variable, uint64_t elementBytes);
  void place(Variable &variable);
  void skipSection();

  // PtxStatements.cpp: bodies.
  void parseBody();
  bool parseBodyDirective();
  void parseRegisters();
  void addRegister(const std::string &name, unsigned bits);
  void parseStatementOrLabel();
  void parseLabel(const std::string &name);
  void parseInstruction(Statement statement);
  Operand parseOperand();
  Operand parsePrimary();
  Operand parseSigned();
  Operand parseList(Operand::Kind kind, std::string_view end);
  Operand resolve(const std::string &name);
  uint32_t findRegister(const std::string &name);

  Lexer lexer;
  ModuleSyntax &module;
  FunctionSyntax *function = nullptr;
  std::vector<Scope> scopes;
};

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXPARSER_H
