//===- StoreTest.cpp - What processes tell one another --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store/TcpStore.h"
#include "gtest/gtest.h"

#include <fstream>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// A port that is free now.
int findPort() {
  std::string error;
  return listenAt("127.0.0.1", 0, error).getPort();
}

class Stores : public testing::Test {
protected:
  Process getProcess(int64_t rank, int64_t numRanks) const {
    Process process;
    process.rank = rank;
    process.numRanks = numRanks;
    process.address = "127.0.0.1";
    process.port = port;
    process.run = "run";
    return process;
  }

  std::unique_ptr<TcpStore> join(const Process &process,
                                 milliseconds timeout = seconds(20)) {
    return TcpStore::join(process, getDeadline(timeout), error);
  }

  /// Runs each rank in a process of its own, and checks that all succeed.
  void runProcesses(int64_t numRanks,
                    const std::function<bool(int64_t, TcpStore &)> &program) {
    std::vector<pid_t> children;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      pid_t child = fork();
      if (child == 0) {
        std::unique_ptr<TcpStore> store = join(getProcess(rank, numRanks));
        bool isRight = store && program(rank, *store);
        store.reset();
        _exit(isRight ? 0 : 1);
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = -1;
      waitpid(child, &status, 0);
      EXPECT_EQ(0, status) << "rank " << (child - children[0]);
    }
  }

  int port = findPort();
  std::string error;
};

Deadline soon() { return getDeadline(seconds(20)); }
} // namespace

TEST_F(Stores, ProcessesReadWhatOthersSet) {
  runProcesses(4, [](int64_t rank, TcpStore &store) {
    store.set("from/" + std::to_string(rank), std::string(5000, 'a' + rank));
    for (int64_t other = 0; other < 4; ++other)
      if (store.wait("from/" + std::to_string(other), soon()) !=
          std::string(5000, 'a' + other))
        return false;
    return true;
  });
}

TEST_F(Stores, LaterValuesReplaceEarlierOnes) {
  runProcesses(2, [](int64_t rank, TcpStore &store) {
    if (rank == 0) {
      store.set("key", "one");
      store.setFirst("key", "never");
      store.wait("seen", soon());
      store.set("key", "two");
      return true;
    }
    bool isRight = store.wait("key", soon()) == "one";
    store.set("seen", "");
    while (store.get("key") == "one")
      usleep(1000);
    return isRight && store.get("key") == "two" && !store.get("other");
  });
}

TEST_F(Stores, AProcessThatDiesIsLost) {
  runProcesses(3, [](int64_t rank, TcpStore &store) {
    if (rank == 2) {
      // When all have come.
      store.wait("here/0", soon());
      store.wait("here/1", soon());
      _exit(0); // Without a word.
    }
    store.set("here/" + std::to_string(rank), "");
    return store.wait(lostKey, soon()) == "2";
  });
}

TEST_F(Stores, TheEndOfRank0IsNoticed) {
  runProcesses(2, [](int64_t rank, TcpStore &store) {
    if (rank == 0) {
      store.wait("here", soon());
      _exit(0);
    }
    store.set("here", "");
    return !store.wait("key", soon()) &&
           store.getTrouble().find("the connection to rank 0 at 127.0.0.1:") ==
               0;
  });
}

TEST_F(Stores, AWaitEnds) {
  std::unique_ptr<TcpStore> store = join(getProcess(0, 1));
  ASSERT_TRUE(store) << error;
  EXPECT_FALSE(store->wait("key", getDeadline(milliseconds(20))));
  EXPECT_FALSE(store->wait("key", std::nullopt, [] { return true; }));
}

TEST_F(Stores, AFileSaysWhereRank0Is) {
  std::string path = testing::TempDir() + "comm-meet-" + std::to_string(port);
  // From a run that has ended: nobody listens there, or another run does.
  std::unique_ptr<TcpStore> other = join(getProcess(0, 1));
  ASSERT_TRUE(other) << error;
  std::ofstream(path) << "comm-store 1234 " << port << "\n127.0.0.1\n";
  auto run = [&](int64_t rank) {
    Process process = getProcess(rank, 2);
    process.file = path;
    process.port = 0;
    std::string why;
    auto store = TcpStore::join(process, soon(), why);
    EXPECT_TRUE(store) << why;
    if (!store)
      return;
    store->set(std::to_string(rank), "here");
    EXPECT_EQ("here", store->wait(std::to_string(1 - rank), soon()));
  };
  std::thread second([&] { run(1); });
  std::this_thread::sleep_for(milliseconds(50));
  run(0);
  second.join();
  EXPECT_FALSE(std::ifstream(path)) << "the file is there still";
}

TEST_F(Stores, Refusals) {
  std::unique_ptr<TcpStore> store = join(getProcess(0, 2));
  ASSERT_TRUE(store) << error;
  std::string where = "rank 0 at 127.0.0.1:" + std::to_string(port);
  Process process = getProcess(1, 3);
  EXPECT_FALSE(join(process));
  EXPECT_EQ(where + " refuses rank 1: it has 2 ranks, and rank 1 expects 3",
            error);
  process = getProcess(1, 2);
  process.run = "other";
  EXPECT_FALSE(join(process));
  EXPECT_EQ(where + " refuses rank 1: it belongs to another run", error);
  std::unique_ptr<TcpStore> first = join(getProcess(1, 2));
  EXPECT_TRUE(first) << error;
  EXPECT_FALSE(join(getProcess(1, 2)));
  EXPECT_EQ(where + " refuses rank 1: a process that says that it is rank 1 "
                    "has come already",
            error);
  // The port is taken.
  EXPECT_FALSE(join(getProcess(0, 2)));
  EXPECT_EQ("rank 0 cannot listen at port " + std::to_string(port) +
                " for the others: Address already in use; COMM_PORT names "
                "another one",
            error);
}

TEST_F(Stores, NobodyIsThere) {
  EXPECT_FALSE(join(getProcess(1, 2), milliseconds(100)));
  EXPECT_EQ("rank 1 cannot reach rank 0 at 127.0.0.1:" + std::to_string(port) +
                ": Connection refused",
            error);
  Process process = getProcess(1, 2);
  process.file = "/nowhere/meet";
  EXPECT_FALSE(join(process, milliseconds(20)));
  EXPECT_EQ("rank 1 cannot reach rank 0 named in '/nowhere/meet': rank 0 has "
            "not written it",
            error);
  process.rank = 0;
  EXPECT_FALSE(join(process));
  EXPECT_EQ("cannot write '/nowhere/meet': No such file or directory", error);
}

TEST_F(Stores, WhatIsNoStore) {
  std::string why;
  Socket listener = listenAt("127.0.0.1", port, why);
  std::thread stranger([&] {
    // Twice, for it tries again.
    for (int i = 0; i < 2; ++i) {
      Socket socket(accept(listener.get(), nullptr, nullptr));
      socket.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    }
    listener = Socket();
  });
  EXPECT_FALSE(join(getProcess(1, 2), milliseconds(20)));
  EXPECT_EQ("rank 1 cannot reach rank 0 at 127.0.0.1:" + std::to_string(port) +
                ": what listens there is not rank 0",
            error);
  connectTo("127.0.0.1", port, 1000, why);
  connectTo("127.0.0.1", port, 1000, why);
  stranger.join();
}
