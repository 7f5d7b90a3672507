//===- Communicator.h - What a backend implements ---------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ side of the runtime. A World is one run of a program on a mesh; it
// has one Context per rank, and a Context has one Communicator per list of
// mesh axes. The functions of CommRuntime.h unwrap their handles and call
// Context::run, which checks the call, traces it and calls ONE virtual function
// of the communicator. A backend derives all three classes.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNTIME_COMMUNICATOR_H
#define COMM_RUNTIME_COMMUNICATOR_H

#include "comm/Runtime/Arena.h"
#include "comm/Runtime/Call.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

/// The C handles are the empty bases of the C++ classes, so that wrapping is an
/// implicit conversion and unwrapping a static_cast.
struct CommContext {};
struct CommCommunicator {};

namespace mlir::comm::runtime {

class Context;
class World;

/// The group of one rank over a list of axes. One function per collective; a
/// function is called only with arguments that Context::run found right and
/// only while the run has no failure. It reports a failure through
/// Context::fail. `recv` may be `send` where the two have the same size.
///
/// What moves data only has a default in terms of `exchange`; a backend
/// overrides what it has natively.
class Communicator : public CommCommunicator {
public:
  Communicator(Context &context, Group group)
      : context(context), group(std::move(group)) {}
  virtual ~Communicator();

  Context &getContext() const { return context; }
  const Group &getGroup() const { return group; }

  virtual Status barrier(const Call &call) = 0;
  virtual Status allReduce(const Call &call) = 0;
  virtual Status reduceScatter(const Call &call) = 0;
  virtual Status reduce(const Call &call) = 0;
  virtual Status allGather(const Call &call);
  virtual Status allToAll(const Call &call);
  virtual Status permute(const Call &call);
  virtual Status broadcast(const Call &call);
  virtual Status gather(const Call &call);
  virtual Status scatter(const Call &call);
  /// Called on every rank of the group; the ranks that are not on the channel
  /// have nothing to do but, in recv, to fill with zeros.
  virtual Status send(const Call &call) = 0;
  virtual Status recv(const Call &call) = 0;

protected:
  /// All of the group's transfers of one collective at once: each moves
  /// `call.count` elements. Every rank calls it, also with nothing to move.
  /// There is at most one transfer from one rank to another. Buffers that are
  /// received into may be ones that are sent.
  virtual Status exchange(const Call &call, const std::vector<Transfer> &sends,
                          const std::vector<Transfer> &recvs) = 0;

  /// Fills memory of the kind that this backend's buffers are in with zeros.
  virtual Status fillZeros(void *buffer, int64_t bytes);

private:
  Context &context;
  Group group;
};

/// A function of Communicator, by which the C functions say what to call.
using Collective = Status (Communicator::*)(const Call &);

/// What a failed rank says.
struct Failure {
  /// The world rank that found it.
  int64_t rank;
  Status status;
  std::string message;
};

/// One rank of a run. Used by one thread at a time.
class Context : public CommContext {
public:
  /// `memory` is what the program's buffers are taken from.
  Context(World &world, int64_t rank,
          std::unique_ptr<MemorySource> memory = createHostSource())
      : world(world), rank(rank), arena(std::move(memory)) {}
  virtual ~Context();

  World &getWorld() const { return world; }
  /// The world rank.
  int64_t getRank() const { return rank; }

  /// The first failure of this rank. Notices that another rank has failed.
  Status getStatus();
  /// What to tell the user about it; empty while there is none. On a rank that
  /// only stopped, it repeats the message of the rank that failed.
  const std::string &getMessage() const { return message; }

  /// Records the rank's first failure and stops the world. Returns the status
  /// of the first failure, to be returned by the caller.
  Status fail(Status status, std::string message);

  /// The cached group over `n` axes; null after a failure, or with one if the
  /// axes are not right.
  Communicator *getCommunicator(const int64_t *axes, int64_t n);

  /// Checks the call against the group, then makes and traces it. Returns at
  /// once after a failure. `communicator` is null only then.
  Status run(Communicator *communicator, Collective collective,
             const Call &call);

