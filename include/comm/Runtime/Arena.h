//===- Arena.h - The memory of one rank's program ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_ARENA_H
#define COMM_RUNTIME_ARENA_H

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace mlir::comm::runtime {

/// Buffers start at multiples of so many bytes: a cache line.
constexpr int64_t bufferAlignment = 64;
/// Buffers of so many bytes and more are large: the next one starts
/// `largeBufferStep` bytes further within its page, 9 cache lines, which takes
/// all 64 lines of a page in turn. Streams at equal offsets within a page evict
/// one another from the cache.
constexpr int64_t pageSize = 4096;
constexpr int64_t largeBufferStep = 9 * bufferAlignment;

/// Where an arena takes its memory from. Used by one thread at a time.
class MemorySource {
public:
  virtual ~MemorySource();
  /// `bytes` bytes, at least 1, at a multiple of `bufferAlignment`; null where
  /// there are none.
  virtual void *allocate(int64_t bytes) = 0;
  /// Gives back what `allocate` returned.
  virtual void free(void *memory) = 0;
};

/// The memory of the host, with large buffers staggered.
std::unique_ptr<MemorySource> createHostSource();

/// Memory that a rank's program gives back and takes again. It goes back to its
/// source with the arena, or where the source has no more: a step that has run
/// before asks the source for nothing. Used by one thread at a time.
class Arena {
public:
  explicit Arena(std::unique_ptr<MemorySource> source = createHostSource())
      : source(std::move(source)) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// At least `bytes` bytes, which hold anything, at a multiple of
  /// `bufferAlignment`, large ones staggered. Ends the process where there is
  /// no memory, as nothing can be computed without.
  void *allocate(int64_t bytes);
  /// The same, but null where there is no memory.
  void *tryAllocate(int64_t bytes);

  /// Gives back what one of these returned; null, or what is not the arena's,
  /// is nothing.
  void release(void *memory);

  /// How often memory was asked of the source.
  int64_t getNumSystemAllocations() const { return numSystemAllocations; }
  /// How many allocations have not been given back.
  int64_t getNumLive() const { return numLive; }

private:
  void *allocateFromSource(int64_t size);

  std::unique_ptr<MemorySource> source;
  /// Of all that the source gave. Not beside the memory itself, which may be
  /// a device's.
  std::unordered_map<void *, int64_t> sizes;
  /// What can be taken again, by size.
  std::map<int64_t, std::vector<void *>> available;
  int64_t numLive = 0;
  int64_t numSystemAllocations = 0;
};

} // namespace mlir::comm::runtime

#endif // COMM_RUNTIME_ARENA_H
