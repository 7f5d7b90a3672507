//===- Socket.cpp - Messages over TCP -------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Socket.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace mlir::comm::runtime;

/// A kind, two lengths, the key and the value.
static constexpr size_t headerBytes = 9;
static constexpr uint32_t mostBytes = 1 << 20;

static void appendLength(std::string &bytes, uint32_t length) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(length >> shift);
}

static uint32_t readLength(const char *bytes) {
  uint32_t length = 0;
  for (int i = 0; i < 4; ++i)
    length |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]))
              << (8 * i);
  return length;
}

std::string mlir::comm::runtime::encode(const Message &message) {
  std::string bytes(1, message.kind);
  // Longer ones are texts for people.
  std::string value = message.value.substr(0, mostBytes);
  appendLength(bytes, static_cast<uint32_t>(message.key.size()));
  appendLength(bytes, static_cast<uint32_t>(value.size()));
  return bytes + message.key + value;
}

bool MessageReader::add(const char *bytes, size_t count) {
  buffer.append(bytes, count);
  size_t at = 0;
  while (buffer.size() - at >= headerBytes) {
    const char *header = buffer.data() + at;
    uint32_t key = readLength(header + 1), value = readLength(header + 5);
    if (!std::strchr("HWRSFLVB", header[0]) || key > mostBytes ||
        value > mostBytes)
      return false;
    if (buffer.size() - at < headerBytes + key + value)
      break;
    messages.push_back({static_cast<Message::Kind>(header[0]),
                        buffer.substr(at + headerBytes, key),
                        buffer.substr(at + headerBytes + key, value)});
    at += headerBytes + key + value;
  }
  buffer.erase(0, at);
  return true;
}

std::vector<Message> MessageReader::take() {
  std::vector<Message> result;
  result.swap(messages);
  return result;
}

Socket &Socket::operator=(Socket &&other) {
  std::swap(descriptor, other.descriptor);
  return *this;
}

Socket::~Socket() {
  if (descriptor >= 0)
    close(descriptor);
}

bool Socket::send(const std::string &bytes) const {
  for (size_t at = 0; at < bytes.size();) {
    ssize_t sent =
        ::send(descriptor, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR)
      return false;
    at += std::max<ssize_t>(sent, 0);
  }
  return true;
}

void Socket::shutDown() const { shutdown(descriptor, SHUT_RDWR); }

int Socket::getPort() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 *>(&address)->sin6_port
                   : reinterpret_cast<sockaddr_in *>(&address)->sin_port);
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// Where a host's port is; every address of this host where there is no name.
static Addresses resolve(const char *host, int port, std::string &error) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = host ? 0 : AI_PASSIVE;
  int code = getaddrinfo(host, std::to_string(port).c_str(), &hints, &found);
  if (code)
    error = gai_strerror(code);
  return {code ? nullptr : found, freeaddrinfo};
}

static bool isLoop(const sockaddr *address) {
  if (address->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in *>(address)
                     ->sin_addr.s_addr) >>
               24 ==
           127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(
             &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr);
}

Socket mlir::comm::runtime::listenAt(const std::string &address, int port,
                                     std::string &error) {
  Addresses places{nullptr, freeaddrinfo};
  if (!address.empty())
    places = resolve(address.c_str(), port, error);
  if (!places || !isLoop(places->ai_addr))
    places = resolve(nullptr, port, error);
  // One that takes both kinds of addresses first.
  for (int family : {AF_INET6, AF_INET})
    for (addrinfo *at = places.get(); at; at = at->ai_next) {
      if (at->ai_family != family)
        continue;
      Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      int on = 1, off = 0;
      setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      if (family == AF_INET6)
        setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      if (socket && bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 &&
          listen(socket.get(), SOMAXCONN) == 0)
        return socket;
      error = std::strerror(errno);
    }
  return Socket();
}

Socket mlir::comm::runtime::connectTo(const std::string &address, int port,
                                      int milliseconds, std::string &error) {
  Addresses places = resolve(address.c_str(), port, error);
  for (addrinfo *at = places.get(); at; at = at->ai_next) {
    Socket socket(
        ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int code = 0;
    if (!socket)
      code = errno;
    else if (connect(socket.get(), at->ai_addr, at->ai_addrlen) != 0)
      code = errno;
    if (code == EINPROGRESS) {
      pollfd waiting{socket.get(), POLLOUT, 0};
      socklen_t size = sizeof code;
      if (poll(&waiting, 1, milliseconds) == 0)
        code = ETIMEDOUT;
      else
        getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size);
    }
    if (code) {
      error = std::strerror(code);
      continue;
    }
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    int on = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    return socket;
  }
  return Socket();
}

std::vector<std::string> mlir::comm::runtime::getOwnAddresses() {
  std::vector<std::string> result, loops;
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return {"127.0.0.1"};
  for (ifaddrs *at = all; at; at = at->ifa_next) {
    if (!at->ifa_addr || !(at->ifa_flags & IFF_UP) ||
        at->ifa_addr->sa_family != AF_INET)
      continue;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in *>(at->ifa_addr)->sin_addr,
              text, sizeof text);
    (isLoop(at->ifa_addr) ? loops : result).push_back(text);
  }
  freeifaddrs(all);
  result.insert(result.end(), loops.begin(), loops.end());
  return result;
}
