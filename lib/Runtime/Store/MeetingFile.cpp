//===- MeetingFile.cpp - A file that says where rank 0 is -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeetingFile.h"

#include "Socket.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include <unistd.h>

using namespace mlir::comm::runtime;

MeetingPlace mlir::comm::runtime::createMeetingPlace(int port) {
  std::random_device random;
  uint64_t number = static_cast<uint64_t>(random()) << 32 | random();
  return {std::to_string(number), port, getOwnAddresses()};
}

bool mlir::comm::runtime::writeMeetingFile(const std::string &path,
                                           const MeetingPlace &place,
                                           std::string &error) {
  std::string partial = path + "." + std::to_string(getpid());
  std::ofstream file(partial);
  file << "comm-store " << place.run << " " << place.port << "\n";
  for (const std::string &address : place.addresses)
    file << address << "\n";
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0)
    return true;
  error = "cannot write '" + path + "': " + std::strerror(errno);
  return false;
}

bool mlir::comm::runtime::readMeetingFile(const std::string &path,
                                          MeetingPlace &place) {
  std::ifstream file(path);
  std::string kind, address;
  place.addresses.clear();
  if (!(file >> kind >> place.run >> place.port) || kind != "comm-store")
    return false;
  while (file >> address)
    place.addresses.push_back(address);
  return true;
}
