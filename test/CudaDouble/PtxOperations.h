//===- PtxOperations.h - PTX instructions from C++ functions ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation is a struct with `template <class T> static T apply(T a, T b)`
// or the like; these templates make instructions of it.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXOPERATIONS_H
#define COMM_TEST_CUDADOUBLE_PTXOPERATIONS_H

#include "PtxDecoder.h"
#include "PtxThread.h"

#include <type_traits>

namespace ptx {

/// The integer of twice the width.
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// f(T()) for the integer T of a lane of the type; signed where it says so.
template <class F>
Execute forInteger(Type type, F &&f) {
  switch (type.bits) {
  case 16:
    return type.isSigned() ? f(int16_t()) : f(uint16_t());
  case 32:
    return type.isSigned() ? f(int32_t()) : f(uint32_t());
  case 64:
    return type.isSigned() ? f(int64_t()) : f(uint64_t());
  default:
    return nullptr;
  }
}

template <class Operation, class T>
void unary(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  slots[i.d] = put(Operation::apply(get<T>(slots[i.a])));
}

template <class Operation, class T>
void binary(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  slots[i.d] = put(T(Operation::apply(get<T>(slots[i.a]), get<T>(slots[i.b]))));
}

template <class Operation, class T>
void ternary(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  slots[i.d] = put(Operation::apply(get<T>(slots[i.a]), get<T>(slots[i.b]),
                                    get<T>(slots[i.c])));
}

/// Two lanes of 16 bits.
template <class Operation, class T>
void packedBinary(Thread &thread, const Instruction &i) {
  uint64_t *slots = thread.slots;
  uint32_t result = 0;
  for (unsigned shift : {0, 16})
    result |= uint32_t(put(T(Operation::apply(get<T>(slots[i.a] >> shift),
                                              get<T>(slots[i.b] >> shift)))))
              << shift;
  slots[i.d] = result;
}

/// Takes the result and `count` operands of the type.
inline void decodeOperands(Decoder &decoder, Type type, size_t count) {
  decoder.expectOperands(count + 1);
  Instruction &i = decoder.instruction;
  i.d = decoder.getResult(0, type);
  uint32_t *slots[] = {&i.a, &i.b, &i.c};
  for (size_t k = 0; k < count; ++k)
    *slots[k] = decoder.getValue(k + 1, type);
}

template <class Operation>
void decodeUnary(Decoder &decoder, Type type) {
  decodeOperands(decoder, type, 1);
  if (type.lanes == 1)
    decoder.instruction.execute = forInteger(
        type, [](auto tag) { return &unary<Operation, decltype(tag)>; });
}

template <class Operation>
void decodeBinary(Decoder &decoder, Type type) {
  decodeOperands(decoder, type, 2);
  decoder.instruction.execute = forInteger(type, [&](auto tag) {
    return type.lanes == 1 ? &binary<Operation, decltype(tag)>
                           : &packedBinary<Operation, decltype(tag)>;
  });
}

template <class Operation>
void decodeTernary(Decoder &decoder, Type type) {
  decodeOperands(decoder, type, 3);
  if (type.lanes == 1)
    decoder.instruction.execute = forInteger(
        type, [](auto tag) { return &ternary<Operation, decltype(tag)>; });
}

/// The operations on floats, in PtxFloat.cpp, of which the names are those of
/// operations on integers too.
enum class FloatOperation : uint16_t {
  Add,
  Sub,
  Mul,
  Fma,
  Div,
  Rcp,
  Sqrt,
  Abs,
  Neg,
  Min,
  Max,
};

void decodeFloat(Decoder &decoder, FloatOperation operation, Type type);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXOPERATIONS_H
