//===- LaunchMemory.h - What one launch of a kernel uses --------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_CUDART_LAUNCHMEMORY_H
#define COMM_CUDADOUBLE_CUDART_LAUNCHMEMORY_H

#include "Engine/Stream.h"
#include "Ptx.h"

#include <bitset>

namespace mlir::comm::cudadouble {

/// Global memory as a kernel sees it. What it reads and writes is noted when it
/// is over, as ranges.
class LaunchMemory : public ptx::Memory {
public:
  explicit LaunchMemory(const Operation &operation) : operation(operation) {}

  void read(uint64_t address, uint64_t bytes, void *to) override;
  void write(uint64_t address, uint64_t bytes, const void *from) override;

  /// Notes all of it against what others do. With the engine's mutex locked.
  void note();

private:
  static constexpr uint64_t pageBytes = 1024;
  /// Which bytes of a page have been used.
  struct Page {
    std::bitset<pageBytes> read, written;
  };
  /// An allocation that has been used.
  struct Region {
    uint64_t base, bytes;
    Bytes data;
    std::map<uint64_t, Page> pages;
  };

  unsigned char *find(uint64_t address, uint64_t bytes, bool write);
  Region *load(uint64_t address, uint64_t bytes, bool write);
  void note(const Region &region, bool write);

  const Operation &operation;
  std::map<uint64_t, Region> regions;
  // Where the last access was: the next one is near.
  Region *region = nullptr;
  Page *page = nullptr;
  uint64_t pageNumber = 0;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_CUDART_LAUNCHMEMORY_H
