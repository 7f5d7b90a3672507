//===- Reduction.cpp - Reductions in host memory --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "Copy.h"
#include "Processor.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <cstring>
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
  /// Whether the last step has nothing to do.
  static constexpr bool isFinished = true;
  template <typename T>
  static T finish(T value, int64_t) {
    return value;
  }
};
struct Avg : Sum {
  static constexpr bool isFinished = false;
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
/// `function` of the bits of two floats, as a float.
template <typename T, typename Function>
T applyToBits(T a, T b, Function function) {
  std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  x = function(x, y);
  std::memcpy(&a, &x, sizeof a);
  return a;
}
/// IEEE 754-2019 maximum and minimum, as arith.maximumf: a NaN wins, and -0 is
/// less than +0.
struct Max : Sum {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      // Equal numbers differ in the sign of a zero only.
      T larger = a > b ? a : b;
      T same = applyToBits(a, b, [](auto x, auto y) { return x & y; });
      return a != a ? a : a == b ? same : larger;
    }
    return a > b ? a : b;
  }
};
struct Min : Sum {
  template <typename T>
  static T combine(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      T smaller = a < b ? a : b;
      T same = applyToBits(a, b, [](auto x, auto y) { return x | y; });
      return a != a ? a : a == b ? same : smaller;
    }
    return a < b ? a : b;
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

namespace {
/// A number of elements of all inputs, in one accumulator each. Compiled for
/// each processor.
template <typename T, typename Op>
struct Block {
  using Accumulator = typename Element<T>::Accumulator;
  const Reduction &reduction;
  int64_t start, size;

  const T *getInput(int64_t j) const {
    return static_cast<const T *>(reduction.inputs[j]) + start;
  }

  [[gnu::always_inline]] void combine(Accumulator *into) const {
    const T *first = getInput(0);
    int64_t n = reduction.numInputs;
    if (n == 1) {
      for (int64_t i = 0; i < size; ++i)
        into[i] = Element<T>::load(first[i]);
      return;
    }
    const T *second = getInput(1);
    for (int64_t i = 0; i < size; ++i)
      into[i] =
          Op::combine(Element<T>::load(first[i]), Element<T>::load(second[i]));
    for (int64_t j = 2; j < n; ++j) {
      const T *next = getInput(j);
      for (int64_t i = 0; i < size; ++i)
        into[i] = Op::combine(into[i], Element<T>::load(next[i]));
    }
  }
  [[gnu::always_inline]] void reduce(Accumulator *sums, T *result) const {
    if constexpr (Op::isFinished && std::is_same_v<T, Accumulator>) {
      combine(result);
    } else {
      combine(sums);
      finish(sums, result);
    }
  }

private:
  [[gnu::always_inline]] void finish(const Accumulator *from, T *result) const {
    for (int64_t i = 0; i < size; ++i)
      result[i] = Element<T>::store(Op::finish(from[i], reduction.numInputs));
  }
};
} // namespace

/// Elements [begin, end), in blocks that stay in the first cache level. All
/// inputs of a block are read before it is written: an output may be an input.
template <typename T, typename Op>
[[gnu::always_inline]] static inline void
reduceBlocks(const Reduction &reduction, int64_t begin, int64_t end) {
  using Accumulator = typename Element<T>::Accumulator;
  constexpr int64_t blockSize = 4096 / sizeof(Accumulator);
  alignas(64) Accumulator sums[blockSize];
  alignas(64) T result[blockSize];
  for (int64_t start = begin; start < end; start += blockSize) {
    int64_t size = std::min(blockSize, end - start);
    Block<T, Op>{reduction, start, size}.reduce(sums, result);
    for (int64_t k = 0; k < reduction.numOuts; ++k)
      copyBytes(static_cast<T *>(reduction.outs[k]) + start, result,
                size * sizeof(T), reduction.stream);
  }
}

template <typename T, typename Op>
static void reducePlain(const Reduction &reduction) {
  reduceBlocks<T, Op>(reduction, 0, reduction.count);
}

#ifdef COMM_HAVE_AVX2
/// As many bytes at a time as are written in one go, so that reading and
/// writing memory overlap. Returns where it has ended: it begins and ends where
/// all outputs are aligned.
template <typename T, typename Op>
COMM_AVX2 static int64_t reduceStreaming(const Reduction &reduction,
                                         int64_t begin) {
  constexpr int64_t size = 256 / sizeof(T);
  alignas(64) typename Element<T>::Accumulator sums[size];
  alignas(64) T result[size];
  int64_t start = begin;
  for (; start + size <= reduction.count; start += size) {
    Block<T, Op>{reduction, start, size}.reduce(sums, result);
    for (int64_t k = 0; k < reduction.numOuts; ++k)
      streamVectors<sizeof result>(static_cast<T *>(reduction.outs[k]) + start,
                                   result);
  }
  return start;
}

/// The first element at which all outputs are aligned, or the count.
template <typename T>
static int64_t findAligned(const Reduction &reduction) {
  auto misalignment = [&](int64_t k) {
    return reinterpret_cast<uintptr_t>(reduction.outs[k]) % vectorSize;
  };
  for (int64_t k = 1; k < reduction.numOuts; ++k)
    if (misalignment(k) != misalignment(0))
      return reduction.count;
  int64_t bytes = -misalignment(0) & (vectorSize - 1);
  return bytes % sizeof(T)
             ? reduction.count
             : std::min<int64_t>(bytes / sizeof(T), reduction.count);
}

template <typename T, typename Op>
COMM_AVX2 static void reduceAvx2(const Reduction &reduction) {
  int64_t begin = 0;
  if (reduction.stream) {
    begin = findAligned<T>(reduction);
    reduceBlocks<T, Op>(reduction, 0, begin);
    begin = reduceStreaming<T, Op>(reduction, begin);
  }
  reduceBlocks<T, Op>(reduction, begin, reduction.count);
}
#endif

template <typename T, typename Op>
static Reducer choose() {
#ifdef COMM_HAVE_AVX2
  if (hasAvx2())
    return reduceAvx2<T, Op>;
#endif
  return reducePlain<T, Op>;
}

template <typename T>
static Reducer getFloatReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_SUM:
    return choose<T, Sum>();
  case COMM_AVG:
    return choose<T, Avg>();
  case COMM_PROD:
    return choose<T, Prod>();
  case COMM_MAX:
    return choose<T, Max>();
  case COMM_MIN:
    return choose<T, Min>();
  default:
    return nullptr;
  }
}

template <typename T>
static Reducer getBitReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_AND:
    return choose<T, And>();
  case COMM_OR:
    return choose<T, Or>();
  case COMM_XOR:
    return choose<T, Xor>();
  default:
    return nullptr;
  }
}

template <typename T>
static Reducer getIntegerReducer(CommReduction reduction) {
  switch (reduction) {
  case COMM_SUM:
    return choose<T, Sum>();
  case COMM_PROD:
    return choose<T, Prod>();
  case COMM_MAX:
    return choose<T, Max>();
  case COMM_MIN:
    return choose<T, Min>();
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
