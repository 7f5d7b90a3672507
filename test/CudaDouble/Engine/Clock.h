//===- Clock.h - Vector clocks over streams ---------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_CLOCK_H
#define COMM_CUDADOUBLE_ENGINE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir::comm::cudadouble {

/// Which call an operation came from: what a report names.
struct Origin {
  const char *entry;
  uint64_t number;
  unsigned stream;
  int device;
  unsigned thread;
  /// Of the calling thread, -1 where it is not known.
  int rank;

  /// "cudaMemcpyAsync #12 on stream 3 (device 0, thread 1, rank 1)".
  std::string describe() const;
};

/// The place of one operation: the `tick`th of its stream, from 1; 0 is what
/// the host did at once, before all that it does later.
struct Moment {
  unsigned stream = 0;
  uint64_t tick = 0;
  std::shared_ptr<const Origin> origin;
};

/// For each stream, up to which of its operations everything is done by then.
class Clock {
public:
  void set(unsigned stream, uint64_t tick) {
    if (stream >= ticks.size())
      ticks.resize(stream + 1);
    ticks[stream] = tick;
  }
  void join(const Clock &other) {
    if (other.ticks.size() > ticks.size())
      ticks.resize(other.ticks.size());
    for (size_t i = 0; i < other.ticks.size(); ++i)
      ticks[i] = std::max(ticks[i], other.ticks[i]);
  }
  /// Whether that operation happens before whatever has this clock, or is it.
  bool covers(const Moment &moment) const {
    return !moment.tick || (moment.stream < ticks.size() &&
                            ticks[moment.stream] >= moment.tick);
  }

private:
  std::vector<uint64_t> ticks;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_CLOCK_H
