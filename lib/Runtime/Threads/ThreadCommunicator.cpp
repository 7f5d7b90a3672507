//===- ThreadCommunicator.cpp - Groups of threads, and their messages -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadCommunicator.h"

#include "../Copy.h"

using namespace mlir::comm::runtime;

ThreadCommunicator::ThreadCommunicator(Context &context, ThreadWorld &world,
                                       Group group)
    : Communicator(context, std::move(group)), world(world),
      seat(world.getRendezvous(getGroup()), getGroup().index) {}

Status ThreadCommunicator::meet(const Call &call, int64_t most, int64_t own) {
  // What all read must be little too: each then reads it all, and copies of the
  // whole are more work than another meeting.
  constexpr int64_t allBytes = 1 << 16;
  showsCopies =
      most <= Rendezvous::payloadBytes && most <= allBytes / getGroup().size();
  if (showsCopies)
    copyBytes(seat.getNextPayload(), call.send, own);
  expectedBytes = showsCopies ? most : 0;
  seat.show(call, ++sequence, nullptr);
  return seat.meet(expectedBytes);
}

Status ThreadCommunicator::meet(const Call &call,
                                const std::vector<Transfer> *sends) {
  seat.show(call, ++sequence, sends);
  return seat.meet();
}

const char *ThreadCommunicator::getSent(int64_t member) const {
  return showsCopies
             ? seat.getPayload(member)
             : static_cast<const char *>(seat.getPost(member).call.send);
}

void ThreadCommunicator::part() {
  // Copies stay where they are until the meeting after next.
  if (showsCopies)
    seat.expectNextPost(expectedBytes);
  else
    seat.meetAgain();
}

bool ThreadCommunicator::streams(int64_t bytes) const {
  return bytes >= world.getStreamBytes();
}

Status ThreadCommunicator::barrier(const Call &call) {
  return meet(call, nullptr);
}

Status ThreadCommunicator::send(const Call &call) {
  ++sequence;
  if (getGroup().index != *call.from)
    return COMM_SUCCESS;
  Seat &channel = channels.get(world, getGroup(), call, 0);
  int64_t bytes = call.getBytes();
  bool isSmall = bytes <= Rendezvous::payloadBytes;
  if (isSmall)
    copyBytes(channel.getNextPayload(), call.send, bytes);
  channel.show(call, sequence, nullptr);
  if (Status status = channel.meet())
    return status;
  if (!isSmall)
    channel.meetAgain();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::recv(const Call &call) {
  ++sequence;
  int64_t bytes = call.getBytes();
  if (getGroup().index != *call.to)
    return fillZeros(call.recv, bytes);
  Seat &channel = channels.get(world, getGroup(), call, 1);
  channel.show(call, sequence, nullptr);
  if (Status status = channel.meet())
    return status;
  if (bytes <= Rendezvous::payloadBytes) {
    copyBytes(call.recv, channel.getPayload(0), bytes);
    return COMM_SUCCESS;
  }
  copyBytes(call.recv, channel.getPost(0).call.send, bytes, streams(bytes));
  channel.meetAgain();
  return COMM_SUCCESS;
}
