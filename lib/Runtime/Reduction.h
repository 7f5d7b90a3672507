//===- Reduction.h - Reductions in host memory ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_REDUCTION_H
#define COMM_LIB_RUNTIME_REDUCTION_H

#include "comm/Runtime/CommRuntime.h"

namespace mlir::comm::runtime {

/// out[i] = inputs[0][i] op inputs[1][i] op ..., from left to right, for
/// `count` elements, at least one input, and each of the outs, which may be
/// inputs. f16 and bf16 accumulate in f32 and round once; integers wrap; a NaN
/// wins max and min.
struct Reduction {
  const void *const *inputs;
  int64_t numInputs;
  void *const *outs;
  int64_t numOuts;
  int64_t count;
  /// Whether to write past the caches: see copyBytes.
  bool stream;
};

using Reducer = void (*)(const Reduction &);

/// Null where the reduction is not defined on the type: avg on integers,
/// anything but and, or, xor on i1, and these three on floats.
Reducer getReducer(CommDataType type, CommReduction reduction);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_REDUCTION_H
