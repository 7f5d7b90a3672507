//===- Gemm.cpp - Matrix products through OpenBLAS ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Communicator.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>
#include <cblas.h>
#include <limits>
#include <type_traits>

using namespace mlir::comm::runtime;

/// One matrix in memory, row-major.
template <typename T>
struct Matrix {
  T *data;
  int64_t rows, columns, leading;
  T *row(int64_t i) const { return data + i * leading; }
};

/// The three matrices of one product of the batch.
template <typename T>
struct Operands {
  Operands(const Gemm &gemm, int64_t index)
      : a{static_cast<const T *>(gemm.a) + index * gemm.strideA,
          gemm.transposeA ? gemm.k : gemm.m, gemm.transposeA ? gemm.m : gemm.k,
          gemm.lda},
        b{static_cast<const T *>(gemm.b) + index * gemm.strideB,
          gemm.transposeB ? gemm.n : gemm.k, gemm.transposeB ? gemm.k : gemm.n,
          gemm.ldb},
        c{static_cast<T *>(gemm.c) + index * gemm.strideC, gemm.m, gemm.n,
          gemm.ldc} {}
  Matrix<const T> a, b;
  Matrix<T> c;
};

/// BLAS wants a leading dimension of at least the width, also of one row.
template <typename T>
static int getLeading(const Matrix<T> &matrix) {
  return static_cast<int>(
      std::max({matrix.leading, matrix.columns, int64_t(1)}));
}

template <typename T, typename Function>
static void multiplyBlas(const Gemm &gemm, const Matrix<const T> &a,
                         const Matrix<const T> &b, const Matrix<T> &c,
                         Function blas) {
  blas(CblasRowMajor, gemm.transposeA ? CblasTrans : CblasNoTrans,
       gemm.transposeB ? CblasTrans : CblasNoTrans, gemm.m, gemm.n, gemm.k,
       T(1), a.data, getLeading(a), b.data, getLeading(b), T(gemm.beta ? 1 : 0),
       c.data, getLeading(c));
}

template <typename T, typename Function>
static void multiplyBlas(const Gemm &gemm, int64_t index, Function blas) {
  Operands<T> operands(gemm, index);
  multiplyBlas<T>(gemm, operands.a, operands.b, operands.c, blas);
}

template <typename T>
static std::vector<float> widen(const Matrix<T> &matrix) {
  std::vector<float> result(matrix.rows * matrix.columns);
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      result[i * matrix.columns + j] = toFloat(matrix.row(i)[j]);
  return result;
}

static Half narrow(float value, Half) { return toHalf(value); }
static BFloat narrow(float value, BFloat) { return toBFloat(value); }

/// OpenBLAS has no products of half-width floats.
template <typename T>
static void multiplyWide(const Gemm &gemm, int64_t index) {
  Operands<T> operands(gemm, index);
  const Matrix<T> &c = operands.c;
  std::vector<float> a = widen(operands.a), b = widen(operands.b);
  std::vector<float> sum =
      gemm.beta ? widen(c) : std::vector<float>(c.rows * c.columns);
  multiplyBlas<float>(gemm, {a.data(), operands.a.rows, operands.a.columns, 0},
                      {b.data(), operands.b.rows, operands.b.columns, 0},
                      {sum.data(), c.rows, c.columns, 0}, cblas_sgemm);
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j)
      c.row(i)[j] = narrow(sum[i * c.columns + j], T());
}

/// Wraps, as the reductions do.
template <typename T>
static void multiplyIntegers(const Gemm &gemm, int64_t index) {
  using W = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Operands<T> operands(gemm, index);
  auto at = [](const Matrix<const T> &matrix, bool transpose, int64_t i,
               int64_t j) {
    return static_cast<W>(transpose ? matrix.row(j)[i] : matrix.row(i)[j]);
  };
  for (int64_t i = 0; i < gemm.m; ++i)
    for (int64_t j = 0; j < gemm.n; ++j) {
      W sum = gemm.beta ? static_cast<W>(operands.c.row(i)[j]) : 0;
      for (int64_t p = 0; p < gemm.k; ++p)
        sum += at(operands.a, gemm.transposeA, i, p) *
               at(operands.b, gemm.transposeB, p, j);
      operands.c.row(i)[j] = static_cast<T>(sum);
    }
}

