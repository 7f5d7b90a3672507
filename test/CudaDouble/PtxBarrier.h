//===- PtxBarrier.h - Where threads of a PTX block meet ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXBARRIER_H
#define COMM_TEST_CUDADOUBLE_PTXBARRIER_H

#include "PtxOperations.h"

namespace ptx {

/// Instruction::flags of a barrier. Slots: `a` is the barrier, `b` (or 0) how
/// many threads it waits for, `c` the predicate that is reduced into `d`.
enum : uint16_t {
  kBarrierSync,
  kBarrierArrive,
  kBarrierPopc,
  kBarrierAnd,
  kBarrierOr,
  kBarrierKind = 7,
  kBarrierNegate = 8,
  /// All threads of a warp wait at the same instruction.
  kBarrierAligned = 16,
};

/// bar.sync and the like, but bar.warp.
void decodeBlockBarrier(Decoder &decoder);

/// Executes the instruction at which `threads` of a warp wait, all of them at
/// the same. Throws Fault where they do not agree.
void completeWarp(const std::vector<Thread *> &threads);

/// The threads of the warp that must meet the one that waits: a mask of lanes;
/// 0: those that are there.
uint32_t getWarpMask(const Thread &thread);

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXBARRIER_H
