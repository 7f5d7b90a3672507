//===- PtxType.h - Types and state spaces of PTX ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXTYPE_H
#define COMM_TEST_CUDADOUBLE_PTXTYPE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptx {

/// .b16, .u16, .s16, .f16, .bf16, .pred.
enum class Kind : uint8_t { Bits, Unsigned, Signed, Float, Brain, Predicate };

/// A fundamental type, or several of them packed into one register (.f16x2).
struct Type {
  Kind kind = Kind::Bits;
  /// Of one lane.
  uint8_t bits = 0;
  uint8_t lanes = 1;

  bool operator==(const Type &other) const {
    return kind == other.kind && bits == other.bits && lanes == other.lanes;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }

  bool isFloat() const { return kind == Kind::Float || kind == Kind::Brain; }
  bool isSigned() const { return kind == Kind::Signed; }
  bool isInteger() const {
    return kind == Kind::Unsigned || kind == Kind::Signed;
  }
  bool isPredicate() const { return kind == Kind::Predicate; }
  /// Bits of a register that holds it.
  unsigned getWidth() const { return bits * lanes; }
  unsigned getBytes() const { return getWidth() / 8; }
};

inline constexpr Type U16{Kind::Unsigned, 16};
inline constexpr Type U32{Kind::Unsigned, 32};
inline constexpr Type U64{Kind::Unsigned, 64};
inline constexpr Type B32{Kind::Bits, 32};
inline constexpr Type F32{Kind::Float, 32};
inline constexpr Type Pred{Kind::Predicate, 1};

/// "f16x2" -> {Float, 16, 2}; nothing where it is not a type.
std::optional<Type> getType(std::string_view name);

enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// "global", "shared::cta", "param::entry", ...; nothing where it is no space.
std::optional<Space> getSpace(std::string_view name);

/// Generic addresses of what is not the host's memory start here. No address of
/// the host is as large. Addresses in .local and .param space are their generic
/// ones, those in .shared are offsets.
inline constexpr uint64_t kParamWindow = uint64_t(0xC0) << 56;
inline constexpr uint64_t kLocalWindow = uint64_t(0xD0) << 56;
inline constexpr uint64_t kSharedWindow = uint64_t(0xE0) << 56;
inline constexpr uint64_t kFirstWindow = kParamWindow;

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXTYPE_H
