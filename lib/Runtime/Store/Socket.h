//===- Socket.h - Messages over TCP -----------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_SOCKET_H
#define COMM_LIB_RUNTIME_STORE_SOCKET_H

#include <string>
#include <vector>

namespace mlir::comm::runtime {

/// What the processes of a run and their store say to each other.
struct Message {
  enum Kind : char {
    /// First of all: which run and which rank. The answer is one of the next
    /// two; the value of a refusal says why.
    Hello = 'H',
    Welcome = 'W',
    Refusal = 'R',
    Set = 'S',
    SetFirst = 'F',
    Follow = 'L',
    /// To those who follow a key: its value.
    Value = 'V',
    Leave = 'B'
  };
  Kind kind;
  std::string key, value;
};

std::string encode(const Message &message);

/// The messages in a stream of bytes that comes in pieces.
class MessageReader {
public:
  /// False if this is no such stream.
  bool add(const char *bytes, size_t count);
  std::vector<Message> take();

private:
  std::string buffer;
  std::vector<Message> messages;
};

/// A file descriptor of a socket, closed with the object.
class Socket {
public:
  explicit Socket(int descriptor = -1) : descriptor(descriptor) {}
  Socket(Socket &&other) : descriptor(other.descriptor) {
    other.descriptor = -1;
  }
  Socket &operator=(Socket &&other);
  ~Socket();

  int get() const { return descriptor; }
  explicit operator bool() const { return descriptor >= 0; }

  bool send(const std::string &bytes) const;
  /// Nobody can send or receive any more: wakes who does.
  void shutDown() const;
  /// Of a socket that listens.
  int getPort() const;

private:
  int descriptor;
};

/// Listens at a port of this host, 0 for any that is free: only for processes
/// of this host, where `address` is one of the host's own loop. Without a
/// socket, `error` says why.
Socket listenAt(const std::string &address, int port, std::string &error);

/// Waits at most `milliseconds` for the connection.
Socket connectTo(const std::string &address, int port, int milliseconds,
                 std::string &error);

/// The addresses of this host, its own loop last.
std::vector<std::string> getOwnAddresses();

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_SOCKET_H
