//===- Copy.h - Copies in host memory ---------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_COPY_H
#define COMM_LIB_RUNTIME_COPY_H

#include <cstdint>

namespace mlir::comm::runtime {

/// Copies between buffers that are the same or do not overlap. With `stream`,
/// past the caches where the processor can do that: `to` is not read before it
/// is written, and what is in the caches stays there. For more than they hold;
/// `finishStreams` follows before another thread may look.
void copyBytes(void *to, const void *from, int64_t bytes, bool stream = false);

/// The same copy to each of several buffers.
void copyToAll(void *const *outs, int64_t numOuts, const void *from,
               int64_t bytes, bool stream);

/// Orders what has been streamed before all that is stored afterwards.
void finishStreams();

/// Copies fromA to toA and fromB to toB, where toA may be fromB, and toB fromA.
void swapBytes(void *toA, const void *fromA, void *toB, const void *fromB,
               int64_t bytes);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_COPY_H
