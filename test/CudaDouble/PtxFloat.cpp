//===- PtxFloat.cpp - Arithmetic on floats in PTX -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Narrow formats, and all but rounding to nearest in .f32, are computed in
// double, rounded to odd, and rounded once more.
//
//===----------------------------------------------------------------------===//

#include "PtxFloat.h"

#include <cfenv>

using namespace ptx;

namespace {

/// The sum of numbers that cancel is -0 where one rounds down.
double fixZero(double sum, double a, double b, Rounding rounding) {
  bool cancels = sum == 0 && std::signbit(a) != std::signbit(b);
  return cancels && rounding == Rounding::Down ? -0.0 : sum;
}

/// One that is no NaN, where there is one and `nan` does not say otherwise.
double pick(double a, double b, bool isMaximum, bool nan) {
  if (std::isnan(a) || std::isnan(b))
    return nan || std::isnan(a) == std::isnan(b) ? std::nan("")
           : std::isnan(a)                       ? b
                                                 : a;
  if (a == b)
    return std::signbit(a) == isMaximum ? b : a;
  return (a < b) == isMaximum ? b : a;
}

template <FloatOperation operation>
double computeOdd(const double (&x)[3], FloatFlags flags) {
  Rounding rounding = flags.rounding();
  switch (operation) {
  case FloatOperation::Add:
    return fixZero(addOdd(x[0], x[1]), x[0], x[1], rounding);
  case FloatOperation::Sub:
    return fixZero(addOdd(x[0], -x[1]), x[0], -x[1], rounding);
  case FloatOperation::Mul:
    return x[0] * x[1];
  case FloatOperation::Fma:
    return fixZero(fmaOdd(x[0], x[1], x[2]), x[0] * x[1], x[2], rounding);
  case FloatOperation::Div:
    return divOdd(x[0], x[1]);
  case FloatOperation::Rcp:
    return divOdd(1, x[0]);
  case FloatOperation::Sqrt:
    return sqrtOdd(x[0]);
  case FloatOperation::Abs:
    return std::fabs(x[0]);
  case FloatOperation::Neg:
    return -x[0];
  case FloatOperation::Min:
  case FloatOperation::Max: {
    bool isMaximum = operation == FloatOperation::Max;
    if (!flags.has(FloatFlags::XorSign))
      return pick(x[0], x[1], isMaximum, flags.has(FloatFlags::Nan));
    double magnitude = pick(std::fabs(x[0]), std::fabs(x[1]), isMaximum,
                            flags.has(FloatFlags::Nan));
    bool isNegative = std::signbit(x[0]) != std::signbit(x[1]);
    return isNegative ? -magnitude : magnitude;
  }
  }
  return std::nan("");
}

/// f64, by the processor's own rounding.
template <FloatOperation operation>
double computeDouble(const double (&x)[3]) {
  switch (operation) {
  case FloatOperation::Add:
    return x[0] + x[1];
  case FloatOperation::Sub:
    return x[0] - x[1];
  case FloatOperation::Mul:
    return x[0] * x[1];
  case FloatOperation::Fma:
    return std::fma(x[0], x[1], x[2]);
  case FloatOperation::Div:
    return x[0] / x[1];
  case FloatOperation::Rcp:
    return 1 / x[0];
  default:
    return std::sqrt(x[0]);
  }
}

template <FloatOperation operation>
double computeDirected(const double (&x)[3], Rounding rounding) {
  int saved = std::fegetround();
  std::fesetround(rounding == Rounding::Zero   ? FE_TOWARDZERO
                  : rounding == Rounding::Down ? FE_DOWNWARD
                                               : FE_UPWARD);
  // Neither moved before the change of the mode nor after the other.
  volatile double a = x[0], b = x[1], c = x[2];
  volatile double result = computeDouble<operation>({a, b, c});
  std::fesetround(saved);
  return result;
}

template <FloatOperation operation>
uint64_t computeLane(const Format &format, const double (&x)[3],
                     FloatFlags flags) {
  if constexpr (operation <= FloatOperation::Sqrt) {
    if (format.bits == 64) {
      double y = flags.rounding() == Rounding::NearestEven
                     ? computeDouble<operation>(x)
                     : computeDirected<operation>(x, flags.rounding());
      return put(y);
    }
  }
  return roundTo(format, computeOdd<operation>(x, flags), flags.rounding());
}

/// Any format, rounding and modifier.
template <FloatOperation operation>
void compute(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  const Format &format = getFormat(FloatFlags(i.flags).type());
  FloatFlags flags(i.flags);
  uint64_t result = 0;
  for (unsigned lane = 0; lane < i.count; ++lane) {
    unsigned shift = lane * format.bits;
    double x[3] = {widenFlushed(format, slots[i.a] >> shift, flags),
                   widenFlushed(format, slots[i.b] >> shift, flags),
                   widenFlushed(format, slots[i.c] >> shift, flags)};
    uint64_t bits =
        finish(format, computeLane<operation>(format, x, flags), flags);
    result |= bits << shift;
  }
  slots[i.d] = result;
}

float canonical(float value) {
  return std::isnan(value) ? get<float>(kF32.nan) : value;
}
double canonical(double value) { return value; }

/// .f32 and .f64, rounded to nearest, with no modifier.
template <FloatOperation operation, class T>
void computePlain(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  T a = get<T>(slots[i.a]);
  T b = get<T>(slots[i.b]);
  T result = 0;
  switch (operation) {
  case FloatOperation::Add:
    result = a + b;
    break;
  case FloatOperation::Sub:
    result = a - b;
    break;
  case FloatOperation::Mul:
    result = a * b;
    break;
  case FloatOperation::Fma:
    result = std::fma(a, b, get<T>(slots[i.c]));
    break;
  case FloatOperation::Div:
    result = a / b;
    break;
  case FloatOperation::Rcp:
    result = 1 / a;
    break;
  case FloatOperation::Sqrt:
    result = std::sqrt(a);
    break;
  default:
    result = T(pick(a, b, operation == FloatOperation::Max, /*nan=*/false));
    break;
  }
  slots[i.d] = put(canonical(result));
}

/// The sign alone is changed, of NaN too.
template <FloatOperation operation>
void changeSign(Thread &thread, const Instruction &i) {
  uint64_t value = thread.slots[i.a];
  thread.slots[i.d] = operation == FloatOperation::Abs ? value & ~i.immediate
                                                       : value ^ i.immediate;
}

template <FloatOperation operation>
Execute select(Type type, bool isPlain) {
  constexpr bool isSign =
      operation == FloatOperation::Abs || operation == FloatOperation::Neg;
  if constexpr (isSign) {
    if (isPlain)
      return changeSign<operation>;
  } else if (isPlain && type.lanes == 1 && type.bits >= 32) {
    return type.bits == 32 ? Execute(computePlain<operation, float>)
                           : Execute(computePlain<operation, double>);
  }
  return compute<operation>;
}

Execute selectOperation(FloatOperation operation, Type type, bool isPlain) {
  switch (operation) {
  case FloatOperation::Add:
    return select<FloatOperation::Add>(type, isPlain);
  case FloatOperation::Sub:
    return select<FloatOperation::Sub>(type, isPlain);
  case FloatOperation::Mul:
    return select<FloatOperation::Mul>(type, isPlain);
  case FloatOperation::Fma:
    return select<FloatOperation::Fma>(type, isPlain);
  case FloatOperation::Div:
    return select<FloatOperation::Div>(type, isPlain);
  case FloatOperation::Rcp:
    return select<FloatOperation::Rcp>(type, isPlain);
  case FloatOperation::Sqrt:
    return select<FloatOperation::Sqrt>(type, isPlain);
  case FloatOperation::Abs:
    return select<FloatOperation::Abs>(type, isPlain);
  case FloatOperation::Neg:
    return select<FloatOperation::Neg>(type, isPlain);
  case FloatOperation::Min:
    return select<FloatOperation::Min>(type, isPlain);
  case FloatOperation::Max:
    return select<FloatOperation::Max>(type, isPlain);
  }
  return nullptr;
}

size_t getOperandCount(FloatOperation operation) {
  switch (operation) {
  case FloatOperation::Rcp:
  case FloatOperation::Sqrt:
  case FloatOperation::Abs:
  case FloatOperation::Neg:
    return 1;
  case FloatOperation::Fma:
    return 3;
  default:
    return 2;
  }
}

void decodeFma(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!type.isFloat())
    decoder.fail("expected a float type");
  decodeFloat(decoder, FloatOperation::Fma, type);
}

} // namespace

