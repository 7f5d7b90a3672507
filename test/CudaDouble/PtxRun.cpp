//===- PtxRun.cpp - Runs the blocks of a PTX kernel -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBarrier.h"

#include <map>

using namespace ptx;

namespace {

/// Runs a block until all its threads have ended.
class Scheduler {
public:
  explicit Scheduler(const Launch &launch)
      : block{launch, SharedMemory(launch.kernel.function->shared)} {}

  void runBlocks();
  /// ", block 0, thread 5, line 12", of what ran last.
  std::string describePlace() const;

private:
  void runAlone();
  void runTogether();
  void runWarp(size_t first, size_t end);
  bool meetInWarp(size_t first, size_t end);
  bool gather(const Thread &thread, size_t first, size_t end,
              std::vector<Thread *> &group);
  bool meetAtBarriers();
  bool arrive();
  bool release(uint32_t barrier, const std::vector<Thread *> &waiting);
  void checkAligned(const std::vector<Thread *> &waiting);
  [[noreturn]] void failDeadlock();
  void runThread(Thread &thread) {
    active = &thread;
    thread.run();
  }

  Block block;
  std::vector<Thread> threads;
  const Thread *active = nullptr;
  /// Threads that were at bar.arrive and went on, by barrier.
  std::map<uint32_t, uint32_t> arrived;
};

void Scheduler::runBlocks() {
  const Launch &launch = block.launch;
  bool waits = launch.kernel.function->waits;
  threads.reserve(waits ? launch.threads : 1);
  for (uint32_t k = 0; k < (waits ? launch.threads : 1); ++k)
    threads.emplace_back(block);
  for (block.index = 0; block.index < launch.blocks; ++block.index) {
    block.shared.reset();
    if (waits)
      runTogether();
    else
      runAlone();
  }
}

/// Where no thread waits for another, they share registers one after the other.
void Scheduler::runAlone() {
  for (uint32_t k = 0; k < block.launch.threads; ++k) {
    threads[0].start(k);
    runThread(threads[0]);
  }
}

void Scheduler::runTogether() {
  arrived.clear();
  for (uint32_t k = 0; k < threads.size(); ++k)
    threads[k].start(k);
  while (true) {
    for (size_t first = 0; first < threads.size(); first += kWarpSize)
      runWarp(first, std::min<size_t>(first + kWarpSize, threads.size()));
    bool allEnded = true;
    for (const Thread &thread : threads)
      allEnded &= thread.state == State::Exited;
    if (allEnded)
      return;
    if (!meetAtBarriers())
      failDeadlock();
  }
}

/// Until every thread of the warp has ended or waits for other warps.
void Scheduler::runWarp(size_t first, size_t end) {
  do
    for (size_t k = first; k < end; ++k)
      runThread(threads[k]);
  while (meetInWarp(first, end));
}

/// Executes the first instruction for which all threads that it needs are
/// there.
bool Scheduler::meetInWarp(size_t first, size_t end) {
  for (size_t k = first; k < end; ++k) {
    active = &threads[k];
    std::vector<Thread *> group;
    if (threads[k].state != State::AtWarp ||
        !gather(threads[k], first, end, group))
      continue;
    completeWarp(group);
    for (Thread *thread : group)
      thread->state = State::Running;
    return true;
  }
  return false;
}

/// Those that execute the instruction together with the thread. False where one
/// of them is elsewhere. Threads that have ended need not be there.
bool Scheduler::gather(const Thread &thread, size_t first, size_t end,
                       std::vector<Thread *> &group) {
  uint32_t mask = getWarpMask(thread);
  for (size_t k = first; k < end; ++k) {
    Thread &other = threads[k];
    bool isThere =
        other.state == State::AtWarp && other.current == thread.current;
    if (!mask ? !isThere : !(mask >> (k - first) & 1))
      continue;
    if (other.state == State::Exited)
      continue;
    if (!isThere || getWarpMask(other) != mask)
      return false;
    group.push_back(&other);
  }
  return true;
}

bool Scheduler::meetAtBarriers() {
  bool progress = arrive();
  std::map<uint32_t, std::vector<Thread *>> waiting;
  for (Thread &thread : threads)
    if (thread.state == State::AtBarrier)
      waiting[uint32_t(thread.slots[thread.current->a])].push_back(&thread);
  for (auto &[barrier, group] : waiting)
    progress |= release(barrier, group);
  return progress;
}

/// Those at bar.arrive are counted and go on.
bool Scheduler::arrive() {
  bool progress = false;
  for (Thread &thread : threads) {
    if (thread.state != State::AtBarrier ||
        (thread.current->flags & kBarrierKind) != kBarrierArrive)
      continue;
    ++arrived[uint32_t(thread.slots[thread.current->a])];
    thread.state = State::Running;
    progress = true;
  }
  return progress;
}

void Scheduler::checkAligned(const std::vector<Thread *> &waiting) {
  for (size_t k = 1; k < waiting.size(); ++k) {
    const Thread &one = *waiting[k - 1];
    const Thread &other = *waiting[k];
    if (one.index / kWarpSize != other.index / kWarpSize ||
        one.current == other.current || !(one.current->flags & kBarrierAligned))
      continue;
    active = &other;
    throw Fault("threads of a warp are at different barriers: thread " +
                std::to_string(one.index) + " is in line " +
                std::to_string(one.getLine()));
  }
}

bool Scheduler::release(uint32_t barrier,
                        const std::vector<Thread *> &waiting) {
  const Thread &first = *waiting[0];
  active = &first;
  if (barrier > 15)
    throw Fault("there is no barrier " + std::to_string(barrier));
  uint64_t expected = threads.size();
  if (uint32_t slot = first.current->b) {
    expected = first.slots[slot];
    if (!expected || expected % kWarpSize)
      throw Fault("barrier of " + std::to_string(expected) +
                  " threads: expected a multiple of a warp");
  }
  uint64_t got = waiting.size() + arrived[barrier];
  if (got > expected)
    throw Fault("barrier " + std::to_string(barrier) + " of " +
                std::to_string(expected) + " threads has " +
                std::to_string(got));
  if (got < expected)
    return false;
  checkAligned(waiting);
  arrived[barrier] = 0;
  uint32_t trues = 0;
  auto isTrue = [](const Thread &thread) {
    const Instruction &i = *thread.current;
    return (thread.slots[i.c] != 0) != bool(i.flags & kBarrierNegate);
  };
  for (Thread *thread : waiting)
    trues += isTrue(*thread);
  for (Thread *thread : waiting) {
    const Instruction &i = *thread->current;
    uint16_t kind = i.flags & kBarrierKind;
    if (i.d)
      thread->slots[i.d] = kind == kBarrierPopc  ? trues
                           : kind == kBarrierAnd ? trues == waiting.size()
                                                 : trues != 0;
    thread->state = State::Running;
  }
  block.shared.passBarrier();
  return true;
}

/// Nothing can go on: says who waits where.
void Scheduler::failDeadlock() {
  const Thread *waiting = nullptr;
  const Thread *ended = nullptr;
  for (const Thread &thread : threads) {
    if (thread.state == State::Exited)
      ended = ended ? ended : &thread;
    else
      waiting = waiting ? waiting : &thread;
  }
  std::string message = "deadlock: the thread waits for others";
  const Thread *elsewhere = nullptr;
  for (const Thread &thread : threads)
    if (thread.state != State::Exited && thread.current != waiting->current &&
        !elsewhere)
      elsewhere = &thread;
  if (ended)
    message += "; thread " + std::to_string(ended->index) + " ended in line " +
               std::to_string(ended->getLine());
  if (elsewhere)
    message += "; thread " + std::to_string(elsewhere->index) +
               " waits in line " + std::to_string(elsewhere->getLine());
  active = waiting;
  throw Fault(message);
}

std::string Scheduler::describePlace() const {
  std::string place = ", block " + std::to_string(block.index);
  if (active)
    place += ", thread " + std::to_string(active->index) + ", line " +
             std::to_string(active->getLine());
  return place;
}

/// What is wrong before anything runs; empty where nothing is.
std::string check(const Kernel &kernel, uint64_t blocks, uint64_t threads) {
  if (!kernel.problems.empty())
    return kernel.problems.front();
  if (!blocks || !threads)
    return "expected blocks and threads, got " + std::to_string(blocks) +
           " blocks of " + std::to_string(threads) + " threads";
  uint64_t most =
      kernel.maximumThreads ? kernel.maximumThreads : kMaximumThreads;
  if (threads > most)
    return "expected at most " + std::to_string(most) +
           " threads in a block, got " + std::to_string(threads);
  if (kernel.requiredThreads && threads != kernel.requiredThreads)
    return "expected " + std::to_string(kernel.requiredThreads) +
           " threads in a block, got " + std::to_string(threads);
  if (blocks > 0x7fffffff)
    return "expected at most 2147483647 blocks, got " + std::to_string(blocks);
  if (kernel.sharedBytes > kMaximumSharedBytes)
    return "expected at most " + std::to_string(kMaximumSharedBytes) +
           " bytes of static shared memory, got " +
           std::to_string(kernel.sharedBytes);
  return {};
}

std::vector<uint8_t> gatherArguments(const Kernel &kernel, void **arguments) {
  std::vector<uint8_t> bytes;
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter &parameter = kernel.parameters[k];
    uint64_t start = (bytes.size() + parameter.alignment - 1) /
                     parameter.alignment * parameter.alignment;
    bytes.resize(start + parameter.size);
    std::memcpy(&bytes[start], arguments[k], parameter.size);
  }
  return bytes;
}

} // namespace

bool ptx::run(const Kernel &kernel, uint64_t blocks, uint64_t threads,
              void **arguments, Memory &memory, std::string &error) {
  std::string where = "kernel '" + kernel.name + "'";
  if (std::string problem = check(kernel, blocks, threads); !problem.empty()) {
    error = where + ": " + problem;
    return false;
  }
  Launch launch{kernel, *kernel.program,   memory,
                blocks, uint32_t(threads), gatherArguments(kernel, arguments)};
  Scheduler scheduler(launch);
  try {
    scheduler.runBlocks();
  } catch (const std::exception &failure) {
    error = where + scheduler.describePlace() + ": " + failure.what();
    return false;
  }
  return true;
}
