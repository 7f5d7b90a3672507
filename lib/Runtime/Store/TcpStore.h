//===- TcpStore.h - The store of one of several processes -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_TCPSTORE_H
#define COMM_LIB_RUNTIME_STORE_TCPSTORE_H

#include "Launcher.h"
#include "Socket.h"
#include "Store.h"

#include <memory>
#include <set>
#include <thread>

namespace mlir::comm::runtime {

class StoreServer;

/// What the server knows, as far as this process has asked for it. Rank 0 has
/// the server too.
class TcpStore : public Store {
public:
  /// Meets the process of rank 0, whose number of ranks is known. Null, with
  /// `error` set, if that does not come to pass in time.
  static std::unique_ptr<TcpStore> join(const Process &process,
                                        Deadline deadline, std::string &error);
  ~TcpStore() override;

  void set(const std::string &key, const std::string &value) override;
  void setFirst(const std::string &key, const std::string &value) override;
  std::optional<std::string> get(const std::string &key) override;
  void follow(const std::string &key) override;
  std::optional<std::string>
  wait(const std::string &key, Deadline deadline,
       const std::function<bool()> &stop = nullptr) override;
  std::string getTrouble() override;
  void leave() override;

private:
  TcpStore() = default;

  bool serve(const Process &process, std::string &error);
  bool connect(const Process &process, Deadline deadline, std::string &error);
  void send(const Message &message);
  void receive();

  std::unique_ptr<StoreServer> server;
  /// Of the file in which rank 0 says where it is, and which run it is.
  std::string run;
  Socket socket;
  std::string place;
  std::mutex sendMutex;
  std::set<std::string> followed;
  bool hasLeft = false;
  /// What has come.
  LocalStore known;
  std::thread receiver;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_TCPSTORE_H
