//===- Rendezvous.cpp - Where threads meet --------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "../Copy.h"
#include "../Processor.h"
#include "ThreadWorld.h"

#include <algorithm>
#include <new>
#include <thread>

using namespace mlir::comm::runtime;

static constexpr std::align_val_t lineSize{64};

void Rendezvous::Free::operator()(char *memory) const {
  ::operator delete[](memory, lineSize);
}

Rendezvous::Rendezvous(ThreadWorld &world, Kind kind,
                       std::vector<int64_t> ranks, std::string name)
    : world(world), kind(kind), ranks(std::move(ranks)), name(std::move(name)),
      places(new Place[2 * this->ranks.size()]),
      payloads(static_cast<char *>(
          ::operator new[](2 * payloadStride * this->ranks.size(), lineSize))) {
}

std::optional<Rendezvous::Trouble> Rendezvous::wait(uint64_t meeting,
                                                    const Call *call) {
  if (flags.load()) {
    std::lock_guard<std::mutex> lock(mutex);
    if (isInTrouble(meeting))
      return trouble;
    if (isComplete(meeting)) {
      release(meeting);
      return std::nullopt;
    }
  }
  if (spin(meeting, /*isShort=*/call != nullptr))
    return std::nullopt;
  return sleep(meeting, call);
}

static void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Others mostly come soon, and sleeping costs more than a short wait. True if
/// they came.
bool Rendezvous::spin(uint64_t meeting, bool isShort) const {
  // About as long as it takes to be woken; or longer, where the others do
  // nothing but copy.
  const std::chrono::microseconds most{isShort ? 50 : 1000};
  std::chrono::steady_clock::time_point end{};
  int64_t n = static_cast<int64_t>(ranks.size());
  int numTries = 0;
  for (int64_t seat = 0; seat < n;) {
    if (hasCome(seat, meeting)) {
      ++seat;
      continue;
    }
    ++numTries;
    if (!world.maySpin()) {
      // The others need the core.
      if (numTries > 20 || flags.load() & hasTrouble)
        return false;
      std::this_thread::yield();
      continue;
    }
    // A pause is long beside a meeting of ranks that come at the same time.
    if (numTries < 50)
      continue;
    pause();
    if (numTries % 64)
      continue;
    if (numTries == 64)
      end = std::chrono::steady_clock::now() + most;
    else if (flags.load() & hasTrouble ||
             std::chrono::steady_clock::now() > end)
      return false;
  }
  // It may have failed before the last one came.
  return !(flags.load() & hasTrouble);
}

bool Rendezvous::isInTrouble(uint64_t meeting) const {
  return trouble && troubledMeeting <= meeting;
}

bool Rendezvous::isComplete(uint64_t meeting) {
  if (meeting <= numComplete)
    return true;
  for (size_t seat = 0; seat < ranks.size(); ++seat)
    if (!hasCome(seat, meeting))
      return false;
  numComplete = meeting;
  return true;
}

/// The meeting is complete: whoever sleeps is not idle any more, before it can
/// see that it is free, and wait elsewhere.
void Rendezvous::release(uint64_t meeting) {
  uint64_t parity = meeting % 2;
  world.addIdle(-numIdle[parity]);
  if (numSleepers[parity])
    changed.notify_all();
  numIdle[parity] = numSleepers[parity] = 0;
  // Some may sleep already for the next one.
  if (numSleepers[1 - parity] == 0)
    flags.fetch_and(~hasSleepers);
}

std::optional<Rendezvous::Trouble> Rendezvous::sleep(uint64_t meeting,
                                                     const Call *call) {
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t parity = meeting % 2;
  // From now on whoever comes last takes the lock; if he has come already, then
  // this rank may not be counted as idle for a moment.
  flags.fetch_or(hasSleepers);
  if (!isInTrouble(meeting) && !isComplete(meeting)) {
    ++numSleepers[parity];
    if (call) {
      world.addIdle(1);
      ++numIdle[parity];
    }
  }
  auto timeout = world.getOptions().timeout;
  auto deadline = std::chrono::steady_clock::now() + timeout;
  bool isLate = false;
  while (true) {
    if (isInTrouble(meeting))
      return trouble;
    if (isComplete(meeting))
      break;
    std::optional<Trouble> found;
    if (call)
      found = findTrouble(meeting, *call);
    if (!found && isLate)
      found = makeTimeout(meeting, *call);
    if (found) {
      if (fail(meeting, *found))
        return found;
      break;
    }
    if (!call || timeout.count() == 0)
      changed.wait(lock);
    else
      isLate = changed.wait_until(lock, deadline) == std::cv_status::timeout;
  }
  release(meeting);
  return std::nullopt;
}

/// Lets the meeting fail, unless it is complete.
bool Rendezvous::fail(uint64_t meeting, const Trouble &newTrouble) {
  flags.fetch_or(hasTrouble);
  if (isComplete(meeting)) {
    if (!trouble)
      flags.fetch_and(~hasTrouble);
    return false;
  }
  trouble = newTrouble;
  troubledMeeting = meeting;
  changed.notify_all();
  return true;
}

void Rendezvous::wake() {
  // Whoever has looked and not yet slept holds the lock.
  {
    std::lock_guard<std::mutex> lock(mutex);
  }
  changed.notify_all();
}

void Seat::show(const Call &call, int64_t sequence,
                const std::vector<Transfer> *sends) {
  Rendezvous::Place &place = rendezvous.getPlace(number, numMeetings + 1);
  place.post = {sequence, sends, call};
  if (call.numPairs) {
    place.pairs.assign(call.pairs, call.pairs + 2 * *call.numPairs);
    place.post.call.pairs = place.pairs.data();
  }
}

/// No more than is quickly asked for.
static int64_t limit(int64_t payloadBytes) {
  return std::min<int64_t>(payloadBytes, 2048);
}

/// Between cores, what is written takes as long to become one's own as what is
/// read takes to come. Neither need be waited for more than once a meeting.
void Seat::expectPosts(int64_t payloadBytes) const {
  constexpr int64_t most = 4;
  int64_t n = static_cast<int64_t>(rendezvous.ranks.size());
  if (n > most)
    return;
  for (int64_t seat = 0; seat < n; ++seat)
    if (seat != number) {
      expectToRead(reinterpret_cast<const char *>(&getPost(seat)),
                   sizeof(Rendezvous::Place));
      expectToRead(getPayload(seat), limit(payloadBytes));
    }
}

void Seat::expectNextPost(int64_t payloadBytes) const {
  expectToWrite(reinterpret_cast<const char *>(
                    &rendezvous.getPlace(number, numMeetings + 1)),
                sizeof(Rendezvous::Place));
  expectToWrite(getNextPayload(), limit(payloadBytes));
}

Status Seat::meet(int64_t payloadBytes) {
  lastPost = ++numMeetings;
  rendezvous.come(number, lastPost);
  expectPosts(payloadBytes);
  std::optional<Rendezvous::Trouble> trouble =
      rendezvous.wait(lastPost, &getPost(number).call);
  if (!trouble)
    trouble = rendezvous.findDisagreement(lastPost);
  if (!trouble)
    return COMM_SUCCESS;
  int64_t rank = rendezvous.ranks[number];
  return rendezvous.world.getContext(rank).fail(trouble->status,
                                                trouble->message);
}

void Seat::meetAgain() {
  finishStreams();
  rendezvous.come(number, ++numMeetings);
  rendezvous.wait(numMeetings, nullptr);
}
