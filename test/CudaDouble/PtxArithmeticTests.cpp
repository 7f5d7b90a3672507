//===- PtxArithmeticTests.cpp - Kernels of arith ops against the host -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX is LLVM's, for two devices: see Inputs/make_kernels.py. Operands are
// the values at the edges, in all pairs.
//
//===----------------------------------------------------------------------===//

#include "PtxTesting.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace ptx;
using namespace ptx::testing;

namespace {

class PtxArithmetic : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    runner = std::make_unique<Runner>(readFile(GetParam()));
  }

  /// Runs the kernel on columns of the same length.
  template <class R, class... Columns>
  std::vector<R> compute(const std::string &kernel, Columns... columns) {
    size_t count = 0;
    auto pad = [&](auto &column) {
      count = (column.size() + 63) / 64 * 64;
      column.resize(count, column.back());
    };
    (pad(columns), ...);
    std::vector<R> results(count);
    runner->run(kernel, count / 64, 64, columns..., results);
    return results;
  }

  std::unique_ptr<Runner> runner;
};

INSTANTIATE_TEST_SUITE_P(Devices, PtxArithmetic,
                         ::testing::Values(COMM_PTX_ARITHMETIC,
                                           COMM_PTX_ARITHMETIC_90));

/// First and second operands of all pairs of the values.
template <class T>
std::pair<std::vector<T>, std::vector<T>>
makePairs(const std::vector<T> &values) {
  std::pair<std::vector<T>, std::vector<T>> pairs;
  for (T a : values)
    for (T b : values) {
      pairs.first.push_back(a);
      pairs.second.push_back(b);
    }
  return pairs;
}

template <class T>
std::vector<T> makeEdges() {
  std::vector<T> values;
  for (T base : {T(0), std::numeric_limits<T>::min(),
                 std::numeric_limits<T>::max(), T(T(1) << (4 * sizeof(T)))})
    for (int beside = -3; beside <= 3; ++beside)
      values.push_back(T(std::make_unsigned_t<T>(base) + beside));
  for (T more : {T(7), T(13), T(85), T(-100)})
    values.push_back(more);
  return values;
}

template <class T>
using Binary = std::function<T(T, T)>;

