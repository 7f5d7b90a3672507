//===- PtxStatements.cpp - Parses PTX: bodies of functions ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxParser.h"

using namespace ptx;

void Parser::parseBody() {
  expect("{");
  while (true) {
    if (accept("{")) {
      Scope scope;
      scope.id = function->scopeParents.size();
      function->scopeParents.push_back(scopes.back().id);
      scopes.push_back(std::move(scope));
    } else if (accept("}")) {
      if (scopes.size() == 1)
        return;
      scopes.pop_back();
    } else if (lexer.peek().kind == Token::Directive) {
      parseBodyDirective();
    } else {
      parseStatementOrLabel();
    }
  }
}

bool Parser::parseBodyDirective() {
  Token token = lexer.next();
  if (token.is(".loc") || token.is(".file")) {
    lexer.skipLine(token);
  } else if (token.is(".pragma")) {
    lexer.next();
    expect(";");
  } else if (token.is(".reg")) {
    parseRegisters();
  } else if (std::optional<Space> space = getSpace(token.text.substr(1))) {
    parseVariables(*space, /*isExtern=*/false);
  } else {
    throw SyntaxError(token.line, "expected a directive of a function, got '" +
                                      std::string(token.text) + "'");
  }
  return true;
}

/// After .reg: .b32 %r<5>, %q;
void Parser::parseRegisters() {
  Token token = lexer.next();
  std::optional<Type> type;
  if (token.kind == Token::Directive)
    type = getType(token.text.substr(1));
  if (!type)
    throw SyntaxError(token.line,
                      "unknown type '" + std::string(token.text) + "'");
  do {
    std::string name = parseWord();
    if (!accept("<")) {
      addRegister(name, type->getWidth());
      continue;
    }
    int64_t count = parseInteger();
    if (count < 0 || count > 1 << 20)
      fail("a number of registers");
    for (int64_t i = 0; i < count; ++i)
      addRegister(name + std::to_string(i), type->getWidth());
    expect(">");
  } while (accept(","));
  expect(";");
}

void Parser::addRegister(const std::string &name, unsigned bits) {
  scopes.back().registers[name] = function->registers.size();
  function->registers.push_back({name, bits});
}

void Parser::parseStatementOrLabel() {
  Statement statement;
  statement.scope = scopes.back().id;
  if (accept("@")) {
    statement.guardIsNegated = accept("!");
    uint32_t line = lexer.peek().line;
    statement.guard = findRegister(parseWord());
    if (function->registers[statement.guard].bits != 1)
      throw SyntaxError(line, "expected a predicate");
    statement.line = lexer.peek().line;
    statement.opcode = parseWord();
    return parseInstruction(std::move(statement));
  }
  statement.line = lexer.peek().line;
  statement.opcode = parseWord();
  if (accept(":"))
    return parseLabel(statement.opcode);
  parseInstruction(std::move(statement));
}

/// A label of the next instruction, or "name: .branchtargets a, b;".
void Parser::parseLabel(const std::string &name) {
  Label label;
  label.statement = function->statements.size();
  label.scope = scopes.back().id;
  if (accept(".branchtargets")) {
    do
      label.targets.push_back(parseWord());
    while (accept(","));
    expect(";");
  } else if (lexer.peek().is(".calltargets") ||
             lexer.peek().is(".callprototype")) {
    fail("no indirect call");
  }
  auto key = std::make_pair(label.scope, name);
  if (!function->labels.emplace(key, std::move(label)).second)
    fail("no second label '" + name + "'");
}

void Parser::parseInstruction(Statement statement) {
  if (!accept(";")) {
    do
      statement.operands.push_back(parseOperand());
    while (accept(","));
    expect(";");
  }
  function->statements.push_back(std::move(statement));
}

Operand Parser::parseOperand() {
  Operand operand = parsePrimary();
  if (!accept("|"))
    return operand;
  Operand pair;
  pair.kind = Operand::Pair;
  pair.parts.push_back(std::move(operand));
  pair.parts.push_back(parsePrimary());
  return pair;
}

Operand Parser::parseList(Operand::Kind kind, std::string_view end) {
  Operand list;
  list.kind = kind;
  if (accept(end))
    return list;
  do
    list.parts.push_back(parseOperand());
  while (accept(","));
  expect(end);
  return list;
}

Operand Parser::parsePrimary() {
  if (accept("{"))
    return parseList(Operand::Vector, "}");
  if (accept("("))
    return parseList(Operand::List, ")");
  if (accept("[")) {
    Operand address;
    address.kind = Operand::Address;
    address.parts.push_back(parseSigned());
    std::swap(address.offset, address.parts[0].offset);
    expect("]");
    return address;
  }
  if (accept("!")) {
    Operand operand = resolve(parseWord());
    operand.isNegated = true;
    return operand;
  }
  return parseSigned();
}

/// A number with its sign, or a name with what is added to it.
Operand Parser::parseSigned() {
  Operand operand;
  bool isNegative = accept("-");
  Token token = lexer.peek();
  if (token.kind == Token::Real) {
    lexer.next();
    operand.kind = Operand::Real;
    operand.value = token.value;
    operand.isSingle = token.isSingle;
    operand.isNegated = isNegative;
    return operand;
  }
  if (token.kind == Token::Integer) {
    lexer.next();
    operand.kind = Operand::Immediate;
    operand.value = isNegative ? 0 - token.value : token.value;
    return operand;
  }
  if (isNegative)
    fail("a number");
  operand = resolve(parseWord());
  if (accept("+"))
    operand.offset = parseInteger();
  else if (lexer.peek().is("-"))
    operand.offset = parseInteger();
  return operand;
}

Operand Parser::resolve(const std::string &name) {
  Operand operand;
  if (name == "_")
    return operand;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (auto it = scope->registers.find(name); it != scope->registers.end()) {
      operand.kind = Operand::Register;
      operand.registerIndex = it->second;
      return operand;
    }
    if (auto it = scope->variables.find(name); it != scope->variables.end()) {
      operand.kind = Operand::Symbol;
      operand.variable = it->second;
      return operand;
    }
  }
  auto it = module.globals.find(name);
  operand.kind = it == module.globals.end() ? Operand::Name : Operand::Symbol;
  operand.variable = it == module.globals.end() ? nullptr : it->second;
  operand.name = name;
  return operand;
}

uint32_t Parser::findRegister(const std::string &name) {
  Operand operand = resolve(name);
  if (operand.kind != Operand::Register)
    fail("a register before, not '" + name + "',");
  return operand.registerIndex;
}
