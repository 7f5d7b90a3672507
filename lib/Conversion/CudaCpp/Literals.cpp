//===- Literals.cpp - Types and constants ---------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::cudacpp;

std::string cudacpp::getTypeName(Type type) {
  if (type.isF16())
    return "__half";
  if (type.isBF16())
    return "__nv_bfloat16";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isIndex())
    return "int64_t";
  if (type.isInteger(1))
    return "bool";
  for (unsigned width : {8, 16, 32, 64})
    if (type.isInteger(width))
      return "int" + std::to_string(width) + "_t";
  return "";
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// The shortest decimal that is read as the same number.
static std::string getDecimal(double value, bool isFloat) {
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (isFloat ? std::strtof(text, nullptr) == float(value)
                : std::strtod(text, nullptr) == value)
      break;
  }
  std::string result = text;
  if (!StringRef(result).contains_insensitive('e') &&
      !StringRef(result).contains('.'))
    result += ".0";
  return result + (isFloat ? "f" : "");
}

static std::string getFloatLiteral(const APFloat &number, Type type) {
  if (isHalf(type)) {
    APFloat wide = number;
    bool isInexact;
    wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &isInexact);
    return getTypeName(type) + "(" +
           getFloatLiteral(wide, Float32Type::get(type.getContext())) + ")";
  }
  if (number.isNaN())
    return "NAN";
  if (number.isInfinity())
    return number.isNegative() ? "-INFINITY" : "INFINITY";
  return getDecimal(type.isF32() ? number.convertToFloat()
                                 : number.convertToDouble(),
                    type.isF32());
}

static std::string getIntegerLiteral(const APInt &number, Type type) {
  if (type.isInteger(1))
    return number.isZero() ? "false" : "true";
  int64_t value = number.getSExtValue();
  if (value == INT64_MIN)
    return "INT64_MIN";
  if (value == INT32_MIN)
    return "INT32_MIN";
  std::string text = std::to_string(value);
  return value > INT32_MAX || value < INT32_MIN ? text + "LL" : text;
}

std::string cudacpp::getLiteral(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return getFloatLiteral(number.getValue(), number.getType());
  if (auto number = dyn_cast<IntegerAttr>(value))
    return getIntegerLiteral(number.getValue(), number.getType());
  return "";
}
