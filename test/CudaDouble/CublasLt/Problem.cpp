//===- Problem.cpp - One matrix product -----------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLt/Problem.h"
#include "Engine/Numbers.h"

using namespace mlir::comm::cudadouble;

uint64_t mlir::comm::cudadouble::getBytes(uint32_t type) {
  switch (type) {
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32F:
    return 4;
  case CUDA_R_64F:
    return 8;
  default:
    return 0;
  }
}

/// The combinations of types of cuBLASLt's table that are computed here.
static bool isSupported(const MatmulDesc &desc, uint32_t in, uint32_t out) {
  switch (desc.compute) {
  case CUBLAS_COMPUTE_64F:
    return desc.scale == CUDA_R_64F && in == CUDA_R_64F && out == in;
  case CUBLAS_COMPUTE_32F_FAST_TF32:
    return desc.scale == CUDA_R_32F && in == CUDA_R_32F && out == in;
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
    return desc.scale == CUDA_R_32F && in != CUDA_R_64F &&
           (out == in || out == CUDA_R_32F);
  default:
    return false;
  }
}

static bool isMatrix(const Layout &layout) {
  uint64_t least =
      layout.order == CUBLASLT_ORDER_COL ? layout.rows : layout.cols;
  return layout.rows && layout.cols && layout.batch > 0 &&
         layout.leading >= static_cast<int64_t>(least) &&
         layout.batchMode == CUBLASLT_BATCH_MODE_STRIDED &&
         (layout.order == CUBLASLT_ORDER_COL ||
          layout.order == CUBLASLT_ORDER_ROW);
}

cublasStatus_t Problem::set(const MatmulDesc *newDesc, const Layout *newA,
                            const Layout *newB, const Layout *newC,
                            const Layout *newD) {
  if (!newDesc || !newA || !newB || !newC || !newD)
    return CUBLAS_STATUS_INVALID_VALUE;
  desc = *newDesc;
  a = *newA, b = *newB, c = *newC, d = *newD;
  if (desc.pointerMode != CUBLASLT_POINTER_MODE_HOST ||
      desc.epilogue != CUBLASLT_EPILOGUE_DEFAULT ||
      desc.transposeC != CUBLAS_OP_N || !getBytes(a.type) || a.type != b.type ||
      !getBytes(d.type) || c.type != d.type ||
      !isSupported(desc, a.type, d.type))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  bool ta = desc.transposeA != CUBLAS_OP_N, tb = desc.transposeB != CUBLAS_OP_N;
  uint64_t m = ta ? a.cols : a.rows, k = ta ? a.rows : a.cols;
  uint64_t kb = tb ? b.cols : b.rows, n = tb ? b.rows : b.cols;
  if (!isMatrix(a) || !isMatrix(b) || !isMatrix(c) || !isMatrix(d) || k != kb ||
      d.rows != m || d.cols != n || c.rows != m || c.cols != n ||
      a.batch != d.batch || b.batch != d.batch || c.batch != d.batch)
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

void Problem::setFactors(const void *newAlpha, const void *newBeta) {
  auto get = [&](const void *from) -> double {
    return desc.scale == CUDA_R_64F ? *static_cast<const double *>(from)
                                    : *static_cast<const float *>(from);
  };
  alpha = get(newAlpha);
  beta = get(newBeta);
}

uint64_t Problem::hash() const {
  uint64_t hash = 14695981039346656037u;
  auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  add(desc.compute), add(desc.scale);
  add(desc.transposeA), add(desc.transposeB);
  for (const Layout *layout : {&a, &b, &c, &d}) {
    add(layout->type), add(layout->order), add(layout->rows);
    add(layout->cols), add(layout->leading), add(layout->batch);
    add(layout->stride);
  }
  return hash;
}

namespace {

/// A matrix in memory, op applied.
template <typename T>
struct Matrix {
  T *data;
  uint64_t rowStride, colStride;
  T &at(uint64_t row, uint64_t col) const {
    return data[row * rowStride + col * colStride];
  }
};

} // namespace

template <typename T, typename Pointer>
static Matrix<T> getMatrix(Pointer data, const Layout &layout, bool transpose) {
  uint64_t rowStride = 1, colStride = layout.leading;
  if ((layout.order == CUBLASLT_ORDER_ROW) != transpose)
    std::swap(rowStride, colStride);
  return {static_cast<T *>(data), rowStride, colStride};
}

/// What a tensor core sees of a float: 10 bits of its fraction.
static float toTf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fffu;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

template <typename In, typename Out>
static void multiply(const Problem &problem, const void *aData,
                     const void *bData, const void *cData, void *dData) {
  using Sum = typename Number<In>::Wide;
  const MatmulDesc &desc = problem.desc;
  bool ta = desc.transposeA != CUBLAS_OP_N, tb = desc.transposeB != CUBLAS_OP_N;
  auto a = getMatrix<const In>(aData, problem.a, ta);
  auto b = getMatrix<const In>(bData, problem.b, tb);
  auto c = getMatrix<const Out>(cData, problem.c, false);
  auto d = getMatrix<Out>(dData, problem.d, false);
  uint64_t depth = ta ? problem.a.rows : problem.a.cols;
  bool tf32 = desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  for (uint64_t row = 0; row < problem.d.rows; ++row)
    for (uint64_t col = 0; col < problem.d.cols; ++col) {
      Sum sum = 0;
      for (uint64_t i = 0; i < depth; ++i) {
        Sum x = Number<In>::widen(a.at(row, i));
        Sum y = Number<In>::widen(b.at(i, col));
        sum += tf32 ? toTf32(x) * toTf32(y) : x * y;
      }
      Sum result = static_cast<Sum>(problem.alpha) * sum;
      if (problem.usesC())
        result +=
            static_cast<Sum>(problem.beta) * Number<Out>::widen(c.at(row, col));
      d.at(row, col) = Number<Out>::round(result);
    }
}

void Problem::multiply(const void *aData, const void *bData, const void *cData,
                       void *dData) const {
  auto call = [&](auto function) {
    function(*this, aData, bData, cData, dData);
  };
  bool toFloat = d.type == CUDA_R_32F;
  switch (a.type) {
  case CUDA_R_16F:
    return call(toFloat ? ::multiply<__half, float>
                        : ::multiply<__half, __half>);
  case CUDA_R_16BF:
    return call(toFloat ? ::multiply<__nv_bfloat16, float>
                        : ::multiply<__nv_bfloat16, __nv_bfloat16>);
  case CUDA_R_32F:
    return call(::multiply<float, float>);
  case CUDA_R_64F:
    return call(::multiply<double, double>);
  }
}