/// What is wrong with the arguments, or "".
static std::string findMistake(const Gemm &gemm) {
  if (!isDataType(gemm.type))
    return "unknown element type " + std::to_string(gemm.type);
  if (gemm.type == COMM_I1)
    return "not defined on i1";
  if (std::min({gemm.batch, gemm.m, gemm.n, gemm.k}) < 0)
    return "negative size";
  Operands<char> operands(gemm, 0);
  auto fits = [](int64_t rows, int64_t columns, int64_t leading) {
    return rows <= 1 || leading >= columns;
  };
  if (!fits(operands.a.rows, operands.a.columns, gemm.lda) ||
      !fits(operands.b.rows, operands.b.columns, gemm.ldb) ||
      !fits(gemm.m, gemm.n, gemm.ldc))
    return "a leading dimension is less than the width of its matrix";
  if (std::max({gemm.m, gemm.n, gemm.k, gemm.lda, gemm.ldb, gemm.ldc}) >
      std::numeric_limits<int>::max())
    return "a size is more than the " +
           std::to_string(std::numeric_limits<int>::max()) + " of BLAS";
  return "";
}

Status Context::gemm(const Gemm &gemm) {
  if (Status status = getStatus())
    return status;
  if (Status status = checkOutsideGroup("matrix product", gemm.site))
    return status;
  std::string mistake = findMistake(gemm);
  if (!mistake.empty())
    return fail(COMM_INVALID,
                (gemm.site ? describe(gemm.site->op, gemm.site) + ": "
                           : std::string()) +
                    "matrix product " + std::to_string(gemm.batch) + " x (" +
                    std::to_string(gemm.m) + " x " + std::to_string(gemm.k) +
                    ") (" + std::to_string(gemm.k) + " x " +
                    std::to_string(gemm.n) + "): " + mistake);
  if (gemm.m == 0 || gemm.n == 0)
    return COMM_SUCCESS;
  return multiply(gemm);
}

Status Context::multiply(const Gemm &gemm) {
  World::GemmSlot slot(world);
  for (int64_t index = 0; index < gemm.batch; ++index) {
    switch (static_cast<CommDataType>(gemm.type)) {
    case COMM_F16:
      multiplyWide<Half>(gemm, index);
      break;
    case COMM_BF16:
      multiplyWide<BFloat>(gemm, index);
      break;
    case COMM_F32:
      multiplyBlas<float>(gemm, index, cblas_sgemm);
      break;
    case COMM_F64:
      multiplyBlas<double>(gemm, index, cblas_dgemm);
      break;
    case COMM_I8:
      multiplyIntegers<int8_t>(gemm, index);
      break;
    case COMM_I16:
      multiplyIntegers<int16_t>(gemm, index);
      break;
    case COMM_I32:
      multiplyIntegers<int32_t>(gemm, index);
      break;
    case COMM_I64:
      multiplyIntegers<int64_t>(gemm, index);
      break;
    case COMM_I1:
      break;
    }
  }
  return COMM_SUCCESS;
}

World::GemmSlot::GemmSlot(World &world) : world(world) {
  std::unique_lock<std::mutex> lock(world.gemmMutex);
  // The ranks are the threads; OpenBLAS needs none of its own.
  if (!world.blasIsSetUp) {
    openblas_set_num_threads(1);
    world.blasIsSetUp = true;
  }
  world.gemmSlotFreed.wait(lock, [&] { return world.freeGemmSlots > 0; });
  --world.freeGemmSlots;
}

World::GemmSlot::~GemmSlot() {
  {
    std::lock_guard<std::mutex> lock(world.gemmMutex);
    ++world.freeGemmSlots;
  }
  world.gemmSlotFreed.notify_one();
}
