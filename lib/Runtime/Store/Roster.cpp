//===- Roster.cpp - The ranks of a run meet before it starts --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roster.h"

#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <unistd.h>

using namespace mlir::comm::runtime;

std::string mlir::comm::runtime::formatSeconds(std::chrono::milliseconds time) {
  std::ostringstream text;
  text << std::chrono::duration<double>(time).count() << " s";
  return text.str();
}

Member mlir::comm::runtime::getHost() {
  Member member;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  member.host = name;
  // Containers of one machine have different names and the same devices.
  std::ifstream("/proc/sys/kernel/random/boot_id") >> member.hostId;
  if (member.hostId.empty())
    member.hostId = member.host;
  return member;
}

static std::string encode(const Member &member) {
  return member.host + "\n" + member.hostId + "\n" +
         std::to_string(member.device) + "\n" + member.deviceId + "\n" +
         member.program;
}

static Member decode(const std::string &text) {
  Member member;
  std::istringstream lines(text);
  std::string device;
  std::getline(lines, member.host);
  std::getline(lines, member.hostId);
  std::getline(lines, device);
  std::getline(lines, member.deviceId);
  std::getline(lines, member.program);
  member.device = std::atoll(device.c_str());
  return member;
}

static std::string getKey(int64_t rank) {
  return "member/" + std::to_string(rank);
}

/// What keeps the ranks from running together, or "".
static std::string findTrouble(const std::vector<Member> &members) {
  std::map<std::string, size_t> places;
  for (size_t rank = 0; rank < members.size(); ++rank) {
    const Member &member = members[rank];
    if (member.program != members[0].program)
      return "the ranks run different programs: rank 0 has " +
             members[0].program + ", rank " + std::to_string(rank) + " has " +
             member.program;
    auto [it, isNew] =
        places.emplace(member.hostId + " " + member.deviceId, rank);
    if (!isNew)
      return "ranks " + std::to_string(it->second) + " and " +
             std::to_string(rank) + " are both on GPU " +
             std::to_string(member.device) + " (" + member.deviceId +
             ") of host '" + member.host +
             "': NCCL takes one rank for each GPU; --backend=cuda-local runs "
             "many on one";
  }
  return "";
}

/// Rank 0 waits for all.
static std::string gather(Store &store, int64_t numRanks,
                          std::chrono::milliseconds timeout,
                          std::vector<Member> &members) {
  Deadline deadline = getDeadline(timeout);
  std::string missing;
  store.follow(lostKey);
  for (int64_t rank = 0; rank < numRanks; ++rank)
    store.follow(getKey(rank));
  auto isLost = [&] { return store.get(lostKey).has_value(); };
  for (int64_t rank = 0; rank < numRanks; ++rank) {
    std::optional<std::string> text =
        store.wait(getKey(rank), deadline, isLost);
    if (text)
      members.push_back(decode(*text));
    else
      missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (std::optional<std::string> lost = store.get(lostKey))
    return "the process of rank " + *lost + " has ended before the start";
  if (!missing.empty())
    return "timeout after " + formatSeconds(timeout) +
           " before the start: ranks [" + missing + "] have not come";
  return "";
}

std::optional<std::string> mlir::comm::runtime::meet(
    Store &store, int64_t rank, int64_t numRanks, const Member &member,
    std::chrono::milliseconds timeout,
    const std::function<std::string(std::string &error)> &makeStart,
    std::string &error) {
  store.set(getKey(rank), encode(member));
  // The first character says what follows.
  if (rank == 0) {
    std::vector<Member> members;
    error = gather(store, numRanks, timeout, members);
    if (error.empty())
      error = findTrouble(members);
    std::string start;
    if (error.empty())
      start = makeStart(error);
    store.set("start", error.empty() ? "+" + start : "-" + error);
  }
  // Rank 0 may be later than this one, and then it may wait as long.
  std::optional<std::string> start =
      store.wait("start", getDeadline(2 * timeout));
  if (!start) {
    error = store.getTrouble();
    if (error.empty())
      error = "timeout after " + formatSeconds(2 * timeout) +
              " before the start: rank 0 has not said that all have come";
    return std::nullopt;
  }
  if ((*start)[0] == '+')
    return start->substr(1);
  error = start->substr(1);
  return std::nullopt;
}
