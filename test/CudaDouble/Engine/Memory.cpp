//===- Memory.cpp - The devices' memory and pinned memory -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Memory.h"
#include "Engine/Report.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace mlir::comm::cudadouble;

// No process has addresses like these.
static constexpr uint64_t firstAddress = 0x00d0000000000000;
static constexpr unsigned deviceShift = 44;
/// Allocations lie apart, so that an access beyond one is in no other.
static constexpr uint64_t gap = 256;
/// How much released memory keeps its bytes.
static constexpr uint64_t keptBytes = 256 << 20;

static std::string hex(uint64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

static std::string describe(const Allocation &allocation) {
  return std::to_string(allocation.bytes) + " bytes at " +
         hex(allocation.base) + " of " + allocation.entry;
}

uint64_t Memory::getTotalBytes() {
  return getNumber("COMM_DOUBLE_MEMORY", uint64_t(8) << 30);
}

Allocation *Memory::allocate(MemoryKind kind, int device, uint64_t bytes,
                             const char *entry) {
  if (size_t(device) >= used.size()) {
    used.resize(device + 1);
    for (uint64_t i = nextAddress.size(); i <= uint64_t(device); ++i)
      nextAddress.push_back(firstAddress + ((i + 1) << deviceShift));
  }
  if (kind == MemoryKind::Device && bytes > total - used[device])
    return nullptr;
  Bytes data(static_cast<unsigned char *>(
                 std::aligned_alloc(64, (bytes + 64) / 64 * 64)),
             std::free);
  std::memset(data.get(), 0xff, bytes);
  uint64_t base = reinterpret_cast<uint64_t>(data.get());
  if (kind == MemoryKind::Device) {
    used[device] += bytes;
    base = nextAddress[device];
    nextAddress[device] += (bytes + 2 * gap - 1) / gap * gap;
  } else {
    // The host may give the same address again.
    allocations.erase(base);
  }
  Allocation allocation{
      kind,          base, bytes, device, entry, std::move(data),
      Shadow(bytes), {},   {},    false,  false};
  return &allocations.emplace(base, std::move(allocation)).first->second;
}

uint64_t Memory::getFree(int device) const {
  return size_t(device) < used.size() ? total - used[device] : total;
}

Allocation *Memory::find(uint64_t address) {
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return nullptr;
  Allocation &allocation = std::prev(it)->second;
  // One beyond the end is nobody's, but names whose end it is.
  return address <= allocation.base + allocation.bytes ? &allocation : nullptr;
}

Allocation *Memory::check(uint64_t address, uint64_t bytes,
                          const std::string &use) {
  Allocation *allocation = find(address);
  if (!allocation ||
      (allocation->kind == MemoryKind::Pinned && allocation->isFreed)) {
    report("pointer",
           use + ": " + hex(address) + " is no memory that a device can reach");
    return nullptr;
  }
  if (bytes > allocation->base + allocation->bytes - address) {
    report("pointer", use + ": " + std::to_string(bytes) + " bytes at " +
                          hex(address) + " go beyond the end of " +
                          describe(*allocation));
    return nullptr;
  }
  if (allocation->isFreed) {
    report("lifetime",
           use + ": " + hex(address) + " is in released memory, " +
               describe(*allocation) +
               (allocation->freed.origin
                    ? ", released by " + allocation->freed.origin->describe()
                    : std::string()));
    return nullptr;
  }
  return allocation;
}

Bytes Memory::use(uint64_t address, uint64_t bytes, bool write,
                  const Moment &moment, const Clock &clock) {
  Allocation *allocation = find(address);
  if (!allocation || bytes > allocation->base + allocation->bytes - address) {
    check(address, bytes, moment.origin->describe());
    return nullptr;
  }
  if (allocation->kind == MemoryKind::Pinned)
    showHost([&](const HostWrite &one) {
      return one.address - allocation->base < allocation->bytes;
    });
  auto say = [&](const char *kind, const std::string &what, const Moment &by) {
    report(kind, moment.origin->describe() + (write ? " writes " : " reads ") +
                     std::to_string(bytes) + " bytes at " + hex(address) +
                     ", in " + describe(*allocation) + what +
                     (by.origin ? by.origin->describe() : "the host's call"));
  };
  if (allocation->isFreed) {
    say("lifetime",
        clock.covers(allocation->freed) ? ", after its release by "
                                        : ", not ordered with its release by ",
        allocation->freed);
    return nullptr;
  }
  if (bytes && !clock.covers(allocation->allocated))
    say("lifetime", ", not ordered after its allocation by ",
        allocation->allocated);
  uint64_t begin = address - allocation->base;
  Shadow::Finding finding =
      allocation->shadow.note(begin, begin + bytes, write, moment, clock);
  if (finding.race)
    say("race", ", and nothing orders it with ", *finding.race);
  static const bool checksWritten = getNumber("COMM_DOUBLE_UNWRITTEN", 0);
  // The host writes pinned memory, which is not seen.
  if (finding.readsUnwritten && checksWritten &&
      allocation->kind == MemoryKind::Device)
    say("unwritten", ", some of which nobody has written since ",
        allocation->allocated);
  return Bytes(allocation->data, allocation->data.get() + begin);
}

void Memory::writeHost(const Moment &moment, uint64_t address,
                       std::vector<unsigned char> bytes) {
  hostWrites.push_back({moment, address, std::move(bytes)});
}

void Memory::showHost(const Clock &host) {
  showHost([&](const HostWrite &one) { return host.covers(one.moment); });
}

void Memory::showHost(const std::function<bool(const HostWrite &)> &isShown) {
  auto shown = std::stable_partition(
      hostWrites.begin(), hostWrites.end(),
      [&](const HostWrite &one) { return !isShown(one); });
  for (auto it = shown; it != hostWrites.end(); ++it)
    std::memcpy(reinterpret_cast<void *>(it->address), it->bytes.data(),
                it->bytes.size());
  hostWrites.erase(shown, hostWrites.end());
}

void Memory::release(Allocation &allocation, const Moment &moment,
                     const Clock &clock) {
  std::optional<Moment> race =
      allocation.shadow.note(0, allocation.bytes, true, moment, clock).race;
  if (race)
    report("lifetime",
           moment.origin->describe() + " releases " + describe(allocation) +
               ", and nothing orders it with " + race->origin->describe());
  allocation.isFreed = true;
  allocation.freed = moment;
  if (allocation.kind == MemoryKind::Device)
    used[allocation.device] -= allocation.bytes;
  released.push_back(&allocation);
  releasedBytes += allocation.bytes;
  if (allocation.kind == MemoryKind::Pinned) {
    released.pop_back();
    releasedBytes -= allocation.bytes;
    allocations.erase(allocation.base);
  }
  while (releasedBytes > keptBytes) {
    forget(*released.front());
    released.pop_front();
  }
}

void Memory::forget(Allocation &allocation) {
  releasedBytes -= allocation.bytes;
  allocation.data.reset();
  allocation.shadow = Shadow(allocation.bytes);
}

uint64_t Memory::reportLeaks() {
  uint64_t number = 0;
  for (auto &[base, allocation] : allocations)
    if (!allocation.isFreed && !allocation.freeIsIssued) {
      report("leak", describe(allocation) + " on device " +
                         std::to_string(allocation.device) +
                         " is not released");
      ++number;
    }
  return number;
}
