//===- RosterTest.cpp - What keeps ranks from starting --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store/Roster.h"
#include "gtest/gtest.h"

#include <thread>
#include <vector>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;

namespace {
class Rosters : public testing::Test {
protected:
  /// Every rank on a device of its own; two hosts.
  static std::vector<Member> getMembers(int64_t n) {
    std::vector<Member> members(n);
    for (int64_t rank = 0; rank < n; ++rank) {
      members[rank].host = rank < 2 ? "h" : "k";
      members[rank].hostId = "id of " + members[rank].host;
      members[rank].device = rank % 2;
      members[rank].deviceId = "0000:0" + std::to_string(rank % 2) + ":00.0";
      members[rank].program = "[x = " + std::to_string(n) + "]";
    }
    return members;
  }

  /// All that come get the same.
  void run(const std::vector<Member> &members, int64_t numRanks,
           milliseconds timeout = milliseconds(20000)) {
    LocalStore store;
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < members.size(); ++rank)
      threads.emplace_back([&, rank] {
        std::string why;
        std::optional<std::string> got = meet(
            store, rank, numRanks, members[rank], timeout,
            [&](std::string &error) {
              error = startError;
              return std::string("a\0b", 3);
            },
            why);
        std::lock_guard<std::mutex> lock(mutex);
        results.push_back(got.value_or("error: " + why));
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  void expectAll(size_t n, const std::string &result) {
    EXPECT_EQ(std::vector<std::string>(n, result), results);
  }

  std::string startError;
  std::mutex mutex;
  std::vector<std::string> results;
};
} // namespace

TEST_F(Rosters, AllStart) {
  run(getMembers(4), 4);
  expectAll(4, std::string("a\0b", 3));
}

TEST_F(Rosters, TwoOnOneDevice) {
  std::vector<Member> members = getMembers(4);
  members[3].deviceId = members[2].deviceId;
  members[3].device = 0;
  run(members, 4);
  expectAll(4, "error: ranks 2 and 3 are both on GPU 0 (0000:00:00.0) of host "
               "'k': NCCL takes one rank for each GPU; --backend=cuda-local "
               "runs many on one");
}

TEST_F(Rosters, DifferentPrograms) {
  std::vector<Member> members = getMembers(3);
  members[2].program = "[y = 3]";
  run(members, 3);
  expectAll(3, "error: the ranks run different programs: rank 0 has [x = 3], "
               "rank 2 has [y = 3]");
}

TEST_F(Rosters, OneIsMissing) {
  std::vector<Member> members = getMembers(5);
  members.resize(3);
  run(members, 5, milliseconds(50));
  expectAll(3, "error: timeout after 0.05 s before the start: ranks [3, 4] "
               "have not come");
}

TEST_F(Rosters, Rank0CannotStart) {
  startError = "ncclGetUniqueId: no socket interface";
  run(getMembers(2), 2);
  expectAll(2, "error: ncclGetUniqueId: no socket interface");
}

TEST_F(Rosters, Rank0IsMissing) {
  LocalStore store;
  std::string error;
  EXPECT_FALSE(meet(
      store, 1, 2, getMembers(2)[1], milliseconds(20),
      [](std::string &) { return ""; }, error));
  EXPECT_EQ("timeout after 0.04 s before the start: rank 0 has not said that "
            "all have come",
            error);
}

TEST_F(Rosters, HostsAreKnownByMoreThanTheirNames) {
  Member host = getHost();
  EXPECT_FALSE(host.host.empty());
  EXPECT_FALSE(host.hostId.empty());
}
