//===- NcclMessages.h - Messages that move at once --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between commGroupStart and commGroupEnd is one group of NCCL, of
// several communicators where the messages are over several axes. NCCL starts a
// kernel for each communicator of a group, one after another, in an order of
// its own that all ranks have in common. That is right where each message is
// received in the group that sends it. A message that is received later, by a
// rank that waits for another communicator's first, would be waited for in
// vain: such messages move in the order of the program, those of one
// communicator that follow each other at once. Every rank makes the same calls,
// also for messages that are none of its own, and so sees the same groups.
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_NCCLMESSAGES_H
#define COMM_LIB_RUNTIME_NCCL_NCCLMESSAGES_H

#include "Progress.h"

namespace mlir::comm::runtime {

class NcclCommunicator;
class NcclContext;

class NcclMessages {
public:
  explicit NcclMessages(NcclContext &context) : context(context) {}

  /// From now on, messages wait for `move`.
  void begin() { isOpen = true; }
  /// A send or a receive, also of ranks that are at neither of its ends.
  Status add(NcclCommunicator &communicator, const Call &call) {
    messages.push_back({&communicator, call});
    return isOpen ? COMM_SUCCESS : move();
  }
  /// Enqueues them.
  Status move();

private:
  struct Message {
    NcclCommunicator *communicator;
    Call call;
  };
  using Messages = std::vector<Message>;

  /// Whether each message has both of its calls.
  static bool isClosed(const Messages &messages);
  Status moveAtOnce(const Messages &messages);
  /// Enqueues those that are the rank's own.
  Status issue(const Messages &messages, std::vector<Step> steps,
               const CommSite *site);
  Status callNccl(const Messages &messages, const std::vector<Step> &steps);
  Status fillZeros(const Messages &messages, const CommSite *site);
  Status waitForAll(const Messages &messages, const std::vector<Step> &steps);

  NcclContext &context;
  bool isOpen = false;
  Messages messages;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_NCCLMESSAGES_H
