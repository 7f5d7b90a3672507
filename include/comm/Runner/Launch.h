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
  /// Empty after a failure.
  RankValues results;
  /// One line for each collective, rank by rank in the order of the calls; a
  /// rank that is not on a message's channel has none for it. Also after a
  /// failure.
  std::vector<std::string> trace;
  /// From the first rank's start to the last rank's end; 0 after a failure.
  std::chrono::duration<double> time{0};
  /// Of that, what each rank spent in collectives, waiting included.
  std::vector<std::chrono::duration<double>> communicationTime;
};

/// Runs `function` on all ranks of the signature's mesh, each on copies of its
/// inputs.
Launch launch(PackedFunction function, const FunctionSignature &signature,
              const RankValues &inputs, const LaunchOptions &options);

/// Such as "time: 1.25 ms, in collectives rank 1 10% to rank 0 50%": the ranks
/// that spent the least and the most there.
std::string formatTime(const Launch &launch);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_LAUNCH_H
