//===- LaunchMemory.cpp - What one launch of a kernel uses ----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/LaunchMemory.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

using namespace mlir::comm::cudadouble;

void LaunchMemory::read(uint64_t address, uint64_t bytes, void *to) {
  std::memcpy(to, find(address, bytes, false), bytes);
}

void LaunchMemory::write(uint64_t address, uint64_t bytes, const void *from) {
  std::memcpy(find(address, bytes, true), from, bytes);
}

[[noreturn]] static void refuse(uint64_t address, uint64_t bytes, bool write,
                                const char *why) {
  char text[128];
  std::snprintf(text, sizeof text, "%s %llu bytes at 0x%llx, %s",
                write ? "writes" : "reads",
                static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(address), why);
  throw std::runtime_error(text);
}

unsigned char *LaunchMemory::find(uint64_t address, uint64_t bytes,
                                  bool write) {
  if (!region || address - region->base >= region->bytes) {
    region = load(address, bytes, write);
    page = nullptr;
  }
  uint64_t begin = address - region->base;
  if (bytes > region->bytes - begin)
    refuse(address, bytes, write, "beyond the end of an allocation");
  for (uint64_t i = begin; i < begin + bytes; ++i) {
    if (!page || i / pageBytes != pageNumber) {
      pageNumber = i / pageBytes;
      page = &region->pages[pageNumber];
    }
    (write ? page->written : page->read).set(i % pageBytes);
  }
  return region->data.get() + begin;
}

LaunchMemory::Region *LaunchMemory::load(uint64_t address, uint64_t bytes,
                                         bool write) {
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  Allocation *allocation = engine.memory.find(address);
  if (!allocation)
    refuse(address, bytes, write, "which is no memory");
  if (address == allocation->base + allocation->bytes)
    refuse(address, bytes, write, "beyond the end of an allocation");
  if (allocation->kind == MemoryKind::Device &&
      allocation->device != operation.completion->device)
    refuse(address, bytes, write, "which is memory of another device");
  auto [it, isNew] = regions.try_emplace(allocation->base);
  if (isNew) {
    // Reports what is wrong with its life.
    Bytes data = engine.memory.use(allocation->base, 0, write, operation.moment,
                                   operation.clock());
    if (!data)
      refuse(address, bytes, write, "which is not alive");
    it->second = {allocation->base, allocation->bytes, std::move(data), {}};
  }
  return &it->second;
}

void LaunchMemory::note() {
  for (const auto &[base, one] : regions) {
    note(one, true);
    note(one, false);
  }
}

void LaunchMemory::note(const Region &one, bool write) {
  Engine &engine = getEngine();
  uint64_t begin = 0, end = 0;
  auto noteRange = [&] {
    if (begin != end)
      engine.memory.use(one.base + begin, end - begin, write, operation.moment,
                        operation.clock());
  };
  for (const auto &[number, used] : one.pages) {
    const auto &bytes = write ? used.written : used.read;
    if (bytes.none())
      continue;
    for (uint64_t i = 0; i < pageBytes; ++i) {
      if (!bytes[i])
        continue;
      uint64_t at = number * pageBytes + i;
      if (at != end) {
        noteRange();
        begin = at;
      }
      end = at + 1;
    }
  }
  noteRange();
}
