//===- TcpStore.cpp - The store of one of several processes ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TcpStore.h"

#include "MeetingFile.h"
#include "StoreServer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <poll.h>
#include <sys/socket.h>

using namespace mlir::comm::runtime;
using Clock = std::chrono::steady_clock;

/// Says which kind of program is meant, and its version.
static std::string getName(const std::string &run) {
  return "comm-store 1 " + run;
}

std::unique_ptr<TcpStore>
TcpStore::join(const Process &process, Deadline deadline, std::string &error) {
  std::unique_ptr<TcpStore> store(new TcpStore());
  if (process.rank == 0 && !store->serve(process, error))
    return nullptr;
  if (!store->connect(process, deadline, error))
    return nullptr;
  store->receiver = std::thread([raw = store.get()] { raw->receive(); });
  return store;
}

bool TcpStore::serve(const Process &process, std::string &error) {
  std::string why;
  Socket listener = listenAt(process.address, process.port, why);
  if (!listener) {
    error = "rank 0 cannot listen at port " + std::to_string(process.port) +
            " for the others: " + why + "; COMM_PORT names another one";
    return false;
  }
  run = process.run;
  std::function<void()> onComplete;
  if (!process.file.empty()) {
    MeetingPlace meeting = createMeetingPlace(listener.getPort());
    if (!writeMeetingFile(process.file, meeting, error))
      return false;
    run = meeting.run;
    // It must not lead a later run here.
    onComplete = [file = process.file] { std::remove(file.c_str()); };
  }
  server = std::make_unique<StoreServer>(std::move(listener), getName(run),
                                         process.numRanks, onComplete);
  return true;
}

/// Says hello and waits for the answer.
static std::optional<Message> greet(const Socket &socket, const Message &hello,
                                    Deadline deadline) {
  if (!socket.send(encode(hello)))
    return std::nullopt;
  MessageReader reader;
  while (!hasPassed(deadline)) {
    pollfd waiting{socket.get(), POLLIN, 0};
    if (poll(&waiting, 1, 50) <= 0)
      continue;
    char bytes[512];
    ssize_t count = recv(socket.get(), bytes, sizeof bytes, 0);
    if (count <= 0 || !reader.add(bytes, count))
      return std::nullopt;
    for (Message &message : reader.take())
      if (message.kind == Message::Welcome || message.kind == Message::Refusal)
        return message;
  }
  return std::nullopt;
}

bool TcpStore::connect(const Process &process, Deadline deadline,
                       std::string &error) {
  std::string why;
  bool usesFile = !process.file.empty();
  place = usesFile
              ? "named in '" + process.file + "'"
              : "at " + process.address + ":" + std::to_string(process.port);
  auto pause = std::chrono::milliseconds(10);
  do {
    MeetingPlace meeting{process.run, process.port, {process.address}};
    if (usesFile && !readMeetingFile(process.file, meeting))
      why = "rank 0 has not written it";
    else
      for (const std::string &address : meeting.addresses) {
        socket = connectTo(address, meeting.port, 2000, why);
        if (!socket)
          continue;
        Message hello{Message::Hello, getName(meeting.run),
                      std::to_string(process.rank) + " " +
                          std::to_string(process.numRanks)};
        std::optional<Message> answer = greet(socket, hello, deadline);
        if (answer && answer->kind == Message::Welcome)
          return true;
        why = answer ? answer->value : "what listens there is not rank 0";
        // What an older file names may be another run.
        if (answer && !usesFile) {
          error = "rank 0 " + place + " refuses rank " +
                  std::to_string(process.rank) + ": " + why;
          return false;
        }
      }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(500));
  } while (!hasPassed(deadline));
  error = "rank " + std::to_string(process.rank) + " cannot reach rank 0 " +
          place + ": " + why;
  return false;
}

TcpStore::~TcpStore() {
  if (receiver.joinable()) {
    leave();
    socket.shutDown();
    receiver.join();
  }
}

void TcpStore::send(const Message &message) {
  std::lock_guard<std::mutex> lock(sendMutex);
  socket.send(encode(message));
}

void TcpStore::receive() {
  MessageReader reader;
  char bytes[4096];
  while (true) {
    ssize_t count = recv(socket.get(), bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0 || !reader.add(bytes, count))
      break;
    for (const Message &message : reader.take())
      known.set(message.key, message.value);
  }
  known.breakUp("the connection to rank 0 " + place + " has ended");
}

void TcpStore::set(const std::string &key, const std::string &value) {
  send({Message::Set, key, value});
}

void TcpStore::setFirst(const std::string &key, const std::string &value) {
  send({Message::SetFirst, key, value});
}

std::optional<std::string> TcpStore::get(const std::string &key) {
  return known.get(key);
}

void TcpStore::follow(const std::string &key) {
  std::lock_guard<std::mutex> lock(sendMutex);
  if (followed.insert(key).second)
    socket.send(encode({Message::Follow, key, ""}));
}

std::optional<std::string> TcpStore::wait(const std::string &key,
                                          Deadline deadline,
                                          const std::function<bool()> &stop) {
  follow(key);
  return known.wait(key, deadline, stop);
}

std::string TcpStore::getTrouble() { return known.getTrouble(); }

void TcpStore::leave() {
  std::lock_guard<std::mutex> lock(sendMutex);
  if (!hasLeft)
    socket.send(encode({Message::Leave, "", ""}));
  hasLeft = true;
}