template <class T>
bool isSame(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

template <class R, class T, class F>
void compare(const std::string &name, const std::vector<T> &as,
             const std::vector<T> &bs, const std::vector<R> &got,
             F &&reference) {
  for (size_t i = 0; i < as.size(); ++i)
    ASSERT_TRUE(isSame<R>(got[i], R(reference(as[i], bs[i]))))
        << name << " of " << +as[i] << " and " << +bs[i] << ": got " << +got[i]
        << ", expected " << +R(reference(as[i], bs[i]));
}

/// The same for i8 to i64.
template <class F>
void forEachInteger(F &&test) {
  test(int8_t(), "i8");
  test(int16_t(), "i16");
  test(int32_t(), "i32");
  test(int64_t(), "i64");
}

TEST_P(PtxArithmetic, Integers) {
  forEachInteger([&](auto tag, std::string type) {
    using T = decltype(tag);
    using U = std::make_unsigned_t<T>;
    auto [as, bs] = makePairs(makeEdges<T>());
    auto check = [&, &as = as, &bs = bs](const char *op, Binary<T> reference) {
      compare(op + type, as, bs, compute<T>(op + ("_" + type), as, bs),
              reference);
    };
    check("addi", [](T a, T b) { return T(U(a) + U(b)); });
    check("subi", [](T a, T b) { return T(U(a) - U(b)); });
    check("muli", [](T a, T b) { return T(uint64_t(a) * uint64_t(b)); });
    check("andi", [](T a, T b) { return T(a & b); });
    check("ori", [](T a, T b) { return T(a | b); });
    check("xori", [](T a, T b) { return T(a ^ b); });
    check("maxsi", [](T a, T b) { return std::max(a, b); });
    check("minsi", [](T a, T b) { return std::min(a, b); });
    check("maxui", [](T a, T b) { return T(std::max(U(a), U(b))); });
    check("minui", [](T a, T b) { return T(std::min(U(a), U(b))); });
  });
}

TEST_P(PtxArithmetic, Quotients) {
  forEachInteger([&](auto tag, std::string type) {
    using T = decltype(tag);
    using U = std::make_unsigned_t<T>;
    std::vector<T> as, bs;
    auto pairs = makePairs(makeEdges<T>());
    for (size_t i = 0; i < pairs.first.size(); ++i) {
      T a = pairs.first[i], b = pairs.second[i];
      if (b == 0 || (b == -1 && a == std::numeric_limits<T>::min()))
        continue;
      as.push_back(a);
      bs.push_back(b);
    }
    auto check = [&](const char *op, Binary<T> reference) {
      compare(op + type, as, bs, compute<T>(op + ("_" + type), as, bs),
              reference);
    };
    check("divsi", [](T a, T b) { return T(a / b); });
    check("remsi", [](T a, T b) { return T(a % b); });
    check("divui", [](T a, T b) { return T(U(a) / U(b)); });
    check("remui", [](T a, T b) { return T(U(a) % U(b)); });
  });
}

TEST_P(PtxArithmetic, ShiftsAndCounts) {
  forEachInteger([&](auto tag, std::string type) {
    using T = decltype(tag);
    using U = std::make_unsigned_t<T>;
    constexpr int bits = 8 * sizeof(T);
    std::vector<T> as, bs;
    for (T a : makeEdges<T>())
      for (int by = 0; by < bits; ++by) {
        as.push_back(a);
        bs.push_back(T(by));
      }
    auto check = [&](const char *op, Binary<T> reference) {
      compare(op + type, as, bs, compute<T>(op + ("_" + type), as, bs),
              reference);
    };
    check("shli", [](T a, T b) { return T(uint64_t(a) << b); });
    check("shrsi", [](T a, T b) { return T(a >> b); });
    check("shrui", [](T a, T b) { return T(U(a) >> b); });
    auto checkUnary = [&](const char *op, Binary<T> reference) {
      compare(op + type, as, bs, compute<T>(op + ("_" + type), as), reference);
    };
    auto count = [](T a, bool leading) {
      int zeros = 0;
      while (zeros < bits &&
             !(U(a) >> (leading ? bits - 1 - zeros : zeros) & 1))
        ++zeros;
      return T(zeros);
    };
    checkUnary("ctlz", [&](T a, T) { return count(a, true); });
    checkUnary("cttz", [&](T a, T) { return count(a, false); });
    checkUnary("ctpop", [](T a, T) { return T(__builtin_popcountll(U(a))); });
    checkUnary("absi", [](T a, T) { return a < 0 ? T(0 - U(a)) : a; });
  });
}

TEST_P(PtxArithmetic, IntegerComparisons) {
  forEachInteger([&](auto tag, std::string type) {
    using T = decltype(tag);
    using U = std::make_unsigned_t<T>;
    auto [as, bs] = makePairs(makeEdges<T>());
    auto check = [&, &as = as, &bs = bs](const char *predicate,
                                         Binary<T> reference) {
      std::string kernel = std::string("cmpi_") + predicate + "_" + type;
      compare(kernel, as, bs, compute<uint8_t>(kernel, as, bs), reference);
    };
    check("eq", [](T a, T b) { return a == b; });
    check("ne", [](T a, T b) { return a != b; });
    check("slt", [](T a, T b) { return a < b; });
    check("sle", [](T a, T b) { return a <= b; });
    check("sgt", [](T a, T b) { return a > b; });
    check("sge", [](T a, T b) { return a >= b; });
    check("ult", [](T a, T b) { return U(a) < U(b); });
    check("ule", [](T a, T b) { return U(a) <= U(b); });
    check("ugt", [](T a, T b) { return U(a) > U(b); });
    check("uge", [](T a, T b) { return U(a) >= U(b); });
  });
}

/// i1, held in a byte.
TEST_P(PtxArithmetic, Booleans) {
  auto [as, bs] = makePairs<uint8_t>({0, 1});
  auto check = [&, &as = as, &bs = bs](const char *op,
                                       Binary<uint8_t> reference) {
    std::string kernel = std::string(op) + "_i1";
    compare(kernel, as, bs, compute<uint8_t>(kernel, as, bs), reference);
  };
  using B = uint8_t;
  check("addi", [](B a, B b) { return B(a ^ b); });
  check("subi", [](B a, B b) { return B(a ^ b); });
  check("muli", [](B a, B b) { return B(a & b); });
  check("andi", [](B a, B b) { return B(a & b); });
  check("ori", [](B a, B b) { return B(a | b); });
  check("xori", [](B a, B b) { return B(a ^ b); });
  check("maxui", [](B a, B b) { return B(a | b); });
  check("maxsi", [](B a, B b) { return B(a & b); });
  check("cmpi_eq", [](B a, B b) { return B(a == b); });
  check("cmpi_ult", [](B a, B b) { return B(a < b); });
  check("cmpi_slt", [](B a, B b) { return B(a > b); });
}

template <class T, class R>
void checkResize(std::function<std::vector<R>(std::vector<T>)> run,
                 std::function<R(T)> reference, const std::string &name) {
  std::vector<T> values = makeEdges<T>();
  std::vector<R> got = run(values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(got[i], reference(values[i])) << name << " of " << +values[i];
}

TEST_P(PtxArithmetic, Resizes) {
  auto test = [&](auto narrowTag, auto wideTag, std::string narrow,
                  std::string wide) {
    using N = decltype(narrowTag);
    using W = decltype(wideTag);
    using U = std::make_unsigned_t<N>;
    std::string up = "_" + narrow + "_" + wide;
    std::string down = "trunci_" + wide + "_" + narrow;
    checkResize<N, W>([&](auto v) { return compute<W>("extsi" + up, v); },
                      [](N a) { return W(a); }, "extsi" + up);
    checkResize<N, W>([&](auto v) { return compute<W>("extui" + up, v); },
                      [](N a) { return W(U(a)); }, "extui" + up);
    checkResize<W, N>([&](auto v) { return compute<N>(down, v); },
                      [](W a) { return N(a); }, down);
  };
  test(int8_t(), int16_t(), "i8", "i16");
  test(int8_t(), int32_t(), "i8", "i32");
  test(int8_t(), int64_t(), "i8", "i64");
  test(int16_t(), int32_t(), "i16", "i32");
  test(int16_t(), int64_t(), "i16", "i64");
  test(int32_t(), int64_t(), "i32", "i64");
}

TEST_P(PtxArithmetic, NoInstructionIsUnknown) {
  EXPECT_EQ(runner->getModule().getProblems(), std::vector<std::string>());
  EXPECT_GT(runner->getModule().getKernels().size(), 300u);
}

} // namespace