  /// See commGroupStart. Fails in an open group.
  Status startGroup(const CommSite *site);
  /// See commGroupEnd. Fails without an open group.
  Status endGroup(const CommSite *site);

  Status checkDivisible(Communicator *communicator, int64_t size,
                        int64_t dimension, const CommSite *site);
  Status checkSize(int64_t got, int64_t expected, int64_t dimension,
                   const CommSite *site);
  /// Fails with what the site's detail says.
  Status failAt(const CommSite *site);

  /// The memory of the rank's program. What the program yields lies in it too.
  Arena &getArena() { return arena; }

  /// Whether that memory is the host's: what the host writes to it is what the
  /// program reads. Else allocate, write and read are the way to it.
  virtual bool usesHostMemory() const { return true; }
  /// Memory as commAllocate gives it.
  virtual void *allocate(int64_t bytes) { return arena.allocate(bytes); }
  virtual void release(void *memory) { arena.release(memory); }
  /// How many allocations have not been given back.
  virtual int64_t getNumLive() const { return arena.getNumLive(); }

  /// See commConstant.
  void *getConstant(const void *data, int64_t bytes);
  /// Checks the arguments and calls start.
  Status launch(const KernelLaunch &launch);
  /// Copies between buffers of the program.
  Status copy(const void *from, void *to, int64_t bytes, const CommSite *site);
  /// Copies from a buffer of the program to memory of the host, when all that
  /// was started before is done.
  Status read(const void *from, void *host, int64_t bytes,
              const CommSite *site);
  /// Copies from memory of the host, which can be written again at once, to a
  /// buffer of the program. `site`: what an error names, or null.
  Status write(const void *host, void *to, int64_t bytes,
               const CommSite *site = nullptr);
  /// Waits until all that was started is done: what went wrong meanwhile is
  /// known then.
  Status synchronize();

  /// Checks the arguments and calls multiply.
  Status gemm(const Gemm &gemm);

  /// Calls `step`, a call of the program that may be called again with the same
  /// `key`: the addresses and numbers that it is given. With
  /// Options::captureSteps a device records what the second such call enqueues,
  /// and from then on does that again without calling `step`, which leaves its
  /// results where they were.
  virtual Status runStep(const std::string &key,
                         const std::function<Status()> &step) {
    (void)key;
    return step();
  }
  /// Whether a step is recorded, whose results must stay.
  virtual bool hasRecordedStep() const { return false; }
  /// Forgets it: its results may be given back.
  virtual void forgetStep() {}
  /// Why no step was recorded although that was asked for, or "".
  virtual std::string getStepNote() const {
    return "a backend of the host records no steps";
  }

  /// The program of this rank is over, well or not. Ranks that wait for it stop
  /// and say so. Nothing may be called on this rank afterwards.
  void end();

  /// What the rank does now and did last, such as "computing since
  /// comm.all_reduce at a.mlir:3". May be called by other ranks.
  std::string describeActivity() const;
  bool hasEnded() const { return activity == Activity::Ended; }

protected:
  virtual std::unique_ptr<Communicator> createCommunicator(Group group) = 0;
  /// On the host, through OpenBLAS, unless a backend's buffers are elsewhere.
  virtual Status multiply(const Gemm &gemm);

  // What a backend that moves several messages at once overrides. Called only
  // while the run has no failure. Without, each message moves where it stands.
  virtual Status beginMessages() { return COMM_SUCCESS; }
  virtual Status moveMessages(const CommSite *site) {
    (void)site;
    return COMM_SUCCESS;
  }

  // What a backend whose buffers are not the host's overrides. Called only
  // while the run has no failure; bytes and blocks are not 0.
  virtual void *makeConstant(const void *data, int64_t bytes);
  virtual Status start(const KernelLaunch &launch);
  enum class Direction { WithinDevice, FromHost, ToHost };
  virtual Status move(const void *from, void *to, int64_t bytes,
                      Direction direction, const CommSite *site);
  virtual Status waitForDevice() { return COMM_SUCCESS; }

private:
  enum class Activity { Computing, Communicating, Ended };

