//===- Trouble.cpp - Why threads cannot meet ------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Signature.h"
#include "Rendezvous.h"
#include "ThreadWorld.h"

#include <algorithm>

using namespace mlir::comm::runtime;

/// The same on every rank: all see the same posts.
std::optional<Rendezvous::Trouble>
Rendezvous::findDisagreement(uint64_t meeting) const {
  auto getPost = [&](size_t seat) -> const Post & {
    return getPlace(seat, meeting).post;
  };
  for (size_t i = 1; i < ranks.size(); ++i) {
    const Post &a = getPost(0), &b = getPost(i);
    if (kind == Kind::Channel
            ? agreeOnMessage(a.call, b.call)
            : a.sequence == b.sequence && agree(a.call, b.call))
      continue;
    auto line = [&](size_t seat) {
      return "\n  rank " + std::to_string(ranks[seat]) + ", call " +
             std::to_string(getPost(seat).sequence) + ": " +
             getPost(seat).call.describeInFull();
    };
    return Trouble{COMM_INVALID,
                   "ranks of a " + name + " disagree:" + line(0) + line(i)};
  }
  return std::nullopt;
}

/// What makes it useless to wait for those who are missing.
std::optional<Rendezvous::Trouble>
Rendezvous::findTrouble(uint64_t meeting, const Call &call) const {
  // In this order: whoever has ended may have failed before, and that is what
  // the user must know; it may have come here before, too.
  bool isDeadlocked = world.isDeadlocked();
  const Context *ended = nullptr;
  for (size_t i = 0; i < ranks.size() && !ended; ++i) {
    const Context &context = world.getContext(ranks[i]);
    if (context.hasEnded() && !hasCome(i, meeting))
      ended = &context;
  }
  if (world.hasFailed()) {
    Failure failure = *world.getFailure();
    return Trouble{COMM_ABORTED, call.describe() + ": stopped because rank " +
                                     std::to_string(failure.rank) +
                                     " failed: " + failure.message};
  }
  if (ended)
    return Trouble{COMM_INVALID,
                   call.describeInFull() + ": rank " +
                       std::to_string(ended->getRank()) + " of a " + name +
                       " will not come, it has " + ended->describeActivity()};
  if (isDeadlocked)
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

Rendezvous::Trouble Rendezvous::makeTimeout(uint64_t meeting,
                                            const Call &call) const {
  std::string there, missing;
  for (size_t i = 0; i < ranks.size(); ++i) {
    std::string rank = std::to_string(ranks[i]);
    if (hasCome(i, meeting))
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
