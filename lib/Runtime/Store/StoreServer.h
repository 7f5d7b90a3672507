//===- StoreServer.h - The store of a run of several processes --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_STORESERVER_H
#define COMM_LIB_RUNTIME_STORE_STORESERVER_H

#include "Socket.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace mlir::comm::runtime {

/// Lives in the process of rank 0, with a thread of its own; every process of
/// the run, also that one, is connected to it. A process whose connection ends
/// before it has left is lost: the key "lost" gets its rank.
class StoreServer {
public:
  /// `onComplete` is called when all ranks have come.
  StoreServer(Socket listener, std::string run, int64_t numRanks,
              std::function<void()> onComplete = nullptr);
  /// Waits until all who have come have left, but not long where the run has
  /// failed.
  ~StoreServer();

private:
  struct Connection {
    Socket socket;
    MessageReader reader;
    /// What could not be sent yet.
    std::string pending;
    int64_t rank = -1;
    bool hasLeft = false, isClosed = false;
    std::set<std::string> keys;
  };

  void run();
  void accept();
  void receive(Connection &connection);
  void handle(Connection &connection, const Message &message);
  void greet(Connection &connection, const Message &message);
  void set(const std::string &key, const std::string &value);
  void send(Connection &connection, const Message &message);
  void flush(Connection &connection);
  void removeClosed();
  bool isDone() const;

  Socket listener;
  const std::string name;
  const int64_t numRanks;
  std::function<void()> onComplete;
  std::set<int64_t> ranks;
  std::map<std::string, std::string> values;
  std::vector<std::unique_ptr<Connection>> connections;

  /// How the destructor's wish comes to the thread.
  Socket wakeReader, wakeWriter;
  bool isEnding = false;
  std::chrono::steady_clock::time_point end;
  std::thread thread;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_STORESERVER_H
