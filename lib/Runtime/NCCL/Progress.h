//===- Progress.h - What a communication stream is at -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_PROGRESS_H
#define COMM_LIB_RUNTIME_NCCL_PROGRESS_H

#include "Cuda/CudaResult.h"
#include "comm/Runtime/Communicator.h"

#include <deque>

namespace mlir::comm::runtime {

/// A collective that a rank has enqueued, or a recorded step of the program
/// that holds several.
struct Step {
  Call call;
  /// The pairs of the call: a caller's own may be gone.
  std::vector<int64_t> pairs;
  const Group *group = nullptr;
  /// The group's collectives, messages left out, are numbered from 1 on; and so
  /// are the messages of each of its channels.
  int64_t sequence = 0;
  /// Of a recorded step: how many collectives it holds; `call` is the first.
  int64_t numRecorded = 0;

  std::string describe() const;
  std::string describeInFull() const;

private:
  std::string describeCount() const;
};

/// What is at the same place of a stream: one step, or messages that move at
/// once.
std::string describe(const std::vector<Step> &steps);
/// " (one of 3 messages that move at once)", or "".
std::string describeMore(const std::vector<Step> &steps);
std::string describeInFull(const std::vector<Step> &steps);

/// The collectives of one rank that the device has not finished: an event
/// stands after each of them, and before those that wait for the rank's own
/// computation, which may take as long as it likes. The rank's thread adds,
/// another one looks.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  ~Progress();

  /// The next collective, or messages that move at once, are about to be
  /// enqueued. `waits`: the stream waits for something else before. While a
  /// step is recorded, nothing is enqueued.
  CudaResult begin(std::vector<Step> steps, bool waits, bool isRecording,
                   cudaStream_t stream);
  CudaResult end(bool isRecording, cudaStream_t stream);

  /// The collectives since the last call are not those of the next step.
  void forgetRecorded();
  /// The step that has been recorded is on the stream.
  CudaResult addRecorded(cudaStream_t stream);

  struct Front {
    /// At least one.
    std::vector<Step> steps;
    /// Whether the device has come to it, and since when it is known that it
    /// has.
    bool hasStarted;
    Clock::time_point since;
  };
  /// The last finished step of each group and of each channel, as of the last
  /// look.
  std::vector<Step> getFinished();
  /// The first that is not finished. `error` is what the device says.
  std::optional<Front> look(cudaError_t &error);

private:
  struct Entry {
    std::vector<Step> steps;
    /// Null: there is none, as the step begins when the one before has ended;
    /// or it is not all enqueued yet.
    cudaEvent_t begin = nullptr, end = nullptr;
  };

  CudaResult add(std::vector<Step> steps, bool waits, cudaStream_t stream);
  CudaResult record(cudaEvent_t &event, cudaStream_t stream);
  cudaError_t removeFinished();
  void recycle(cudaEvent_t event);
  void countFinished(Step step);

  std::mutex mutex;
  std::deque<Entry> entries;
  /// Of each group and channel, which are few.
  std::vector<Step> finished;
  std::vector<cudaEvent_t> spare;
  bool hasStarted = false;
  /// Of the first entry.
  Clock::time_point since;
  /// The step that is, or has been, recorded.
  std::optional<Step> recorded;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_PROGRESS_H
