//===- PtxMemory.cpp - Memory that a running PTX kernel sees --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxThread.h"

#include <mutex>

using namespace ptx;

std::string ptx::toHex(uint64_t value) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  do
    result.insert(result.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + result;
}

static void checkAlignment(uint64_t address, uint64_t bytes) {
  if (address % bytes)
    throw Fault("address " + toHex(address) + " is not a multiple of " +
                std::to_string(bytes));
}

static Space findSpace(uint64_t address) {
  if (address >= kSharedWindow)
    return Space::Shared;
  if (address >= kLocalWindow)
    return Space::Local;
  return address >= kParamWindow ? Space::Param : Space::Global;
}

/// Bytes that start at `base`; null where [address, +bytes) is not all in them.
template <class Bytes>
static auto *find(Bytes &data, uint64_t base, uint64_t address,
                  uint64_t bytes) {
  uint64_t size = data.size() * sizeof(data[0]);
  uint64_t offset = address - base;
  using Byte =
      std::conditional_t<std::is_const_v<Bytes>, const uint8_t, uint8_t>;
  bool isInside = offset < size && bytes <= size - offset;
  return isInside ? reinterpret_cast<Byte *>(data.data()) + offset : nullptr;
}

/// Of a variable of the module; null where the address is in none.
static uint8_t *findVariable(const Program &program, uint64_t address,
                             uint64_t bytes, bool isStore) {
  auto data = reinterpret_cast<uint64_t>(program.data.data());
  if (address - data >= program.data.size() * sizeof(uint64_t))
    return nullptr;
  auto it = program.extents.upper_bound(address);
  if (it == program.extents.begin())
    return nullptr;
  auto [start, extent] = *std::prev(it);
  if (address - start >= extent.bytes ||
      bytes > extent.bytes - (address - start))
    return nullptr;
  if (isStore && extent.isConst)
    throw Fault("store to constant memory");
  return reinterpret_cast<uint8_t *>(address);
}

[[noreturn]] static void failOutside(const char *what, uint64_t address,
                                     uint64_t bytes) {
  throw Fault(std::string(what) + " address " + toHex(address) + " (" +
              std::to_string(bytes) + " bytes) is outside");
}

/// Of a thread's own memory; null where the address is of global memory.
static uint8_t *findOwn(Thread &thread, Space space, uint64_t address,
                        uint64_t bytes, bool isStore) {
  const Program &program = thread.block.launch.program;
  if (space == Space::Local || space == Space::Param) {
    // Parameters of functions and local variables are in the same stack.
    if (uint8_t *found = find(thread.stack, kLocalWindow, address, bytes))
      return found;
    const std::vector<uint8_t> &parameters = thread.block.launch.parameters;
    if (const uint8_t *found = find(parameters, kParamWindow, address, bytes);
        found && !isStore)
      return const_cast<uint8_t *>(found);
    failOutside(space == Space::Local ? "local" : "parameter", address, bytes);
  }
  if (uint8_t *found = findVariable(program, address, bytes, isStore))
    return found;
  if (space == Space::Const || address >= kFirstWindow)
    failOutside(space == Space::Const ? "constant" : "global", address, bytes);
  return nullptr;
}

static Access getAccess(const Thread &thread) {
  return {thread.index, thread.getLine()};
}

/// Makes a generic address one of its space.
static Space resolve(Space space, uint64_t &address) {
  if (space != Space::Generic)
    return space;
  space = findSpace(address);
  if (space == Space::Shared)
    address -= kSharedWindow;
  return space;
}

void ptx::load(Thread &thread, Space space, uint64_t address, uint64_t bytes,
               void *to) {
  space = resolve(space, address);
  if (space == Space::Shared)
    return thread.block.shared.read(getAccess(thread), address, bytes, to);
  checkAlignment(address, bytes);
  if (const uint8_t *own =
          findOwn(thread, space, address, bytes, /*isStore=*/false))
    std::memcpy(to, own, bytes);
  else
    thread.block.launch.memory.read(address, bytes, to);
}

void ptx::store(Thread &thread, Space space, uint64_t address, uint64_t bytes,
                const void *from) {
  space = resolve(space, address);
  if (space == Space::Shared)
    return thread.block.shared.write(getAccess(thread), address, bytes, from);
  checkAlignment(address, bytes);
  if (uint8_t *own = findOwn(thread, space, address, bytes, /*isStore=*/true))
    std::memcpy(own, from, bytes);
  else
    thread.block.launch.memory.write(address, bytes, from);
}

void ptx::update(Thread &thread, Space space, uint64_t address, uint64_t bytes,
                 Change change, void *old, const void *b, const void *c) {
  // Of all kernels that run at a time.
  static std::mutex mutex;
  space = resolve(space, address);
  if (space == Space::Shared) {
    uint8_t *value =
        thread.block.shared.getAtomic(getAccess(thread), address, bytes);
    std::memcpy(old, value, bytes);
    change(value, b, c);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  load(thread, space, address, bytes, old);
  uint64_t value[2];
  std::memcpy(value, old, bytes);
  change(value, b, c);
  store(thread, space, address, bytes, value);
}
