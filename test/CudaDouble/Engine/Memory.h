//===- Memory.h - The devices' memory and pinned memory ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of device memory is no address of the process: the host cannot
// follow it, as on a machine with a GPU. What it stands for lies in memory of
// the host elsewhere. An address is never given twice, so that memory that is
// used after its release is known for what it is.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_MEMORY_H
#define COMM_CUDADOUBLE_ENGINE_MEMORY_H

#include "Engine/Shadow.h"

#include <deque>
#include <functional>

namespace mlir::comm::cudadouble {

enum class MemoryKind { Device, Pinned };

/// The bytes behind an allocation.
using Bytes = std::shared_ptr<unsigned char[]>;

struct Allocation {
  MemoryKind kind;
  uint64_t base, bytes;
  /// Where it is, or which device was current when pinned memory was allocated.
  int device;
  /// cudaMalloc, cudaMallocAsync, ...
  const char *entry;
  Bytes data;
  Shadow shadow;
  /// In the order of streams; no origin: by the host, at once.
  Moment allocated, freed;
  /// By the host, in the order of calls.
  bool isFreed = false, freeIsIssued = false;
};

/// All of its functions are called with the engine's mutex locked.
class Memory {
public:
  /// Filled with ones, which are NaNs in every float type. Null where the
  /// device has no more.
  Allocation *allocate(MemoryKind kind, int device, uint64_t bytes,
                       const char *entry);
  /// What is left of a device.
  uint64_t getFree(int device) const;
  uint64_t getTotal() const { return total; }

  /// The allocation that holds the address, released or not; null if there is
  /// none.
  Allocation *find(uint64_t address);
  /// Looks for [address, address + bytes) in live memory. Reports as "pointer"
  /// and returns null where it is not. `use` is such as "ncclAllReduce: send".
  Allocation *check(uint64_t address, uint64_t bytes, const std::string &use);

  /// An operation that runs uses [address, address + bytes): reports what is
  /// wrong with that; of no bytes only that it has been released. Returns the
  /// bytes, or null where there are none.
  Bytes use(uint64_t address, uint64_t bytes, bool write, const Moment &moment,
            const Clock &clock);
  /// The release has happened: by an operation of a stream, or by the host with
  /// its own clock and a moment with no stream's tick.
  void release(Allocation &allocation, const Moment &moment,
               const Clock &clock);

  /// A copy to pinned memory of the host is done. The host finds the bytes
  /// there when it has waited for the copy, and not before: whoever does not
  /// wait reads what was there.
  void writeHost(const Moment &moment, uint64_t address,
                 std::vector<unsigned char> bytes);
  /// What the host has waited for.
  void showHost(const Clock &host);

  /// Reports what is alive. Returns how many allocations that are.
  uint64_t reportLeaks();

private:
  struct HostWrite {
    Moment moment;
    uint64_t address;
    std::vector<unsigned char> bytes;
  };
  void showHost(const std::function<bool(const HostWrite &)> &isShown);
  void forget(Allocation &allocation);

  std::map<uint64_t, Allocation> allocations;
  std::vector<uint64_t> nextAddress, used;
  uint64_t total = getTotalBytes();
  static uint64_t getTotalBytes();
  /// Released, with their bytes still there for whoever uses them wrongly.
  std::deque<Allocation *> released;
  uint64_t releasedBytes = 0;
  /// Not shown yet, in their order.
  std::vector<HostWrite> hostWrites;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_MEMORY_H
