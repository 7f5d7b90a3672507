//===- Shadow.h - Who used which bytes last ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_SHADOW_H
#define COMM_CUDADOUBLE_ENGINE_SHADOW_H

#include "Engine/Clock.h"

#include <map>
#include <optional>

namespace mlir::comm::cudadouble {

/// The last write of each byte of an allocation, and the reads since.
/// Operations are noted when they have run, so that one that is noted later
/// never happens before one that is noted already: to race is not to be covered
/// by the later one's clock.
class Shadow {
public:
  explicit Shadow(uint64_t bytes) { segments[0] = {bytes, {}, {}}; }

  struct Finding {
    /// An operation that races with the access.
    std::optional<Moment> race;
    /// The access reads bytes that nobody has written.
    bool readsUnwritten = false;
  };
  /// Notes an access of [begin, end).
  Finding note(uint64_t begin, uint64_t end, bool write, const Moment &moment,
               const Clock &clock);

private:
  struct Segment {
    uint64_t end;
    /// No origin: not written yet.
    Moment write;
    /// The last of each stream.
    std::vector<Moment> reads;
  };
  void split(uint64_t at);

  /// By where they begin; they cover the allocation.
  std::map<uint64_t, Segment> segments;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_SHADOW_H
