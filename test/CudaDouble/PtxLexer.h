//===- PtxLexer.h - Tokens of PTX -------------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXLEXER_H
#define COMM_TEST_CUDADOUBLE_PTXLEXER_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptx {

/// "line 3: ..."
struct SyntaxError : std::runtime_error {
  SyntaxError(uint32_t line, const std::string &message)
      : std::runtime_error("line " + std::to_string(line) + ": " + message) {}
};

struct Token {
  enum Kind {
    End,
    /// A name with its modifiers: "add.s64", "%tid.x", "$L__BB0_2".
    Word,
    /// With its dot: ".reg".
    Directive,
    Integer,
    /// "0f3F800000", "0d..." or "1.5".
    Real,
    String,
    /// One character.
    Punctuation,
  };
  Kind kind = End;
  std::string_view text;
  uint32_t line = 1;
  /// Of Integer, and the bits of a double where Real.
  uint64_t value = 0;
  /// "0f...": `value` has the bits of a float.
  bool isSingle = false;

  bool is(std::string_view other) const { return text == other; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text);

  const Token &peek() const { return token; }
  Token next();
  /// Drops what is left of the line of `token`.
  void skipLine(const Token &token);

private:
  void skipSpace();
  void advance();
  void lexNumber();
  void lexReal(bool isSingle);

  std::string_view text;
  size_t position = 0;
  uint32_t line = 1;
  Token token;
};

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXLEXER_H
