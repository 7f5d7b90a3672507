//===- PtxParser.cpp - Parses PTX: modules, variables, functions ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxParser.h"

#include <cstring>

using namespace ptx;

void Parser::fail(const std::string &expected) {
  const Token &token = lexer.peek();
  std::string got = token.kind == Token::End
                        ? "the end of the text"
                        : "'" + std::string(token.text) + "'";
  throw SyntaxError(token.line, "expected " + expected + ", got " + got);
}

bool Parser::accept(std::string_view text) {
  if (!lexer.peek().is(text) || lexer.peek().kind == Token::End)
    return false;
  lexer.next();
  return true;
}

void Parser::expect(std::string_view text) {
  if (!accept(text))
    fail("'" + std::string(text) + "'");
}

std::string Parser::parseWord() {
  if (lexer.peek().kind != Token::Word)
    fail("a name");
  return std::string(lexer.next().text);
}

int64_t Parser::parseInteger() {
  bool isNegative = accept("-");
  if (lexer.peek().kind != Token::Integer)
    fail("an integer");
  uint64_t value = lexer.next().value;
  return static_cast<int64_t>(isNegative ? 0 - value : value);
}

void Parser::parseModule() {
  bool isExtern = false;
  while (lexer.peek().kind != Token::End) {
    Token token = lexer.next();
    if (token.is(".version") || token.is(".target") ||
        token.is(".address_size") || token.is(".file") || token.is(".loc")) {
      lexer.skipLine(token);
      continue;
    }
    if (token.is(".visible") || token.is(".weak") || token.is(".common"))
      continue;
    if (token.is(".extern")) {
      isExtern = true;
      continue;
    }
    if (token.is(".entry") || token.is(".func")) {
      parseFunction(token.is(".entry"));
    } else if (token.is(".section")) {
      skipSection();
    } else if (token.is(".pragma")) {
      lexer.next();
      expect(";");
    } else if (std::optional<Space> space =
                   getSpace(token.text.substr(token.kind == Token::Directive));
               space && token.kind == Token::Directive) {
      parseVariables(*space, isExtern);
    } else {
      throw SyntaxError(token.line, "expected a directive of a module, got '" +
                                        std::string(token.text) + "'");
    }
    isExtern = false;
  }
}

void Parser::skipSection() {
  while (!accept("{")) {
    if (lexer.peek().kind == Token::End)
      fail("'{'");
    lexer.next();
  }
  while (!accept("}")) {
    if (lexer.peek().kind == Token::End)
      fail("'}'");
    lexer.next();
  }
}

void Parser::parseFunction(bool isEntry) {
  FunctionSyntax syntax;
  function = &syntax;
  syntax.isEntry = isEntry;
  syntax.line = lexer.peek().line;
  scopes.assign(1, Scope());
  syntax.scopeParents = {0};
  while (lexer.peek().is(".attribute"))
    skipSection();
  if (!isEntry && lexer.peek().is("("))
    parseParameters(syntax.returns);
  syntax.name = parseWord();
  if (lexer.peek().is("("))
    parseParameters(syntax.parameters);
  parseFunctionDirectives();
  if (!accept(";")) {
    syntax.hasBody = true;
    parseBody();
  }
  function = nullptr;
  FunctionSyntax &known = module.functions[syntax.name];
  if (known.hasBody && syntax.hasBody)
    throw SyntaxError(syntax.line, "function '" + syntax.name +
                                       "' is defined again: it is defined in "
                                       "line " +
                                       std::to_string(known.line));
  if (!known.hasBody)
    known = std::move(syntax);
}

/// .maxntid 128, 1, 1 and the like.
void Parser::parseFunctionDirectives() {
  while (lexer.peek().kind == Token::Directive) {
    Token name = lexer.next();
    if (name.is(".pragma")) {
      lexer.next();
      expect(";");
      continue;
    }
    uint64_t product = 1;
    if (lexer.peek().kind == Token::Integer) {
      do
        product *= parseInteger();
      while (accept(","));
    }
    if (name.is(".maxntid"))
      function->maximumThreads = product;
    else if (name.is(".reqntid"))
      function->requiredThreads = product;
    else if (!name.is(".minnctapersm") && !name.is(".maxnreg") &&
             !name.is(".noreturn"))
      throw SyntaxError(name.line, "unknown directive '" +
                                       std::string(name.text) +
                                       "' of a function");
  }
}

void Parser::parseParameters(std::vector<const Variable *> &parameters) {
  expect("(");
  if (accept(")"))
    return;
  do
    parameters.push_back(parseParameter());
  while (accept(","));
  expect(")");
}

/// .param .u64 .ptr .global .align 16 name
const Variable *Parser::parseParameter() {
  expect(".param");
  uint64_t alignment = 0;
  std::optional<Type> type;
  while (lexer.peek().kind == Token::Directive) {
    Token token = lexer.next();
    bool isPointee = token.is(".ptr");
    if (isPointee && lexer.peek().kind == Token::Directive &&
        getSpace(lexer.peek().text.substr(1)))
      lexer.next();
    if (token.is(".align") || (isPointee && accept(".align"))) {
      uint64_t value = parseInteger();
      if (!isPointee)
        alignment = value;
    } else if (!isPointee && !(type = getType(token.text.substr(1)))) {
      throw SyntaxError(token.line, "unknown attribute '" +
                                        std::string(token.text) +
                                        "' of a parameter");
    }
  }
  if (!type)
    fail("a type");
  return &parseVariable(Space::Param, alignment, /*lanes=*/1, *type);
}

