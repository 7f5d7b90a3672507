//===- Reduction.cpp - Reductions in host memory --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

using namespace mlir::comm::runtime;

namespace {
/// How elements are held in memory and in the accumulator.
template <typename T>
struct Element {
  using Accumulator = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
template <>
struct Element<Half> {
  using Accumulator = float;
  static float load(Half value) { return toFloat(value); }
  static Half store(float value) { return toHalf(value); }
};
template <>
struct Element<BFloat> {
  using Accumulator = float;
  static float load(BFloat value) { return toFloat(value); }
  static BFloat store(float value) { return toBFloat(value); }
};

/// Arithmetic that wraps on integers. At least 32 bits wide: two uint16_t
/// would be multiplied as int, which may overflow.
template <typename T, bool IsInteger = std::is_integral_v<T>>
struct Wrapping {
  using Type = T;
};
template <typename T>
struct Wrapping<T, true> {
  using Type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};

struct Sum {
  template <typename T>
  static T combine(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
  template <typename T>
  static T finish(T value, int64_t) {
    return value;
  }
};
struct Avg : Sum {
  template <typename T>
  static T finish(T value, int64_t n) {
    return value / static_cast<T>(n);
  }
};
struct Prod : Sum {
  template <typename T>
  static T combine(T a, T b) {
    using W = typename Wrapping<T>::Type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};
/// IEEE 754-2019 maximum and minimum, as arith.maximumf: a NaN wins, and -0 is
/// less than +0.
struct Max : Sum {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a == b)
        return std::signbit(a) ? b : a;
      return a > b || std::isnan(a) ? a : b;
    }
    return std::max(a, b);
  }
};
struct Min : Sum {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (a == b)
        return std::signbit(a) ? a : b;
      return a < b || std::isnan(a) ? a : b;
    }
    return std::min(a, b);
  }
};
struct And : Sum {
  template <typename T>
  static T combine(T a, T b) {
    return a & b;
  }
};
struct Or : Sum {
  template <typename T>
  static T combine(T a, T b) {
    return a | b;
  }
};
struct Xor : Sum {
  template <typename T>
  static T combine(T a, T b) {
    return a ^ b;
  }
};
} // namespace

template <typename T, typename Op>
static void reduceAll(const void *const *inputs, int64_t n, void *out,
                      int64_t count) {
  using Accumulator = typename Element<T>::Accumulator;
  // Blocks stay in the first cache level, and all inputs of a block are read
  // before it is written: the output may be an input.
  constexpr int64_t blockSize = 512;
  Accumulator block[blockSize];
  for (int64_t start = 0; start < count; start += blockSize) {
    int64_t size = std::min(blockSize, count - start);
    const T *first = static_cast<const T *>(inputs[0]) + start;
    for (int64_t i = 0; i < size; ++i)
      block[i] = Element<T>::load(first[i]);
    for (int64_t j = 1; j < n; ++j) {
      const T *next = static_cast<const T *>(inputs[j]) + start;
      for (int64_t i = 0; i < size; ++i)
        block[i] = Op::combine(block[i], Element<T>::load(next[i]));
    }
    T *result = static_cast<T *>(out) + start;
    for (int64_t i = 0; i < size; ++i)
      result[i] = Element<T>::store(Op::finish(block[i], n));
  }
}

template <typename T>
static Reducer getFloatReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_SUM:
    return reduceAll<T, Sum>;
  case COMM_AVG:
    return reduceAll<T, Avg>;
  case COMM_PROD:
    return reduceAll<T, Prod>;
  case COMM_MAX:
    return reduceAll<T, Max>;
  case COMM_MIN:
    return reduceAll<T, Min>;
  default:
    return nullptr;
  }
}

template <typename T>
static Reducer getBitReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_AND:
    return reduceAll<T, And>;
  case COMM_OR:
    return reduceAll<T, Or>;
  case COMM_XOR:
    return reduceAll<T, Xor>;
  default:
    return nullptr;
  }
}

template <typename T>
static Reducer getIntegerReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_SUM:
    return reduceAll<T, Sum>;
  case COMM_PROD:
    return reduceAll<T, Prod>;
  case COMM_MAX:
    return reduceAll<T, Max>;
  case COMM_MIN:
    return reduceAll<T, Min>;
  default:
    return getBitReducer<T>(reduction);
  }
}

Reducer mlir::comm::runtime::getReducer(CommDataType type,
                                        CommReduction reduction) {
  switch (type) {
  case COMM_F16:
    return getFloatReducer<Half>(reduction);
  case COMM_BF16:
    return getFloatReducer<BFloat>(reduction);
  case COMM_F32:
    return getFloatReducer<float>(reduction);
  case COMM_F64:
    return getFloatReducer<double>(reduction);
  case COMM_I1:
    return getBitReducer<uint8_t>(reduction);
  case COMM_I8:
    return getIntegerReducer<int8_t>(reduction);
  case COMM_I16:
    return getIntegerReducer<int16_t>(reduction);
  case COMM_I32:
    return getIntegerReducer<int32_t>(reduction);
  case COMM_I64:
    return getIntegerReducer<int64_t>(reduction);
  }
  return nullptr;
}
