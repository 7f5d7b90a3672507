//===- Launch.h - A program on all ranks -----------------------*- C++ -*--===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_LAUNCH_H
#define COMM_RUNNER_LAUNCH_H

#include "comm/Runner/Inputs.h"
#include "comm/Runner/Invoke.h"

#include <chrono>
#include <functional>

namespace mlir::comm::runner {

struct LaunchOptions {
  std::string backend = "threads";
  /// How long a rank waits for another; 0: for ever.
  std::chrono::milliseconds timeout{30000};
  /// How often each rank calls the function, at least once.
  int64_t repetitions = 1;
  /// Whether a device records a repetition and does it again.
  bool captureSteps = false;
  /// Whether to record each collective of each rank.
  bool trace = false;
  /// Called when the run has failed and a rank still computes a second later,
  /// which nothing can stop: ends the process. Null: wait for the rank.
  std::function<void(const Failure &)> onStuck;
};

/// What a run gave.
struct Launch {
  /// The first failure of the run, with the rank that found it.
  MaybeFailure failure;
  /// The ranks that have run in this process: all of them on most backends.
  std::vector<int64_t> ranks;
  /// Of the last repetition; none of ranks of other processes. Empty after a
  /// failure.
  RankValues results;
  /// One line for each collective, rank by rank in the order of the calls; a
  /// rank that is not on a message's channel has none for it. Also after a
  /// failure.
  std::vector<std::string> trace;
  /// Why no repetition was recorded although that was asked for, or "".
  std::string captureNote;
  /// Of each repetition, from the first rank's start of it to the last rank's
  /// end, when its device is done too; empty after a failure.
  std::vector<std::chrono::duration<double>> times;
  /// Of their sum, what each of `ranks` spent in collectives, waiting included.
  std::vector<std::chrono::duration<double>> communicationTime;
};

/// Runs `function` on all ranks of the signature's mesh, each on copies of its
/// inputs, `repetitions` times.
Launch launch(PackedFunction function, const FunctionSignature &signature,
              const RankValues &inputs, const LaunchOptions &options);

/// Such as "1.25 ms", in three digits.
std::string formatDuration(std::chrono::duration<double> duration);

/// Such as "time: 1.25 ms, in collectives rank 1 10% to rank 0 50%": the ranks
/// that spent the least and the most there. Of several repetitions, "time: best
/// 1.25 ms, median 1.31 ms, first 3.4 ms of 20 runs, in collectives...".
std::string formatTime(const Launch &launch);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_LAUNCH_H
