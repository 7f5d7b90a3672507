//===- NcclMessages.cpp - Messages that move at once ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclMessages.h"

#include "Cuda/Range.h"
#include "NcclCommunicator.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir::comm::runtime;

bool NcclMessages::isClosed(const Messages &messages) {
  // How many of each channel are on their way.
  std::map<std::tuple<NcclCommunicator *, int64_t, int64_t>, int64_t> channels;
  bool isClosed = true;
  for (const auto &[communicator, call] : messages) {
    int64_t &count = channels[{communicator, *call.from, *call.to}];
    count += call.isSend() ? 1 : -1;
    // One that was sent before the group.
    isClosed &= count >= 0;
  }
  for (auto &[channel, count] : channels)
    isClosed &= count == 0;
  return isClosed;
}

Status NcclMessages::move() {
  isOpen = false;
  Messages all = std::exchange(messages, {});
  // Before anything is enqueued: ranks that make one wait for each other.
  for (const auto &[communicator, call] : all)
    if (call.count)
      if (Status status = communicator->findHandle(call))
        return status;
  if (isClosed(all))
    return moveAtOnce(all);
  for (auto it = all.begin(); it != all.end();) {
    auto end = std::find_if(it, all.end(), [&](const Message &message) {
      return message.communicator != it->communicator;
    });
    if (Status status = moveAtOnce(Messages(it, end)))
      return status;
    it = end;
  }
  return COMM_SUCCESS;
}

Status NcclMessages::moveAtOnce(const Messages &messages) {
  Messages own, zeros;
  std::vector<Step> steps;
  for (const auto &[communicator, call] : messages) {
    if (!call.count)
      continue;
    if (communicator->isOwnMessage(call)) {
      own.push_back({communicator, call});
      steps.push_back(communicator->makeNextStep(call));
    } else if (!call.isSend()) {
      zeros.push_back({communicator, call});
    }
  }
  if (own.empty() && zeros.empty())
    return COMM_SUCCESS;
  const CommSite *site = messages.front().call.site;
  Range range(messages.front().call.getOpName());
  if (!own.empty())
    if (Status status = issue(own, std::move(steps), site))
      return status;
  return fillZeros(zeros, site);
}

/// What NCCL leaves as it is.
Status NcclMessages::fillZeros(const Messages &messages, const CommSite *site) {
  if (messages.empty())
    return COMM_SUCCESS;
  Status status = context.beginCommunication(site);
  for (const auto &[communicator, call] : messages)
    if (!status)
      status = communicator->fillZeros(call.site, call.recv, call.getBytes());
  context.endCommunication();
  return status;
}

Status NcclMessages::issue(const Messages &messages, std::vector<Step> steps,
                           const CommSite *site) {
  if (Status status = context.beginCollective(steps, site))
    return status;
  Status status = callNccl(messages, steps);
  // Also after an error: others look at what there is.
  Status ended = context.endCollective(site);
  return status ? status : ended;
}

Status NcclMessages::callNccl(const Messages &messages,
                              const std::vector<Step> &steps) {
  std::optional<size_t> failed;
  ncclResult_t result = context.getHandles().callGroup(
      messages.size(),
      [&](size_t i) {
        return messages[i].communicator->enqueueMessage(messages[i].call);
      },
      failed);
  if (isError(result) && failed) {
    const auto &[communicator, call] = messages[*failed];
    return context.settle({steps[*failed]},
                          NcclCommunicator::getMessageName(call), result,
                          communicator->getHandle());
  }
  if (isError(result))
    return context.settle(steps, "ncclGroupEnd", result,
                          messages.front().communicator->getHandle());
  return result == ncclInProgress ? waitForAll(messages, steps) : COMM_SUCCESS;
}

/// Until all is on the stream; the first time, NCCL connects the ranks.
Status NcclMessages::waitForAll(const Messages &messages,
                                const std::vector<Step> &steps) {
  Patience patience = context.getNcclWorld().getPatience();
  Deadline deadline = getDeadline(patience.timeout);
  std::vector<ncclComm_t> comms;
  for (const auto &[communicator, call] : messages)
    if (std::find(comms.begin(), comms.end(), communicator->getHandle()) ==
        comms.end())
      comms.push_back(communicator->getHandle());
  for (ncclComm_t comm : comms) {
    ncclResult_t state =
        context.getHandles().waitFor(comm, deadline, patience.stop);
    if (Status status = context.settle(steps, "ncclGroupEnd", state, comm))
      return status;
  }
  return COMM_SUCCESS;
}
