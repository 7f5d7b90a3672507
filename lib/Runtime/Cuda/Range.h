//===- Range.h - Names for what profilers show ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDA_RANGE_H
#define COMM_LIB_RUNTIME_CUDA_RANGE_H

#include <nvtx3/nvToolsExt.h>

namespace mlir::comm::runtime {

/// An NVTX range on the calling thread, as long as this lives. Costs nothing
/// where no profiler is attached.
class Range {
public:
  explicit Range(const char *name) { nvtxRangePushA(name); }
  Range(const Range &) = delete;
  Range &operator=(const Range &) = delete;
  ~Range() { nvtxRangePop(); }
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDA_RANGE_H
