//===- PtxShared.h - Shared memory of a block, with its checks --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXSHARED_H
#define COMM_TEST_CUDADOUBLE_PTXSHARED_H

#include <cstdint>
#include <map>
#include <vector>

namespace ptx {

/// Who accesses: threads are ordered by the barriers that they passed.
struct Access {
  uint32_t thread = 0;
  uint32_t line = 0;
};

/// Accesses throw Fault where bytes are in no variable of the kernel, where the
/// address is not aligned, and where two threads access a byte with no barrier
/// between, one of them writing another value than is there.
class SharedMemory {
public:
  /// `variables`: offset -> size.
  explicit SharedMemory(const std::map<uint64_t, uint64_t> &variables);

  /// A new block: every byte is 0xff, as nothing is known of it.
  void reset();
  /// All threads have met, or (passWarp) those of a warp.
  void passBarrier() { ++blockEpoch; }
  void passWarp(uint32_t warp);

  void read(const Access &access, uint64_t offset, uint64_t bytes, void *to);
  void write(const Access &access, uint64_t offset, uint64_t bytes,
             const void *from);
  /// The bytes, for an atomic instruction.
  uint8_t *getAtomic(const Access &access, uint64_t offset, uint64_t bytes);

private:
  /// The last accesses to a byte.
  struct Mark {
    Access access;
    uint32_t blockEpoch = 0;
    uint32_t warpEpoch = 0;
  };
  struct Byte {
    /// `otherReader` is another thread than `reader`.
    Mark writer, reader, otherReader;
    bool isAtomic = false;
  };

  void check(uint64_t offset, uint64_t bytes) const;
  bool isOrdered(const Mark &mark, const Access &access) const;
  void checkReaders(const Access &access, const Byte &byte,
                    uint64_t offset) const;
  Mark makeMark(const Access &access) const;
  void noteRead(const Access &access, Byte &byte) const;
  [[noreturn]] void failRace(const Mark &mark, const Access &access,
                             uint64_t offset) const;

  std::vector<uint8_t> data;
  std::vector<uint8_t> isValid;
  std::vector<Byte> bytes;
  uint32_t blockEpoch = 1;
  std::vector<uint32_t> warpEpochs;
};

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXSHARED_H
