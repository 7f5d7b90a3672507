//===- StoreServer.cpp - The store of a run of several processes ----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreServer.h"

#include "Store.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace mlir::comm::runtime;

StoreServer::StoreServer(Socket listener, std::string run, int64_t numRanks,
                         std::function<void()> onComplete)
    : listener(std::move(listener)), name(std::move(run)), numRanks(numRanks),
      onComplete(std::move(onComplete)) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
    wakeReader = Socket(ends[0]);
    wakeWriter = Socket(ends[1]);
  }
  thread = std::thread([this] { this->run(); });
}

StoreServer::~StoreServer() {
  wakeWriter.shutDown();
  thread.join();
}

/// All have left. A run that has failed does not wait for them for long, but a
/// moment also for those who have not come yet: they are to learn of it.
bool StoreServer::isDone() const {
  if (!isEnding)
    return false;
  bool hasFailed = values.count(failureKey) || values.count(lostKey);
  if (hasFailed && std::chrono::steady_clock::now() > end)
    return true;
  if (hasFailed && static_cast<int64_t>(ranks.size()) < numRanks)
    return false;
  return std::all_of(connections.begin(), connections.end(),
                     [](auto &one) { return one->rank < 0 || one->hasLeft; });
}

void StoreServer::run() {
  while (!isDone()) {
    std::vector<pollfd> polled = {{listener.get(), POLLIN, 0},
                                  {wakeReader.get(), POLLIN, 0}};
    // It stays readable once the other end is shut.
    if (isEnding)
      polled[1].fd = -1;
    for (auto &connection : connections) {
      short events = connection->pending.empty() ? POLLIN : POLLIN | POLLOUT;
      polled.push_back({connection->socket.get(), events, 0});
    }
    if (poll(polled.data(), polled.size(), isEnding ? 100 : -1) < 0 &&
        errno != EINTR)
      return;
    if (polled[1].revents) {
      isEnding = true;
      end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    }
    for (size_t i = 2; i < polled.size(); ++i) {
      Connection &connection = *connections[i - 2];
      if (polled[i].revents & POLLOUT)
        flush(connection);
      if (polled[i].revents & (POLLIN | POLLHUP | POLLERR))
        receive(connection);
    }
    if (polled[0].revents)
      accept();
    removeClosed();
  }
}

void StoreServer::accept() {
  Socket socket(
      accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket)
    return;
  connections.push_back(std::make_unique<Connection>());
  connections.back()->socket = std::move(socket);
}

void StoreServer::receive(Connection &connection) {
  char bytes[4096];
  ssize_t count = recv(connection.socket.get(), bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count <= 0 || !connection.reader.add(bytes, count)) {
    connection.isClosed = true;
    return;
  }
  for (const Message &message : connection.reader.take())
    handle(connection, message);
}

void StoreServer::handle(Connection &connection, const Message &message) {
  if (message.kind == Message::Hello)
    return greet(connection, message);
  if (connection.rank < 0) {
    connection.isClosed = true;
    return;
  }
  switch (message.kind) {
  case Message::Set:
    return set(message.key, message.value);
  case Message::SetFirst:
    if (!values.count(message.key))
      set(message.key, message.value);
    return;
  case Message::Follow: {
    connection.keys.insert(message.key);
    auto it = values.find(message.key);
    if (it != values.end())
      send(connection, {Message::Value, it->first, it->second});
    return;
  }
  case Message::Leave:
    connection.hasLeft = true;
    return;
  default:
    connection.isClosed = true;
  }
}

/// "rank of number": the number is 0 where the launcher has not said it.
void StoreServer::greet(Connection &connection, const Message &message) {
  int64_t rank = std::atoll(message.value.c_str());
  int64_t number =
      std::atoll(message.value.c_str() + message.value.find(' ') + 1);
  auto refuse = [&](const std::string &why) {
    send(connection, {Message::Refusal, "", why});
    flush(connection);
    connection.isClosed = true;
  };
  if (message.key != name)
    return refuse("it belongs to another run");
  if (number != numRanks)
    return refuse("it has " + std::to_string(numRanks) + " ranks, and rank " +
                  std::to_string(rank) + " expects " + std::to_string(number));
  if (!ranks.insert(rank).second)
    return refuse("a process that says that it is rank " +
                  std::to_string(rank) + " has come already");
  connection.rank = rank;
  send(connection, {Message::Welcome, "", ""});
  if (static_cast<int64_t>(ranks.size()) == numRanks && onComplete)
    onComplete();
}

void StoreServer::set(const std::string &key, const std::string &value) {
  values[key] = value;
  for (auto &connection : connections)
    if (connection->keys.count(key))
      send(*connection, {Message::Value, key, value});
}

void StoreServer::send(Connection &connection, const Message &message) {
  connection.pending += encode(message);
  flush(connection);
}

void StoreServer::flush(Connection &connection) {
  while (!connection.pending.empty() && !connection.isClosed) {
    ssize_t sent =
        ::send(connection.socket.get(), connection.pending.data(),
               connection.pending.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && errno != EAGAIN)
      connection.isClosed = true;
    if (sent < 0)
      return;
    connection.pending.erase(0, sent);
  }
}

void StoreServer::removeClosed() {
  // Telling the others may close more of them.
  for (size_t i = 0; i < connections.size();) {
    if (!connections[i]->isClosed) {
      ++i;
      continue;
    }
    std::unique_ptr<Connection> gone = std::move(connections[i]);
    connections.erase(connections.begin() + i);
    i = 0;
    if (gone->rank >= 0 && !gone->hasLeft && !values.count(lostKey))
      set(lostKey, std::to_string(gone->rank));
  }
}