/// After the space: .align 4 .v2 .b8 a[24] = {1, 2}, b;
void Parser::parseVariables(Space space, bool isExtern) {
  uint64_t alignment = 0;
  unsigned lanes = 1;
  std::optional<Type> type;
  while (lexer.peek().kind == Token::Directive) {
    Token token = lexer.next();
    if (token.is(".align"))
      alignment = parseInteger();
    else if (token.is(".attribute"))
      throw SyntaxError(token.line, "unknown attribute of a variable");
    else if (token.is(".v2") || token.is(".v4"))
      lanes = token.is(".v2") ? 2 : 4;
    else if (!(type = getType(token.text.substr(1))))
      throw SyntaxError(token.line,
                        "unknown type '" + std::string(token.text) + "'");
  }
  if (!type)
    fail("a type");
  do {
    Variable &variable = parseVariable(space, alignment, lanes, *type);
    variable.isExtern = isExtern;
    if (accept("="))
      parseInitializer(variable, type->getBytes());
  } while (accept(","));
  expect(";");
}

Variable &Parser::parseVariable(Space space, uint64_t alignment, unsigned lanes,
                                Type type) {
  Variable variable;
  variable.line = lexer.peek().line;
  variable.name = parseWord();
  variable.space = space;
  variable.size = uint64_t(type.getBytes()) * lanes;
  variable.alignment = alignment ? alignment : variable.size;
  while (accept("[")) {
    variable.size *= lexer.peek().is("]") ? 0 : parseInteger();
    expect("]");
  }
  place(variable);
  module.variables.push_back(std::move(variable));
  Variable &kept = module.variables.back();
  if (function)
    scopes.back().variables[kept.name] = &kept;
  else
    module.globals[kept.name] = &kept;
  return kept;
}

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Gives the variable its address; `.global` and `.const` ones get theirs when
/// all are known.
void Parser::place(Variable &variable) {
  if (!variable.alignment || variable.alignment > 4096)
    throw SyntaxError(variable.line,
                      "unusable alignment of '" + variable.name + "'");
  if (variable.size > uint64_t(1) << 30)
    throw SyntaxError(variable.line,
                      "variable '" + variable.name + "' is too large");
  auto append = [&](uint64_t &end, uint64_t gap) {
    variable.address = alignTo(end, variable.alignment);
    end = variable.address + variable.size + gap;
  };
  if (variable.space == Space::Shared) {
    append(module.sharedBytes, kSharedGap);
  } else if (variable.space == Space::Param && function->isEntry &&
             scopes.size() == 1 && !function->hasBody) {
    append(function->parameterBytes, 0);
    variable.address += kParamWindow;
  } else if (variable.space == Space::Param || variable.space == Space::Local) {
    if (!function)
      throw SyntaxError(variable.line,
                        "unknown use of a variable outside functions");
    variable.inFrame = true;
    append(function->frameBytes, 0);
  }
}

void Parser::parseInitializer(Variable &variable, uint64_t elementBytes) {
  if (variable.space != Space::Global && variable.space != Space::Const)
    fail("no initializer outside .global and .const");
  if (!accept("{")) {
    parseInitialElement(variable, elementBytes);
  } else if (!accept("}")) {
    do
      if (lexer.peek().is("{"))
        parseInitializer(variable, elementBytes);
      else
        parseInitialElement(variable, elementBytes);
    while (accept(","));
    expect("}");
  }
  if (variable.initial.size() > variable.size)
    fail("at most " + std::to_string(variable.size) + " bytes of '" +
         variable.name + "'");
}

/// 65, 0f3F800000, name+4 or generic(name)+4.
void Parser::parseInitialElement(Variable &variable, uint64_t elementBytes) {
  uint64_t value = 0;
  if (lexer.peek().kind == Token::Real) {
    Token token = lexer.next();
    if (token.isSingle != (elementBytes == 4))
      throw SyntaxError(token.line, "number of another size than the element");
    value = token.value;
  } else if (lexer.peek().kind == Token::Word) {
    AddressOf address;
    bool isGeneric = accept("generic");
    if (isGeneric)
      expect("(");
    address.variable = parseWord();
    if (isGeneric)
      expect(")");
    if (accept("+"))
      address.addend = parseInteger();
    if (elementBytes != 8)
      fail("an element of 8 bytes for an address");
    address.offset = variable.initial.size();
    address.bytes = elementBytes;
    variable.addresses.push_back(std::move(address));
  } else {
    value = parseInteger();
  }
  for (uint64_t byte = 0; byte < elementBytes; ++byte)
    variable.initial.push_back(uint8_t(value >> (8 * byte)));
}
