//===- GemmTest.cpp - Matrix products against plain loops -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include <cmath>
#include <limits>

using namespace mlir::comm::runtime;

namespace {
/// A product whose matrices have room after each row and each matrix, which
/// must stay as it is.
struct Product {
  bool transposeA, transposeB;
  int64_t batch, m, n, k;
  bool beta;
  int64_t padding;

  int64_t lda() const { return (transposeA ? m : k) + padding; }
  int64_t ldb() const { return (transposeB ? k : n) + padding; }
  int64_t ldc() const { return n + padding; }
  int64_t strideA() const { return (transposeA ? k : m) * lda() + padding; }
  int64_t strideB() const { return (transposeB ? n : k) * ldb() + padding; }
  int64_t strideC() const { return m * ldc() + padding; }

  Values model(const Values &a, const Values &b, const Values &c) const {
    Values result = c;
    for (int64_t s = 0; s < batch; ++s)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double &sum = result[s * strideC() + i * ldc() + j];
          if (!beta)
            sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum +=
                a[s * strideA() +
                  (transposeA ? p * lda() + i : i * lda() + p)] *
                b[s * strideB() + (transposeB ? j * ldb() + p : p * ldb() + j)];
        }
    return result;
  }

  int32_t call(CommContext *context, CommDataType type, const void *a,
               const void *b, void *c) const {
    return commGemm(context, type, transposeA, transposeB, batch, m, n, k, a,
                    lda(), strideA(), b, ldb(), strideB(), beta, c, ldc(),
                    strideC(), nullptr);
  }

  void check(CommContext *context, CommDataType type) const {
    Values a = makeInput(type, 0, batch * strideA(), 1);
    Values b = makeInput(type, 1, batch * strideB(), 2);
    Values c = makeInput(type, 2, batch * strideC(), 3);
    Buffer bytesA(context, encode(type, a)), bytesB(context, encode(type, b));
    Buffer bytesC(context, encode(type, c));
    ASSERT_EQ(COMM_SUCCESS,
              call(context, type, bytesA.data(), bytesB.data(), bytesC.data()));
    EXPECT_EQ(model(a, b, c), decode(type, bytesC.read()))
        << getName(type) << " " << batch << " x " << m << " x " << n << " x "
        << k << " transposed " << transposeA << transposeB << " beta " << beta;
  }
};
} // namespace

TEST(Gemm, AllTypesAndShapes) {
  spawn({1}, [](const Rank &rank) {
    for (CommDataType type : allTypes())
      for (bool transposeA : {false, true})
        for (bool transposeB : {false, true})
          for (bool beta : {false, true})
            for (int64_t padding : {0, 3}) {
              // A device has none of integers.
              bool isHost =
                  static_cast<Context *>(rank.context)->usesHostMemory();
              if (type == COMM_I1 || (!isHost && !isFloat(type)))
                continue;
              for (auto [batch, m, n, k] :
                   std::vector<std::array<int64_t, 4>>{{1, 3, 5, 7},
                                                       {3, 4, 2, 5},
                                                       {1, 1, 6, 1},
                                                       {2, 6, 1, 3},
                                                       {0, 2, 2, 2},
                                                       {1, 0, 3, 2},
                                                       {1, 3, 0, 2},
                                                       {1, 2, 3, 0}})
                Product{transposeA, transposeB, batch, m, n, k, beta, padding}
                    .check(rank.context, type);
            }
  });
}

TEST(Gemm, HalvesAccumulateWide) {
  spawn({1}, [](const Rank &rank) {
    Product product{false, false, 1, 1, 1, 5, false, 0};
    Buffer a(rank.context, encode(COMM_F16, {2048, 1, 1, 1, 1}));
    Buffer b(rank.context, encode(COMM_F16, {1, 1, 1, 1, 1}));
    Buffer c(rank.context, encode(COMM_F16, {0}));
    EXPECT_EQ(COMM_SUCCESS, product.call(rank.context, COMM_F16, a.data(),
                                         b.data(), c.data()));
    EXPECT_EQ(Values{2052}, decode(COMM_F16, c.read()));
  });
}

TEST(Gemm, OverwritesWithoutBeta) {
  spawn({1}, [](const Rank &rank) {
    for (CommDataType type : {COMM_F16, COMM_BF16, COMM_F32, COMM_F64})
      for (int64_t k : {0, 1}) {
        Product product{false, false, 1, 1, 2, k, false, 0};
        Buffer a(rank.context, encode(type, {3}));
        Buffer b(rank.context, encode(type, {1, 2}));
        double nan = std::numeric_limits<double>::quiet_NaN();
        Buffer c(rank.context, encode(type, {nan, nan}));
        EXPECT_EQ(COMM_SUCCESS, product.call(rank.context, type, a.data(),
                                             b.data(), c.data()));
        EXPECT_EQ((k ? Values{3, 6} : Values{0, 0}), decode(type, c.read()));
      }
  });
}

TEST(Gemm, IntegersWrap) {
  spawn({1}, [](const Rank &rank) {
    int8_t a[2] = {100, 100}, b[2] = {1, 1}, c = 1;
    EXPECT_EQ(COMM_SUCCESS, commGemm(rank.context, COMM_I8, 0, 0, 1, 1, 1, 2, a,
                                     2, 2, b, 1, 2, 1, &c, 1, 1, nullptr));
    EXPECT_EQ(static_cast<int8_t>(201), c);
  });
}

TEST(Gemm, FromManyRanksAtOnce) {
  spawn({200}, [](const Rank &rank) {
    for (int i = 0; i < 3; ++i)
      Product{false, true, 2, 33, 17, 40, true, 1}.check(rank.context,
                                                         COMM_F32);
  });
}

TEST(Gemm, RefusesWrongArguments) {
  auto refuse = [](CommDataType type, int64_t m, int64_t lda,
                   const std::string &message) {
    std::unique_ptr<World> world = makeWorld({1});
    std::optional<Failure> failure = run(*world, [&](const Rank &rank) {
      float data[16] = {};
      CommSite site = {"linalg.matmul", "f.mlir", 7, 3, ""};
      EXPECT_EQ(COMM_INVALID,
                commGemm(rank.context, type, 0, 0, 1, m, 2, 2, data, lda, 4,
                         data, 2, 4, 0, data, 2, 4, &site));
    });
    ASSERT_TRUE(failure);
    EXPECT_EQ("linalg.matmul at f.mlir:7: " + message, failure->message);
  };
  refuse(COMM_I1, 2, 2,
         "matrix product 1 x (2 x 2) (2 x 2): not defined on i1");
  refuse(COMM_F32, -1, 2, "matrix product 1 x (-1 x 2) (2 x 2): negative size");
  refuse(COMM_F32, 2, 1,
         "matrix product 1 x (2 x 2) (2 x 2): a leading dimension is less than "
         "the width of its matrix");
  refuse(COMM_F32, int64_t(1) << 31, 2,
         "matrix product 1 x (2147483648 x 2) (2 x 2): a size is more than the "
         "2147483647 of BLAS");
}
