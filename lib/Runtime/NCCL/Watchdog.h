//===- Watchdog.h - Ends a run that cannot go on ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_WATCHDOG_H
#define COMM_LIB_RUNTIME_NCCL_WATCHDOG_H

#include "NcclWorld.h"

#include <thread>

namespace mlir::comm::runtime {

/// A thread of the process that looks after its ranks: at the errors of their
/// communicators, at collectives that do not end, at what other processes say.
/// When the run has failed it aborts all communicators, so that nobody waits
/// any more. It also tells the others what its ranks are at.
class Watchdog {
public:
  explicit Watchdog(NcclWorld &world);
  ~Watchdog() { stop(); }

  /// Begins to look, once the world knows its watchdog.
  void start();
  /// Looks once more, and no more.
  void stop();

  /// Something has changed.
  void wake();

  /// Why a collective, or one of messages that move at once, does not end: who
  /// is missing, as far as the ranks have said. Waits until what they say is
  /// news.
  Failure explainTimeout(int64_t rank, const std::vector<Step> &steps);

private:
  void run();
  void look();
  void lookAtOthers();
  /// What is known of a rank whose process is gone.
  Failure explainLoss(int64_t rank);
  void lookAt(NcclContext &context);
  void publish();
  void abortAll();

  NcclWorld &world;
  const std::chrono::milliseconds tick, publishEvery;
  std::chrono::steady_clock::time_point lastPublished;
  std::map<int64_t, std::string> published;
  /// Whether the ranks of other processes are told of the failure.
  bool hasAborted = false;

  std::mutex mutex;
  std::condition_variable changed;
  bool isAwake = false, isEnding = false;
  std::thread thread;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_WATCHDOG_H
