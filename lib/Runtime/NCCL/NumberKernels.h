//===- NumberKernels.h - Arithmetic around NCCL's reductions ----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL's maximum and minimum of floats lose a NaN (fmaxf), and which zero wins
// is left open. Integers have no such cases, so that these reductions are made
// of keys: signed integers in the order of the floats, -0 before +0, and for
// each NaN the one that wins.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NUMBERKERNELS_H
#define COMM_LIB_RUNTIME_NCCL_NUMBERKERNELS_H

#include "Cuda/CudaContext.h"

namespace mlir::comm::runtime {

/// The type of the keys of a float type: that of at least its bytes which NCCL
/// has.
CommDataType getKeyType(CommDataType type);

// All of these enqueue work of `count` elements of the call's type on the
// communication stream, for a reduction of the call's kind.

/// out[i] = in[i] / n; the two may be the same.
Status enqueueDivision(CudaContext &context, const Call &call, const void *in,
                       void *out, int64_t count, int64_t n);
Status enqueueKeys(CudaContext &context, const Call &call, const void *in,
                   void *keys, int64_t count);
Status enqueueFromKeys(CudaContext &context, const Call &call, const void *keys,
                       void *out, int64_t count);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NUMBERKERNELS_H
