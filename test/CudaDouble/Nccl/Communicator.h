//===- Communicator.h - Communicators of ranks of one process ---*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two mutexes: the clique's guards what its ranks share, and the engine's is
// never taken while it is held, nor the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_NCCL_COMMUNICATOR_H
#define COMM_CUDADOUBLE_NCCL_COMMUNICATOR_H

#include "Engine/Report.h"
#include "Engine/Stream.h"

#include <nccl.h>

namespace mlir::comm::cudadouble {

/// One call of a collective or of ncclSend or ncclRecv.
struct Task {
  enum class Kind {
    AllReduce,
    Broadcast,
    Reduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Gather,
    Scatter,
    Send,
    Recv
  };
  Kind kind;
  const char *entry;
  const void *send = nullptr;
  void *recv = nullptr;
  size_t count = 0;
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t op = ncclSum;
  /// The root, or the peer.
  int root = -1;
  cudaStream_t stream = nullptr;
  std::optional<Injection> injection;

  bool isMessage() const { return kind == Kind::Send || kind == Kind::Recv; }
  bool reduces() const {
    return kind == Kind::AllReduce || kind == Kind::Reduce ||
           kind == Kind::ReduceScatter;
  }
  bool isRooted() const {
    return kind == Kind::Broadcast || kind == Kind::Reduce ||
           kind == Kind::Gather || kind == Kind::Scatter;
  }
  /// What the rank reads and writes, in elements; 0 where it has no such part.
  size_t getSendCount(int rank, int size) const;
  size_t getRecvCount(int rank, int size) const;
  /// "ncclAllReduce of 4 x f32, sum".
  std::string describe() const;
};

/// What a rank brings to a collective.
struct Arrival {
  const Task *task;
  const unsigned char *send;
  unsigned char *recv;
  /// Of ncclRedOpCreatePreMulSum.
  double factor;
};

/// One collective: all ranks come to it, the last one computes.
struct Meeting {
  std::map<int, Arrival> arrivals;
  bool done = false;
  int numLeft = 0;
};

/// A message that waits for its receiver.
struct Message {
  const Task *task;
  const unsigned char *bytes;
  std::shared_ptr<bool> taken;
};

/// What the ranks of a communicator share.
struct Clique {
  Clique(std::string name, int size) : name(std::move(name)), members(size) {}

  std::string name;
  std::mutex mutex;
  std::condition_variable changed;
  /// Null before the rank has come.
  std::vector<ncclComm *> members;
  int numJoined = 0;
  std::map<uint64_t, Meeting> meetings;
  std::map<std::pair<int, int>, std::deque<Message>> mailboxes;

  /// What each rank has said to its nth ncclCommSplit.
  struct Split {
    std::vector<std::pair<int, int>> colorsAndKeys;
    int numCome = 0;
    std::map<int, std::shared_ptr<Clique>> cliques;
  };
  std::map<uint64_t, Split> splits;

  int size() const { return static_cast<int>(members.size()); }
};

/// The communicator of a live handle; else reports, and null.
ncclComm *findCommunicator(ncclComm_t handle, const char *entry);

/// A reduction made by ncclRedOpCreatePreMulSum.
struct PreMulSum {
  double factor;
  ncclDataType_t type;
  bool isAlive;
};

} // namespace mlir::comm::cudadouble

/// What an ncclComm_t points to: one rank of a clique.
struct ncclComm {
  std::shared_ptr<mlir::comm::cudadouble::Clique> clique;
  int rank = 0;
  /// In the communicator that it was split from, and that one, ...
  int worldRank = 0;
  int device = 0;
  bool blocking = true;

  // Guarded by the clique's mutex.
  ncclResult_t asyncError = ncclSuccess;
  std::string lastError;
  bool isAborted = false;

  // Of the thread that calls.
  /// Says whether what it waits for has come; null: nothing.
  std::function<bool()> isReady;
  /// To be done when it is.
  std::vector<std::function<ncclResult_t()>> pending;
  bool inProgress = false;
  bool isFinalized = false;
  uint64_t pollsLeft = 0;
  uint64_t numSplits = 0;
  std::vector<mlir::comm::cudadouble::PreMulSum> reductions;
  std::map<void *, size_t> registered;

  // Guarded by the engine's mutex.
  uint64_t numCollectives = 0;
  std::shared_ptr<mlir::comm::cudadouble::Completion> last;
};

namespace mlir::comm::cudadouble {

/// Sets the communicator's asynchronous error, the first one. With the clique's
/// mutex locked.
void setError(ncclComm &comm, ncclResult_t error, std::string text);

/// Begins something that is over when `isReady` says so, and ends with `then`.
/// A blocking communicator waits for it here; else this returns ncclInProgress,
/// and polls end it.
ncclResult_t begin(ncclComm &comm, std::function<bool()> isReady,
                   std::function<ncclResult_t()> then);
/// Waits until a blocking communicator is ready, and ends what it began.
ncclResult_t finish(ncclComm &comm);

/// The result of that name.
ncclResult_t getResult(const std::string &name);
/// The calling thread's last error, for ncclGetLastError.
std::string &getLastText();
ncclResult_t fail(ncclResult_t result, std::string text);

/// Counts the call. Not success where it is to fail or the communicator cannot
/// be used now.
ncclResult_t enter(const char *entry, ncclComm_t handle,
                   std::optional<Injection> *injection = nullptr);

/// Gives a task to its stream, at the end of the group.
ncclResult_t start(ncclComm_t comm, Task task);
/// Within a group: at its end; else at once.
ncclResult_t finishInGroup(ncclComm &comm);
bool isInGroup();

/// Runs on the stream's thread.
void runCollective(ncclComm &comm, uint64_t number, const Task &task,
                   const unsigned char *send, unsigned char *recv);
struct Part {
  const Task *task;
  unsigned char *bytes;
};
void runMessages(ncclComm &comm, const std::vector<Part> &parts);

/// The bytes of an element; 0 for what the double does not know.
size_t getBytes(ncclDataType_t type);
const char *getName(ncclDataType_t type);
/// out[i] = in[0][i] op in[1][i] ... in the order of the ranks. f16 and bf16
/// are accumulated in f32 and rounded once; max and min drop NaNs, as NCCL's
/// do. `factors` are those of PreMulSum, null for other operations.
void reduce(ncclDataType_t type, ncclRedOp_t op,
            const std::vector<const unsigned char *> &in,
            const std::vector<double> *factors, size_t count,
            unsigned char *out);

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_NCCL_COMMUNICATOR_H
