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

MemorySource::~MemorySource() = default;

namespace {
class HostSource : public MemorySource {
public:
  void *allocate(int64_t bytes) override {
    bool isLarge = bytes >= pageSize;
    // At least a line: there stands where the memory starts.
    int64_t offset = bufferAlignment;
    if (isLarge)
      offset += numLarge++ * largeBufferStep % pageSize;
    bool isHuge = bytes >= 2 * hugePageSize;
    int64_t start = isHuge    ? hugePageSize
                    : isLarge ? pageSize
                              : bufferAlignment;
    int64_t total = roundUp(offset + bytes, start);
    void *memory = std::aligned_alloc(start, total);
    if (!memory)
      return nullptr;
    // Fewer, larger pages: a hint, which may be refused.
    if (isHuge)
      (void)madvise(memory, total, MADV_HUGEPAGE);
    void *buffer = static_cast<char *>(memory) + offset;
    getStart(buffer) = memory;
    return buffer;
  }

  void free(void *memory) override { std::free(getStart(memory)); }

private:
  static void *&getStart(void *buffer) {
    return *reinterpret_cast<void **>(static_cast<char *>(buffer) -
                                      bufferAlignment);
  }

  int64_t numLarge = 0;
};
} // namespace

std::unique_ptr<MemorySource> mlir::comm::runtime::createHostSource() {
  return std::make_unique<HostSource>();
}

Arena::~Arena() {
  for (auto [memory, size] : sizes)
    source->free(memory);
}

void *Arena::allocateFromSource(int64_t size) {
  void *memory = source->allocate(size);
  if (!memory) {
    // What lies here in other sizes may be enough.
    for (auto &[otherSize, sameSize] : available) {
      for (void *unused : sameSize) {
        source->free(unused);
        sizes.erase(unused);
      }
      sameSize.clear();
    }
    memory = source->allocate(size);
  }
  if (memory) {
    sizes[memory] = size;
    ++numSystemAllocations;
  }
  return memory;
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
  std::vector<void *> &sameSize = available[size];
  void *memory = nullptr;
  if (!sameSize.empty()) {
    memory = sameSize.back();
    sameSize.pop_back();
  } else {
    memory = allocateFromSource(size);
  }
  numLive += memory != nullptr;
  return memory;
}

void Arena::release(void *memory) {
  auto it = sizes.find(memory);
  if (it == sizes.end())
    return;
  --numLive;
  available[it->second].push_back(memory);
}
