//===- Descriptors.h - What cuBLASLt's opaque descriptors hold --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_CUBLASLT_DESCRIPTORS_H
#define COMM_CUDADOUBLE_CUBLASLT_DESCRIPTORS_H

#include <cublasLt.h>

#include <cstring>

namespace mlir::comm::cudadouble {

struct MatmulDesc {
  static constexpr uint64_t magic = 0x6d61746d756c6465;
  uint64_t mark = magic;
  int32_t compute, scale;
  int32_t pointerMode = CUBLASLT_POINTER_MODE_HOST;
  int32_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
  int32_t transposeC = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
};

struct Layout {
  static constexpr uint64_t magic = 0x6c61796f7574206d;
  uint64_t mark = magic;
  uint32_t type;
  int32_t order = CUBLASLT_ORDER_COL;
  uint64_t rows, cols;
  int64_t leading;
  int32_t batch = 1;
  uint32_t batchMode = CUBLASLT_BATCH_MODE_STRIDED;
  int64_t stride = 0;
};

struct Preference {
  static constexpr uint64_t magic = 0x70726566206d6d20;
  uint64_t mark = magic;
  uint64_t workspace = 0;
  uint32_t search = CUBLASLT_SEARCH_BEST_FIT;
  uint32_t reductionMask = CUBLASLT_REDUCTION_SCHEME_MASK;
  /// Of A, B, C, D, in bytes.
  uint32_t alignment[4] = {256, 256, 256, 256};
  float waves = 0;
  uint32_t padding = 0;
};

/// An algorithm remembers what it was chosen for.
struct Algorithm {
  static constexpr uint64_t magic = 0x616c676f206d6d20;
  uint64_t mark = magic;
  uint64_t workspace;
  uint64_t problem;
  uint32_t alignment[4];
};

static_assert(sizeof(MatmulDesc) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));
static_assert(sizeof(Preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t));
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

/// What a handle points to; null where it is none of ours.
template <typename T, typename Handle>
T *getDescriptor(Handle handle) {
  auto *descriptor = reinterpret_cast<T *>(handle);
  return descriptor && descriptor->mark == T::magic ? descriptor : nullptr;
}

/// Counts the call; not success where it is to fail.
cublasStatus_t enter(const char *entry);

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_CUBLASLT_DESCRIPTORS_H
