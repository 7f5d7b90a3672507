//===- Store.cpp - The store of one process -------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store.h"

#include <algorithm>

using namespace mlir::comm::runtime;
using Clock = std::chrono::steady_clock;

Deadline mlir::comm::runtime::getDeadline(std::chrono::milliseconds timeout) {
  if (timeout.count() == 0)
    return std::nullopt;
  return Clock::now() + timeout;
}

Store::~Store() = default;

void LocalStore::set(const std::string &key, const std::string &value) {
  std::lock_guard<std::mutex> lock(mutex);
  values[key] = value;
  changed.notify_all();
}

void LocalStore::setFirst(const std::string &key, const std::string &value) {
  std::lock_guard<std::mutex> lock(mutex);
  values.emplace(key, value);
  changed.notify_all();
}

std::optional<std::string> LocalStore::get(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = values.find(key);
  return it == values.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::string> LocalStore::wait(const std::string &key,
                                            Deadline deadline,
                                            const std::function<bool()> &stop) {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    auto it = values.find(key);
    if (it != values.end())
      return it->second;
    if (!trouble.empty() || hasPassed(deadline))
      return std::nullopt;
    Clock::time_point next = Clock::now() + std::chrono::milliseconds(20);
    if (stop) {
      lock.unlock();
      bool stops = stop();
      lock.lock();
      if (stops)
        return std::nullopt;
    } else if (!deadline) {
      changed.wait(lock);
      continue;
    } else {
      next = *deadline;
    }
    changed.wait_until(lock, deadline ? std::min(next, *deadline) : next);
  }
}

std::string LocalStore::getTrouble() {
  std::lock_guard<std::mutex> lock(mutex);
  return trouble;
}

void LocalStore::breakUp(const std::string &newTrouble) {
  std::lock_guard<std::mutex> lock(mutex);
  if (trouble.empty())
    trouble = newTrouble;
  changed.notify_all();
}
