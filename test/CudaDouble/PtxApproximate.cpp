//===- PtxApproximate.cpp - Approximate functions of PTX ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in double and rounded to nearest: as near to the exact value as it
// can be, so within what the ISA allows.
//
//===----------------------------------------------------------------------===//

#include "PtxFloat.h"

using namespace ptx;

namespace {

using Function1 = double (*)(double);

double rsqrt(double x) { return 1 / std::sqrt(x); }
double rcp(double x) { return 1 / x; }

template <Function1 function>
void approximate(Thread &thread, const Instruction &i) {
  FloatFlags flags(i.flags);
  const Format &format = getFormat(flags.type());
  uint64_t result = 0;
  for (unsigned lane = 0; lane < i.count; ++lane) {
    unsigned shift = lane * format.bits;
    double x = widenFlushed(format, thread.slots[i.a] >> shift, flags);
    uint64_t bits = roundTo(format, function(x), Rounding::NearestEven);
    result |= finish(format, bits, flags) << shift;
  }
  thread.slots[i.d] = result;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: of the upper halves.
template <Function1 function>
void approximateUpper(Thread &thread, const Instruction &i) {
  constexpr uint64_t upper = 0xffffffff00000000;
  FloatFlags flags(i.flags);
  uint64_t x = thread.slots[i.a] & upper;
  double y = function(widenFlushed(kF64, x, flags));
  thread.slots[i.d] = finish(kF64, put(y) & upper, flags);
}

void prepare(Decoder &decoder, Type type) {
  FloatFlags flags;
  flags.setType(type);
  if (decoder.take("ftz"))
    flags.add(FloatFlags::Ftz);
  decodeOperands(decoder, type, 1);
  decoder.instruction.flags = flags.getBits();
  decoder.instruction.count = type.lanes;
}

/// `narrow`: .f16 and .bf16 too.
template <Function1 function, bool narrow>
void decodeApproximation(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.takeOneOf({"approx"});
  if (type != F32 && !(narrow && type.isFloat() && type.bits == 16))
    decoder.fail("unexpected type");
  prepare(decoder, type);
  decoder.instruction.execute = approximate<function>;
}

template <Function1 function>
void decodeApproximationOrDouble(Decoder &decoder, Type type) {
  decoder.takeOneOf({"approx"});
  prepare(decoder, type);
  bool isUpper = type.bits == 64 &&
                 FloatFlags(decoder.instruction.flags).has(FloatFlags::Ftz);
  if (type == F32 || type.bits == 64)
    decoder.instruction.execute =
        isUpper ? approximateUpper<function> : approximate<function>;
}

void decodeRsqrt(Decoder &decoder) {
  decodeApproximationOrDouble<rsqrt>(decoder, decoder.takeType());
}

bool isApproximate(const Decoder &decoder) {
  for (std::string_view modifier : decoder.getModifiers())
    if (modifier == "approx")
      return true;
  return false;
}

void decodeRcp(Decoder &decoder) {
  Type type = decoder.takeType();
  if (isApproximate(decoder))
    decodeApproximationOrDouble<rcp>(decoder, type);
  else if (type.isFloat() && type.bits >= 32)
    decodeFloat(decoder, FloatOperation::Rcp, type);
}

void decodeSqrt(Decoder &decoder) {
  if (isApproximate(decoder))
    return decodeApproximation<std::sqrt, false>(decoder);
  Type type = decoder.takeType();
  if (type.isFloat() && type.bits >= 32)
    decodeFloat(decoder, FloatOperation::Sqrt, type);
}

/// The magnitude of b with the sign of a.
void copySign(Thread &thread, const Instruction &i) {
  uint64_t a = thread.slots[i.a];
  uint64_t b = thread.slots[i.b];
  thread.slots[i.d] = (a & i.immediate) | (b & ~i.immediate);
}

void decodeCopySign(Decoder &decoder) {
  Type type = decoder.takeType();
  if (!type.isFloat() || type.lanes != 1 || type.bits < 32)
    decoder.fail("unexpected type");
  decodeOperands(decoder, type, 2);
  decoder.instruction.immediate = getFormat(type).getSignBit();
  decoder.instruction.execute = copySign;
}

} // namespace

void ptx::addApproximations(DecodeTable &table) {
  table["sin"] = decodeApproximation<std::sin, false>;
  table["cos"] = decodeApproximation<std::cos, false>;
  table["lg2"] = decodeApproximation<std::log2, false>;
  table["ex2"] = decodeApproximation<std::exp2, true>;
  table["tanh"] = decodeApproximation<std::tanh, true>;
  table["rsqrt"] = decodeRsqrt;
  table["rcp"] = decodeRcp;
  table["sqrt"] = decodeSqrt;
  table["copysign"] = decodeCopySign;
}
