//===- PtxType.cpp - Types and state spaces of PTX ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxType.h"

#include <algorithm>
#include <iterator>

using namespace ptx;

namespace {

struct NamedType {
  std::string_view name;
  Type type;
};

constexpr NamedType kTypes[] = {
    {"b8", {Kind::Bits, 8}},
    {"b16", {Kind::Bits, 16}},
    {"b32", {Kind::Bits, 32}},
    {"b64", {Kind::Bits, 64}},
    {"u8", {Kind::Unsigned, 8}},
    {"u16", {Kind::Unsigned, 16}},
    {"u32", {Kind::Unsigned, 32}},
    {"u64", {Kind::Unsigned, 64}},
    {"s8", {Kind::Signed, 8}},
    {"s16", {Kind::Signed, 16}},
    {"s32", {Kind::Signed, 32}},
    {"s64", {Kind::Signed, 64}},
    {"u16x2", {Kind::Unsigned, 16, 2}},
    {"s16x2", {Kind::Signed, 16, 2}},
    {"f16", {Kind::Float, 16}},
    {"f16x2", {Kind::Float, 16, 2}},
    {"bf16", {Kind::Brain, 16}},
    {"bf16x2", {Kind::Brain, 16, 2}},
    {"f32", {Kind::Float, 32}},
    {"f32x2", {Kind::Float, 32, 2}},
    {"f64", {Kind::Float, 64}},
    {"pred", {Kind::Predicate, 1}},
};

struct NamedSpace {
  std::string_view name;
  Space space;
};

constexpr NamedSpace kSpaces[] = {
    {"global", Space::Global},      {"const", Space::Const},
    {"shared", Space::Shared},      {"shared::cta", Space::Shared},
    {"local", Space::Local},        {"param", Space::Param},
    {"param::entry", Space::Param}, {"param::func", Space::Param},
};

} // namespace

std::optional<Type> ptx::getType(std::string_view name) {
  const auto *it =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const NamedType &type) { return type.name == name; });
  if (it == std::end(kTypes))
    return std::nullopt;
  return it->type;
}

std::optional<Space> ptx::getSpace(std::string_view name) {
  const auto *it =
      std::find_if(std::begin(kSpaces), std::end(kSpaces),
                   [&](const NamedSpace &space) { return space.name == name; });
  if (it == std::end(kSpaces))
    return std::nullopt;
  return it->space;
}