  Status check(const Communicator &communicator, const Call &call);
  /// Fails in an open group, where nothing but messages may stand. The failure
  /// is of `op` if there is no site.
  Status checkOutsideGroup(const char *op, const CommSite *site);

  World &world;
  int64_t rank;
  Arena arena;
  std::atomic<Status> status{COMM_SUCCESS};
  std::string message;
  /// By their axes. There are few.
  std::vector<std::unique_ptr<Communicator>> communicators;
  /// Of the open group of messages, where there is one.
  std::optional<const CommSite *> group;
  // Read by other ranks when they must say what they are waiting for.
  std::atomic<Activity> activity{Activity::Computing};
  std::atomic<const char *> lastOp{nullptr};
  std::atomic<const CommSite *> lastSite{nullptr};
};

/// One finished call of one rank, for Options::trace.
struct TraceEvent {
  int64_t rank;
  const Call &call;
  const Group &group;
  std::chrono::steady_clock::time_point begin, end;
  Status status;
};

struct Options {
  /// How long a rank waits for another before the run stops. 0: for ever.
  std::chrono::milliseconds timeout{30000};
  /// Called after each call, on the calling rank's thread and so by several
  /// threads at once. Null: no trace.
  std::function<void(const TraceEvent &)> trace;
  /// Whether a device records a step and does it again: see Context::runStep.
  bool captureSteps = false;
  /// Called, by the thread that launched, when the run has failed and a rank
  /// still computes a second later. Nothing can stop that rank: whoever does
  /// not want to wait for it ends the process here. Null: wait.
  std::function<void(const Failure &)> onStuck;
};

/// One run of a program on all ranks of a mesh.
class World {
public:
  /// "threads" is built in; "cuda-local" and "nccl" are shared objects, looked
  /// for in the folder that COMM_BACKEND_PATH in the environment names, or else
  /// beside the runtime (see Backend.h). Null, with `error` set, if there is no
  /// such backend or it cannot start, or the mesh is not right.
  static std::unique_ptr<World> create(Mesh mesh, const std::string &backend,
                                       Options options, std::string &error);
  virtual ~World();

  const Mesh &getMesh() const { return mesh; }
  const Options &getOptions() const { return options; }
  int64_t getNumRanks() const { return numRanks; }

  /// The ranks that live in this process: all of them on "threads".
  virtual std::vector<int64_t> getLocalRanks() const = 0;
  /// `rank` is one of them.
  virtual Context &getContext(int64_t rank) = 0;

  /// Runs `program` for every local rank at once, each on a thread of its own,
  /// ends the rank after it, and returns when all are done (see onStuck).
  /// Returns the first failure of the run, if any. Once for each world: the
  /// ranks have ended.
  std::optional<Failure> launch(const std::function<void(Context &)> &program);

  /// The first failure of the run.
  std::optional<Failure> getFailure() const;
  bool hasFailed() const { return failed; }

protected:
  World(Mesh mesh, Options options);

  /// Records the first failure of the run and stops it. For failures that no
  /// rank's own thread finds; a rank calls Context::fail. By any thread.
  void fail(Failure failure);

private:
  friend class Context;
  /// Returns when all local ranks are done, but tells onStuck before.
  void waitForRanks();

  /// A place among those who may be in OpenBLAS at once: it has a fixed number
  /// of buffers, and more callers than cores only take turns.
  struct GemmSlot {
    explicit GemmSlot(World &world);
    ~GemmSlot();
    World &world;
  };

  /// The world has a failure: wakes whoever waits. Called once.
  virtual void onFailure() = 0;
  /// A local rank has ended: wakes whoever waits for it.
  virtual void onEnd(int64_t rank) = 0;

  Mesh mesh;
  Options options;
  int64_t numRanks;
  std::atomic<bool> failed{false};
  mutable std::mutex failureMutex;
  std::optional<Failure> failure;

  std::mutex launchMutex;
  std::condition_variable launchChanged;
  size_t numRunning = 0;

  std::mutex gemmMutex;
  std::condition_variable gemmSlotFreed;
  int64_t freeGemmSlots;
  bool blasIsSetUp = false;
};

} // namespace mlir::comm::runtime

#endif // COMM_RUNTIME_COMMUNICATOR_H
