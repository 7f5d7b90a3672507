//===- PtxThread.h - State of a running PTX kernel --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_CUDADOUBLE_PTXTHREAD_H
#define COMM_TEST_CUDADOUBLE_PTXTHREAD_H

#include "Ptx.h"
#include "PtxCode.h"
#include "PtxShared.h"

#include <cstring>
#include <stdexcept>

namespace ptx {

inline constexpr uint32_t kWarpSize = 32;
inline constexpr uint32_t kMaximumThreads = 1024;

/// What .shared variables of a kernel may take: a launch adds none.
inline constexpr uint64_t kMaximumSharedBytes = 48 << 10;

/// Branches that one thread takes before it is said to be in an endless loop.
inline constexpr uint64_t kMaximumBranches = uint64_t(1) << 27;

/// What went wrong in an instruction: the line is added where it is caught.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "0x1f"
std::string toHex(uint64_t value);

struct Launch {
  const Kernel &kernel;
  const Program &program;
  Memory &memory;
  uint64_t blocks = 0;
  uint32_t threads = 0;
  std::vector<uint8_t> parameters;
};

struct Block {
  const Launch &launch;
  SharedMemory shared;
  uint64_t index = 0;
};

enum class State : uint8_t {
  Running,
  /// At a bar.sync or the like.
  AtBarrier,
  /// At an instruction that threads of the warp execute together.
  AtWarp,
  Exited,
};

struct Frame {
  const Function *function = nullptr;
  /// Of the caller; null for the kernel.
  const Call *call = nullptr;
  const Instruction *next = nullptr;
  uint64_t firstSlot = 0;
  uint64_t firstByte = 0;
};

/// One thread of a block.
struct Thread {
  explicit Thread(Block &block) : block(block) {}

  /// Makes it thread `index` of the block, before its first instruction.
  void start(uint32_t index);
  /// Until it waits or ends.
  void run();
  void enter(const Function &function, const Call *call);
  void leave();

  uint32_t getLine() const { return current ? current->line : 0; }

  Block &block;
  /// Slots of the running function.
  uint64_t *slots = nullptr;
  const Instruction *next = nullptr;
  /// The last one that was executed.
  const Instruction *current = nullptr;
  uint32_t index = 0;
  State state = State::Running;
  /// CC.CF
  bool carry = false;
  uint64_t branches = 0;

  std::vector<Frame> frames;
  std::vector<uint64_t> slotStack;
  /// Local memory and what is passed to functions.
  std::vector<uint8_t> stack;

private:
  uint64_t getSpecial(Special special) const;
};

/// Bytes at an address, of whatever space; throw Fault. `line` tells who
/// accessed shared memory.
void load(Thread &thread, Space space, uint64_t address, uint64_t bytes,
          void *to);
void store(Thread &thread, Space space, uint64_t address, uint64_t bytes,
           const void *from);

/// Reads, changes and writes `bytes` bytes as one step for all threads.
void update(Thread &thread, Space space, uint64_t address, uint64_t bytes,
            Change change, void *old, const void *b, const void *c);

/// The value of a slot as T, and back with the upper bits zero.
template <class T>
T get(uint64_t slot) {
  static_assert(sizeof(T) <= sizeof(slot));
  T value;
  std::memcpy(&value, &slot, sizeof(value));
  return value;
}

template <class T>
uint64_t put(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t slot = 0;
  std::memcpy(&slot, &value, sizeof(value));
  return slot;
}

} // namespace ptx

#endif // COMM_TEST_CUDADOUBLE_PTXTHREAD_H
