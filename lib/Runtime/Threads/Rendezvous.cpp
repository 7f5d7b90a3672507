//===- Rendezvous.cpp - Where threads meet --------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rendezvous.h"

#include "../Signature.h"
#include "ThreadWorld.h"

#include <algorithm>

using namespace mlir::comm::runtime;

Rendezvous::Rendezvous(ThreadWorld &world, Kind kind,
                       std::vector<int64_t> ranks, std::string name)
    : world(world), kind(kind), ranks(std::move(ranks)), name(std::move(name)),
      posts(this->ranks.size()), present(this->ranks.size()) {}

Status Rendezvous::meet(int64_t seat, const Post &post) {
  const Call &call = *post.call;
  std::unique_lock<std::mutex> lock(mutex);
  if (!trouble)
    trouble = findTrouble(call);
  if (!trouble) {
    posts[seat] = &post;
    present[seat] = true;
    bool last = numArrived + 1 == ranks.size();
    if (last)
      trouble = findDisagreement();
    if (last && !trouble) {
      // Before those who wait can see that they are free, and wait elsewhere.
      world.addIdle(1 - static_cast<int64_t>(ranks.size()));
      arrive();
      return COMM_SUCCESS;
    }
    uint64_t meeting = meetings;
    world.addIdle(1);
    if (!trouble)
      arrive();

    auto timeout = world.getOptions().timeout;
    auto deadline = std::chrono::steady_clock::now() + timeout;
    if (!trouble && world.maySpin()) {
      lock.unlock();
      if (spin(meeting))
        return COMM_SUCCESS;
      lock.lock();
    }
    while (meetings == meeting && !trouble) {
      if ((trouble = findTrouble(call)))
        break;
      if (timeout.count() == 0)
        changed.wait(lock);
      else if (changed.wait_until(lock, deadline) == std::cv_status::timeout &&
               meetings == meeting && !trouble)
        trouble = makeTimeout(call);
    }
    // Trouble may also be that of the next meeting, to which others have gone.
    if (meetings != meeting)
      return COMM_SUCCESS;
  }
  Trouble copy = *trouble;
  changed.notify_all();
  lock.unlock();
  return world.getContext(ranks[seat]).fail(copy.status, copy.message);
}

void Rendezvous::meetAgain() {
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t meeting = meetings;
  if (arrive())
    return;
  if (world.maySpin()) {
    lock.unlock();
    if (spin(meeting))
      return;
    lock.lock();
  }
  changed.wait(lock, [&] { return meetings != meeting; });
}

/// Counts one more; true if the meeting is complete.
bool Rendezvous::arrive() {
  if (++numArrived < ranks.size())
    return false;
  numArrived = 0;
  present.assign(ranks.size(), false);
  ++meetings;
  changed.notify_all();
  return true;
}

/// Others mostly come soon, and sleeping costs more than a short wait. True if
/// they came.
bool Rendezvous::spin(uint64_t meeting) const {
  for (int i = 0; i < 2000; ++i) {
    if (meetings != meeting)
      return true;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

void Rendezvous::wake() {
  // Whoever has looked and not yet slept holds the lock.
  {
    std::lock_guard<std::mutex> lock(mutex);
  }
  changed.notify_all();
}

std::optional<Rendezvous::Trouble> Rendezvous::findDisagreement() const {
  for (size_t i = 1; i < ranks.size(); ++i) {
    const Post &a = *posts[0], &b = *posts[i];
    if (kind == Kind::Channel
            ? agreeOnMessage(*a.call, *b.call)
            : a.sequence == b.sequence && agree(*a.call, *b.call))
      continue;
    auto line = [&](size_t seat) {
      return "\n  rank " + std::to_string(ranks[seat]) + ", call " +
             std::to_string(posts[seat]->sequence) + ": " +
             posts[seat]->call->describeInFull();
    };
    return Trouble{COMM_INVALID,
                   "ranks of a " + name + " disagree:" + line(0) + line(i)};
  }
  return std::nullopt;
}

/// What makes it useless to wait for those who are missing.
std::optional<Rendezvous::Trouble>
Rendezvous::findTrouble(const Call &call) const {
  if (world.hasFailed()) {
    Failure failure = *world.getFailure();
    return Trouble{COMM_ABORTED, call.describe() + ": stopped because rank " +
                                     std::to_string(failure.rank) +
                                     " failed: " + failure.message};
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Context &context = world.getContext(ranks[i]);
    if (!present[i] && context.hasEnded())
      return Trouble{COMM_INVALID, call.describeInFull() + ": rank " +
                                       std::to_string(ranks[i]) + " of a " +
                                       name + " will not come, it has " +
                                       context.describeActivity()};
  }
  if (world.isDeadlocked())
    return Trouble{COMM_INVALID, "deadlock: " + call.describe() +
                                     " waits in a " + name +
                                     ", and nobody can go on" + describeAll()};
  return std::nullopt;
}

/// A line for each rank of the world, but not pages.
std::string Rendezvous::describeAll() const {
  constexpr int64_t most = 16;
  std::string result;
  for (int64_t i = 0; i < std::min(most, world.getNumRanks()); ++i)
    result += "\n  rank " + std::to_string(i) + ": " +
              world.getContext(i).describeActivity();
  if (world.getNumRanks() > most)
    result +=
        "\n  and " + std::to_string(world.getNumRanks() - most) + " more ranks";
  return result;
}

Rendezvous::Trouble Rendezvous::makeTimeout(const Call &call) const {
  std::string there, missing;
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::string rank = std::to_string(ranks[i]);
    if (present[i])
      there += (there.empty() ? "" : ", ") + rank;
    else
      missing += "\n  rank " + rank + " is missing: " +
                 world.getContext(ranks[i]).describeActivity();
  }
  double seconds =
      std::chrono::duration<double>(world.getOptions().timeout).count();
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.')
    text.pop_back();
  return {COMM_TIMEOUT, call.describeInFull() + ": timeout after " + text +
                            " s in a " + name + ", of which ranks [" + there +
                            "] have come" + missing};
}
