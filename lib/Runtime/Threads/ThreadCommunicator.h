//===- ThreadCommunicator.h - Copies between threads ------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H
#define COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H

#include "Rendezvous.h"

namespace mlir::comm::runtime {

/// Each rank shows its buffers, meets the others, reads what it needs straight
/// from theirs, and meets them again.
class ThreadCommunicator : public Communicator {
public:
  ThreadCommunicator(Context &context, ThreadWorld &world, Group group);

  Status barrier(const Call &call) override;
  Status allReduce(const Call &call) override;
  Status reduceScatter(const Call &call) override;
  Status reduce(const Call &call) override;
  Status send(const Call &call) override;
  Status recv(const Call &call) override;

protected:
  Status exchange(const Call &call, const std::vector<Transfer> &sends,
                  const std::vector<Transfer> &recvs) override;

private:
  Status meet(const Call &call, const std::vector<Transfer> *sends = nullptr);
  void reduceRange(const Call &call, int64_t begin, int64_t size,
                   void *out) const;
  Rendezvous &getChannel(const Call &call);

  ThreadWorld &world;
  Rendezvous &rendezvous;
  /// By sender and receiver, as found in the world.
  std::map<std::pair<int64_t, int64_t>, Rendezvous *> channels;
  int64_t sequence = 0;
  /// What the others read until they have met again.
  Post post{};
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_THREADS_THREADCOMMUNICATOR_H
