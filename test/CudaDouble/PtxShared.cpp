//===- PtxShared.cpp - Shared memory of a block, with its checks ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxShared.h"

#include "PtxThread.h"

#include <algorithm>

using namespace ptx;

SharedMemory::SharedMemory(const std::map<uint64_t, uint64_t> &variables)
    : warpEpochs(kMaximumThreads / kWarpSize, 0) {
  if (variables.empty())
    return;
  auto [last, lastSize] = *variables.rbegin();
  data.resize(last + lastSize);
  isValid.resize(last + lastSize);
  bytes.resize(last + lastSize);
  for (auto [offset, length] : variables)
    std::fill_n(isValid.begin() + offset, length, 1);
}

// Epochs only grow: accesses of the block before are ordered.
void SharedMemory::reset() {
  std::fill(data.begin(), data.end(), 0xff);
  ++blockEpoch;
}

void SharedMemory::passWarp(uint32_t warp) { ++warpEpochs[warp]; }

void SharedMemory::check(uint64_t offset, uint64_t size) const {
  if (offset % size)
    throw Fault("shared address " + toHex(offset) + " is not a multiple of " +
                std::to_string(size));
  if (offset >= data.size() || size > data.size() - offset ||
      !isValid[offset] || !isValid[offset + size - 1])
    throw Fault("shared address " + toHex(offset) + " (" +
                std::to_string(size) + " bytes) is outside the variables");
}

/// Whether the marked access happened before one that is made now.
bool SharedMemory::isOrdered(const Mark &mark, const Access &access) const {
  if (mark.blockEpoch != blockEpoch || mark.access.thread == access.thread)
    return true;
  uint32_t warp = mark.access.thread / kWarpSize;
  return warp == access.thread / kWarpSize &&
         mark.warpEpoch != warpEpochs[warp];
}

void SharedMemory::failRace(const Mark &mark, const Access &access,
                            uint64_t offset) const {
  throw Fault("race on shared address " + toHex(offset) + ": thread " +
              std::to_string(mark.access.thread) + " accessed it in line " +
              std::to_string(mark.access.line) +
              ", with no barrier before thread " +
              std::to_string(access.thread));
}

SharedMemory::Mark SharedMemory::makeMark(const Access &access) const {
  return {access, blockEpoch, warpEpochs[access.thread / kWarpSize]};
}

/// Keeps two readers, of those that a write could race with.
void SharedMemory::noteRead(const Access &access, Byte &byte) const {
  if (byte.reader.access.thread != access.thread &&
      (!isOrdered(byte.reader, access) || isOrdered(byte.otherReader, access)))
    byte.otherReader = byte.reader;
  byte.reader = makeMark(access);
}

void SharedMemory::checkReaders(const Access &access, const Byte &byte,
                                uint64_t offset) const {
  for (const Mark *mark : {&byte.reader, &byte.otherReader})
    if (!isOrdered(*mark, access))
      failRace(*mark, access, offset);
}

void SharedMemory::read(const Access &access, uint64_t offset, uint64_t size,
                        void *to) {
  check(offset, size);
  for (uint64_t i = offset; i < offset + size; ++i) {
    if (!isOrdered(bytes[i].writer, access))
      failRace(bytes[i].writer, access, i);
    noteRead(access, bytes[i]);
  }
  std::memcpy(to, &data[offset], size);
}

/// Writes of the same value are no race: any order of them gives the same.
void SharedMemory::write(const Access &access, uint64_t offset, uint64_t size,
                         const void *from) {
  check(offset, size);
  const auto *value = static_cast<const uint8_t *>(from);
  for (uint64_t i = 0; i < size; ++i) {
    Byte &byte = bytes[offset + i];
    if (data[offset + i] != value[i]) {
      if (!isOrdered(byte.writer, access))
        failRace(byte.writer, access, offset + i);
      checkReaders(access, byte, offset + i);
    }
    byte.isAtomic = false;
    byte.writer = makeMark(access);
    data[offset + i] = value[i];
  }
}

uint8_t *SharedMemory::getAtomic(const Access &access, uint64_t offset,
                                 uint64_t size) {
  check(offset, size);
  for (uint64_t i = offset; i < offset + size; ++i) {
    Byte &byte = bytes[i];
    if (!byte.isAtomic && !isOrdered(byte.writer, access))
      failRace(byte.writer, access, i);
    checkReaders(access, byte, i);
    byte.isAtomic = true;
    byte.writer = makeMark(access);
  }
  return &data[offset];
}
