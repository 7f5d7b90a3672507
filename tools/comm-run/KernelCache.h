//===- KernelCache.h - Objects of kernels compiled before -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_KERNELCACHE_H
#define COMM_TOOLS_COMMRUN_KERNELCACHE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <mutex>

namespace mlir::comm::runner {

/// Object files by keys, which say all that the code depends on. Kept in
/// memory, and in a folder where there is one: other processes may use it too.
/// May be used by several threads.
class KernelCache {
public:
  /// Of memory alone.
  KernelCache() = default;

  /// Also in `folder`, which is made when the first file is. Whatever goes
  /// wrong with files only costs the time to compile again. Files that nobody
  /// has read for a week are removed, and the oldest ones beyond 256 MiB.
  explicit KernelCache(llvm::StringRef folder);
  ~KernelCache();

  /// Where a user's cache is, `comm` in $XDG_CACHE_HOME or ~/.cache; empty if
  /// there is no such place.
  static std::string getDefaultFolder();

  void add(llvm::StringRef key, llvm::MemoryBufferRef object);
  /// Null where there is none.
  std::unique_ptr<llvm::MemoryBuffer> get(llvm::StringRef key);

  /// How many objects it has given, and how often it had none.
  size_t getNumHits() const { return numHits; }
  size_t getNumMisses() const { return numMisses; }

private:
  std::unique_ptr<llvm::MemoryBuffer> read(llvm::StringRef key);
  void write(llvm::StringRef key, llvm::StringRef object);

  std::mutex mutex;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> objects;
  std::string folder;
  std::atomic<size_t> numHits{0}, numMisses{0};
  bool hasWritten = false;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_KERNELCACHE_H
