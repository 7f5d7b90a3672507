//===- Store.h - What the ranks of a run tell one another -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words between the processes of a run, beside what NCCL moves: the unique ids
// of its communicators, what each rank does, and why the run has failed.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_STORE_STORE_H
#define COMM_LIB_RUNTIME_STORE_STORE_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace mlir::comm::runtime {

/// Nothing where one waits for ever.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// The deadline `timeout` from now; a timeout of 0 is for ever.
Deadline getDeadline(std::chrono::milliseconds timeout);

inline bool hasPassed(const Deadline &deadline) {
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

/// Why the run has failed; and the rank of a process that is gone although it
/// has not left.
constexpr const char *failureKey = "failure", *lostKey = "lost";

/// Values by their keys, the same for all ranks of a run. All functions may be
/// called by several threads at once.
class Store {
public:
  virtual ~Store();

  /// Sets or replaces a value.
  virtual void set(const std::string &key, const std::string &value) = 0;
  /// Sets a value unless there is one.
  virtual void setFirst(const std::string &key, const std::string &value) = 0;
  /// What is known here: nothing before `follow`, or `wait`, and a moment.
  virtual std::optional<std::string> get(const std::string &key) = 0;
  /// From now on `get` learns of the key's values.
  virtual void follow(const std::string &key) = 0;
  /// Waits until the key has a value. Nothing at the deadline, or when `stop`,
  /// which is asked now and then, says so, or when the store has broken.
  virtual std::optional<std::string>
  wait(const std::string &key, Deadline deadline,
       const std::function<bool()> &stop = nullptr) = 0;
  /// Why there are no more news, or "".
  virtual std::string getTrouble() { return ""; }
  /// This process has nothing more to say: that it is gone is no failure.
  virtual void leave() {}
};

/// The store of ranks that are threads of one process.
class LocalStore : public Store {
public:
  void set(const std::string &key, const std::string &value) override;
  void setFirst(const std::string &key, const std::string &value) override;
  std::optional<std::string> get(const std::string &key) override;
  void follow(const std::string &) override {}
  std::optional<std::string>
  wait(const std::string &key, Deadline deadline,
       const std::function<bool()> &stop = nullptr) override;
  std::string getTrouble() override;

  /// Whoever waits, waits in vain.
  void breakUp(const std::string &trouble);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> values;
  std::string trouble;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_STORE_STORE_H
