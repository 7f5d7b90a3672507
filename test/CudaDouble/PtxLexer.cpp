//===- PtxLexer.cpp - Tokens of PTX ---------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxLexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

using namespace ptx;

static bool isWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

static bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

/// The end of the word at `position`. Dots and "::" are part of it where a name
/// follows: modifiers.
static size_t findWordEnd(std::string_view text, size_t position) {
  auto isPart = [&](size_t at) {
    return at < text.size() && isWordPart(text[at]);
  };
  ++position;
  while (true) {
    if (isPart(position))
      ++position;
    else if (text.substr(position, 1) == "." && isPart(position + 1))
      position += 2;
    else if (text.substr(position, 2) == "::" && isPart(position + 2))
      position += 3;
    else
      return position;
  }
}

// What is shipped ends with a zero byte.
Lexer::Lexer(std::string_view text) : text(text.substr(0, text.find('\0'))) {
  advance();
}

Token Lexer::next() {
  Token result = token;
  advance();
  return result;
}

void Lexer::skipLine(const Token &of) {
  while (token.kind != Token::End && token.line == of.line)
    advance();
}

void Lexer::skipSpace() {
  while (position < text.size()) {
    if (text[position] == '\n')
      ++line;
    if (std::isspace(static_cast<unsigned char>(text[position]))) {
      ++position;
    } else if (text.substr(position, 2) == "//") {
      position = std::min(text.find('\n', position), text.size());
    } else if (text.substr(position, 2) == "/*") {
      size_t end = text.find("*/", position + 2);
      if (end == std::string_view::npos)
        throw SyntaxError(line, "comment without an end");
      for (; position < end + 2; ++position)
        line += text[position] == '\n';
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skipSpace();
  token = Token();
  token.line = line;
  if (position == text.size())
    return;
  size_t start = position;
  char c = text[position];
  if (isWordStart(c)) {
    token.kind = Token::Word;
    position = findWordEnd(text, position);
  } else if (std::isdigit(static_cast<unsigned char>(c))) {
    lexNumber();
  } else if (c == '.' && position + 1 < text.size() &&
             isWordStart(text[position + 1])) {
    token.kind = Token::Directive;
    position = findWordEnd(text, position + 1);
  } else if (c == '"') {
    token.kind = Token::String;
    size_t end = text.find('"', position + 1);
    if (end == std::string_view::npos)
      throw SyntaxError(line, "string without an end");
    position = end + 1;
  } else {
    token.kind = Token::Punctuation;
    ++position;
  }
  token.text = text.substr(start, position - start);
}

void Lexer::lexNumber() {
  std::string_view prefix = text.substr(position, 2);
  if (prefix == "0f" || prefix == "0F")
    return lexReal(/*isSingle=*/true);
  if (prefix == "0d" || prefix == "0D")
    return lexReal(/*isSingle=*/false);
  size_t end = position;
  while (end < text.size() && (isWordPart(text[end]) || text[end] == '.'))
    ++end;
  std::string digits(text.substr(position, end - position));
  position = end;
  char *rest = nullptr;
  bool isHex = prefix == "0x" || prefix == "0X";
  if (!isHex && digits.find_first_of(".eE") != std::string::npos) {
    double value = std::strtod(digits.c_str(), &rest);
    std::memcpy(&token.value, &value, sizeof(value));
    token.kind = Token::Real;
  } else if (prefix == "0b" || prefix == "0B") {
    token.value = std::strtoull(digits.c_str() + 2, &rest, 2);
    token.kind = Token::Integer;
  } else {
    token.value = std::strtoull(digits.c_str(), &rest, 0);
    token.kind = Token::Integer;
  }
  if (*rest == 'U')
    ++rest;
  if (*rest)
    throw SyntaxError(line, "expected a number, got '" + digits + "'");
}

void Lexer::lexReal(bool isSingle) {
  size_t digits = isSingle ? 8 : 16;
  std::string hex(text.substr(position + 2, digits));
  char *rest = nullptr;
  token.kind = Token::Real;
  token.isSingle = isSingle;
  token.value = std::strtoull(hex.c_str(), &rest, 16);
  if (hex.size() != digits || *rest)
    throw SyntaxError(line, "expected " + std::to_string(digits) +
                                " hexadecimal digits, got '" + hex + "'");
  position += 2 + digits;
}
