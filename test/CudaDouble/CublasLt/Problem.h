//===- Problem.h - One matrix product ---------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_CUBLASLT_PROBLEM_H
#define COMM_CUDADOUBLE_CUBLASLT_PROBLEM_H

#include "CublasLt/Descriptors.h"

namespace mlir::comm::cudadouble {

/// The bytes of an element of a cudaDataType; 0 for types that are not known.
uint64_t getBytes(uint32_t type);

/// D = alpha op(A) op(B) + beta C, `batch` times.
struct Problem {
  MatmulDesc desc;
  Layout a, b, c, d;
  double alpha = 0, beta = 0;

  /// What cuBLASLt says to these, null where they are no descriptors.
  cublasStatus_t set(const MatmulDesc *desc, const Layout *a, const Layout *b,
                     const Layout *c, const Layout *d);
  /// Both in the type of desc.scale.
  void setFactors(const void *alpha, const void *beta);
  bool usesC() const { return beta != 0; }
  /// Of all but the factors.
  uint64_t hash() const;
  /// One of the batch. Accumulates in f32, for f64 in f64, and rounds once.
  void multiply(const void *a, const void *b, const void *c, void *d) const;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_CUBLASLT_PROBLEM_H