FloatFlags ptx::takeFloatFlags(Decoder &decoder, Type type) {
  FloatFlags flags;
  flags.setType(type);
  std::string_view rounding = decoder.takeOptional({"rn", "rz", "rm", "rp"});
  if (rounding == "rz")
    flags.setRounding(Rounding::Zero);
  else if (rounding == "rm")
    flags.setRounding(Rounding::Down);
  else if (rounding == "rp")
    flags.setRounding(Rounding::Up);
  if (decoder.take("ftz"))
    flags.add(FloatFlags::Ftz);
  if (decoder.take("sat"))
    flags.add(FloatFlags::Sat);
  if (decoder.take("relu"))
    flags.add(FloatFlags::Relu);
  return flags;
}

double ptx::widenFlushed(const Format &format, uint64_t bits,
                         FloatFlags flags) {
  if (flags.has(FloatFlags::Ftz) && format.isSubnormal(bits))
    bits &= format.getSignBit();
  return widen(format, bits);
}

uint64_t ptx::finish(const Format &format, uint64_t bits, FloatFlags flags) {
  if (flags.has(FloatFlags::Ftz) && format.isSubnormal(bits))
    bits &= format.getSignBit();
  double value = widen(format, bits);
  if (flags.has(FloatFlags::Sat))
    return roundTo(format,
                   value >= 1  ? 1
                   : value > 0 ? value
                               : 0,
                   Rounding::NearestEven);
  if (flags.has(FloatFlags::Relu) && !(value > 0))
    return std::isnan(value) ? format.nan : 0;
  return bits;
}

void ptx::decodeFloat(Decoder &decoder, FloatOperation operation, Type type) {
  bool isMinimum =
      operation == FloatOperation::Min || operation == FloatOperation::Max;
  // What is within 2 ulp may be exact.
  if (operation == FloatOperation::Div && type == F32)
    decoder.takeOptional({"approx", "full"});
  FloatFlags flags = takeFloatFlags(decoder, type);
  if (isMinimum && decoder.take("NaN"))
    flags.add(FloatFlags::Nan);
  if (isMinimum && decoder.take("xorsign") && decoder.take("abs"))
    flags.add(FloatFlags::XorSign);
  decodeOperands(decoder, type, getOperandCount(operation));
  Instruction &i = decoder.instruction;
  const Format &format = getFormat(type);
  i.immediate = format.getSignBit();
  if (type.lanes == 2)
    i.immediate |= i.immediate << format.bits;
  i.count = type.lanes;
  i.flags = flags.getBits();
  i.execute = selectOperation(operation, type, flags.isPlain());
}

void ptx::addFloats(DecodeTable &table) { table["fma"] = decodeFma; }
