//===- Arena.cpp - The memory of one rank's program -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Arena.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

using namespace mlir::comm::runtime;

static constexpr int64_t hugePageSize = 2 << 20;

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Sizes that differ little share memory: an eighth at most is left unused.
static int64_t getSizeClass(int64_t bytes) {
  // More than there is, before a sum overflows.
  constexpr int64_t most = int64_t(1) << 60;
  if (bytes > most)
    return most;
  int64_t step = bufferAlignment;
  while (step * 16 <= bytes)
    step *= 2;
  return roundUp(bytes < 1 ? 1 : bytes, step);
}

/// Before each allocation, in the bytes that the alignment leaves, stands
/// its size.
static int64_t &getSize(void *memory) {
  return *reinterpret_cast<int64_t *>(static_cast<char *>(memory) -
                                      bufferAlignment);
}

Arena::~Arena() {
  for (void *memory : systemAllocations)
    std::free(memory);
}

void *Arena::allocateFromSystem(int64_t size) {
  bool isLarge = size >= pageSize;
  int64_t offset = bufferAlignment;
  if (isLarge)
    offset += numLarge++ * largeBufferStep % pageSize;
  bool isHuge = size >= 2 * hugePageSize;
  int64_t start = isHuge ? hugePageSize : isLarge ? pageSize : bufferAlignment;
  int64_t total = roundUp(offset + size, start);
  void *memory = std::aligned_alloc(start, total);
  if (!memory)
    return nullptr;
  // Fewer, larger pages: a hint, which may be refused.
  if (isHuge)
    (void)madvise(memory, total, MADV_HUGEPAGE);
  systemAllocations.push_back(memory);
  return static_cast<char *>(memory) + offset;
}

void *Arena::allocate(int64_t bytes) {
  if (void *memory = tryAllocate(bytes))
    return memory;
  std::fprintf(stderr, "comm: no memory for a buffer of %lld bytes\n",
               static_cast<long long>(bytes));
  std::abort();
}

void *Arena::tryAllocate(int64_t bytes) {
  int64_t size = getSizeClass(bytes);
  std::vector<void *> &sameSize = free[size];
  void *memory = nullptr;
  if (!sameSize.empty()) {
    memory = sameSize.back();
    sameSize.pop_back();
  } else if ((memory = allocateFromSystem(size))) {
    getSize(memory) = size;
  }
  numLive += memory != nullptr;
  return memory;
}

void Arena::release(void *memory) {
  if (!memory)
    return;
  --numLive;
  free[getSize(memory)].push_back(memory);
}
