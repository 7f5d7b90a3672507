//===- Stream.h - Streams, events and what runs on them ---------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_STREAM_H
#define COMM_CUDADOUBLE_ENGINE_STREAM_H

#include "Engine/Memory.h"

#include <driver_types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <set>
#include <thread>

namespace mlir::comm::cudadouble {

class Capture;
class Stream;

/// That an operation is done: what events record.
struct Completion {
  bool done = false;
  /// Of the operation: what is done when it is.
  Clock clock;
  std::chrono::steady_clock::time_point time;
  int device = 0;
  /// Of an operation that was captured: its place in the graph.
  std::shared_ptr<Capture> capture;
  size_t node = 0;
};

struct Access {
  uint64_t address, bytes;
  bool write;
};

/// One piece of work of a stream.
struct Operation {
  const char *entry;
  /// What it uses, as far as that is known before it runs.
  std::vector<Access> accesses;
  /// On the stream's thread. May be empty.
  std::function<void(Operation &)> run;
  /// When it is given to the stream, with the engine's mutex locked, before its
  /// clock is known: may add to `waits`.
  std::function<void(Operation &)> issue;
  /// Right after its clock is known, with the mutex locked.
  std::function<void(Operation &)> issued;
  /// What must be done before it starts.
  std::vector<std::shared_ptr<Completion>> waits;

  // Set by the engine.
  std::shared_ptr<Completion> completion;
  Moment moment;
  /// Of the accesses.
  std::vector<Bytes> memory;

  /// The bytes of the access, or null where that was wrong and reported.
  unsigned char *at(size_t access) const { return memory[access].get(); }
  const Clock &clock() const { return completion->clock; }
};

/// A thread with a queue.
class Stream {
public:
  Stream(unsigned number, int device, unsigned flags);

  unsigned number;
  int device;
  unsigned flags;
  uint64_t tick = 0;
  /// Of its last operation, with all that it waits for.
  Clock clock;
  /// Its last operation; null: it has had none.
  std::shared_ptr<Completion> last;
  /// What it is recorded into, and as which of the graph's lanes.
  std::shared_ptr<Capture> capture;
  size_t lane = 0;

  void push(Operation operation);
  /// The thread ends when all is done.
  void close();

private:
  void work();

  std::condition_variable pushed;
  std::deque<Operation> queue;
  bool closing = false;
};

struct Event {
  int device;
  bool timed;
  /// What it has recorded last; null: nothing yet.
  std::shared_ptr<Completion> record;
};

/// All that the libraries share. `mutex` guards everything that has no mutex of
/// its own.
struct Engine {
  std::mutex mutex;
  /// An operation is done, or something that one may wait for has changed.
  std::condition_variable changed;
  Memory memory;
  /// What some thread of the host has waited for. All threads share it: how
  /// they tell each other what is done cannot be seen here.
  Clock host;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<Stream *> defaultStreams;
  std::set<Stream *> liveStreams;
  std::set<Event *> liveEvents;
  uint64_t numOperations = 0;
  std::vector<cudaError_t> deviceErrors;
  /// Those that are being recorded.
  std::set<Capture *> captures;

  int getNumDevices() const { return static_cast<int>(deviceErrors.size()); }
  Stream *createStream(int device, unsigned flags);
  /// The stream of a handle; null, and reported, if it is not alive.
  Stream *findStream(cudaStream_t handle, const char *entry);
  Event *findEvent(cudaEvent_t handle, const char *entry);

  /// Gives the stream an operation, or records it where the stream is captured.
  std::shared_ptr<Completion> issue(Stream &stream, Operation operation);
  /// Waits for it; the host knows then what it knows. Takes the lock on
  /// `mutex`, which it gives back meanwhile.
  void wait(std::unique_lock<std::mutex> &lock,
            const std::shared_ptr<Completion> &completion);
  /// The host has seen that it is done.
  void see(const Completion &completion) {
    host.join(completion.clock);
    memory.showHost(host);
  }
};

Engine &getEngine();

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_STREAM_H
