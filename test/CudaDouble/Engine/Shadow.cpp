//===- Shadow.cpp - Who used which bytes last -----------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Shadow.h"

using namespace mlir::comm::cudadouble;

void Shadow::split(uint64_t at) {
  auto it = std::prev(segments.upper_bound(at));
  if (it->first == at || it->second.end == at)
    return;
  Segment second = it->second;
  it->second.end = at;
  segments.emplace(at, std::move(second));
}

Shadow::Finding Shadow::note(uint64_t begin, uint64_t end, bool write,
                             const Moment &moment, const Clock &clock) {
  Finding finding;
  if (begin == end)
    return finding;
  split(begin);
  split(end);
  auto first = segments.find(begin), it = first;
  for (; it != segments.end() && it->first < end; ++it) {
    Segment &segment = it->second;
    if (segment.write.origin && !clock.covers(segment.write))
      finding.race = segment.write;
    if (write) {
      for (const Moment &read : segment.reads)
        if (!clock.covers(read))
          finding.race = read;
      continue;
    }
    if (!segment.write.origin)
      finding.readsUnwritten = true;
    auto known = std::find_if(
        segment.reads.begin(), segment.reads.end(),
        [&](const Moment &read) { return read.stream == moment.stream; });
    if (known == segment.reads.end())
      segment.reads.push_back(moment);
    else
      *known = moment;
  }
  if (write) {
    segments.erase(std::next(first), it);
    first->second = {end, moment, {}};
  }
  return finding;
}
