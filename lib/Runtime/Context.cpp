//===- Context.cpp - One rank: its status, groups and calls ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "comm/Runtime/Communicator.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>

using namespace mlir::comm::runtime;

Context::~Context() = default;

Status Context::getStatus() {
  if (status == COMM_SUCCESS && world.hasFailed()) {
    Failure failure = *world.getFailure();
    // Found by another thread than the rank's own.
    if (failure.rank == rank)
      return fail(failure.status, failure.message);
    return fail(COMM_ABORTED, "stopped because rank " +
                                  std::to_string(failure.rank) +
                                  " failed: " + failure.message);
  }
  return status;
}

Status Context::fail(Status newStatus, std::string newMessage) {
  if (status == COMM_SUCCESS) {
    message = std::move(newMessage);
    status = newStatus;
    world.fail({rank, newStatus, message});
  }
  return status;
}

Communicator *Context::getCommunicator(const int64_t *axes, int64_t n) {
  if (getStatus() != COMM_SUCCESS)
    return nullptr;
  for (const std::unique_ptr<Communicator> &known : communicators) {
    const std::vector<int64_t> &other = known->getGroup().axes;
    if (n == static_cast<int64_t>(other.size()) &&
        std::equal(other.begin(), other.end(), axes))
      return known.get();
  }
  const Mesh &mesh = world.getMesh();
  std::vector<int64_t> key;
  std::vector<bool> seen(mesh.size());
  if (n < 1 || n > static_cast<int64_t>(mesh.size())) {
    fail(COMM_INVALID, "a group over " + std::to_string(n) +
                           " axes of a mesh of " + std::to_string(mesh.size()));
    return nullptr;
  }
  for (int64_t i = 0; i < n; ++i) {
    if (axes[i] < 0 || axes[i] >= static_cast<int64_t>(mesh.size()) ||
        seen[axes[i]]) {
      fail(COMM_INVALID, "mesh axis " + std::to_string(axes[i]) +
                             " of a group does not exist or is repeated");
      return nullptr;
    }
    seen[axes[i]] = true;
    key.push_back(axes[i]);
  }
  communicators.push_back(createCommunicator(getGroup(mesh, key, rank)));
  return communicators.back().get();
}

/// What is wrong with the reduction of a call, or "".
static std::string checkReduction(const Call &call) {
  if (!isReduction(*call.reduction))
    return "unknown reduction " + std::to_string(*call.reduction);
  if (getReducer(call.getType(), call.getReduction()))
    return "";
  std::string result = std::string(getName(call.getReduction())) +
                       " is not defined on " + getName(call.getType());
  if (call.getType() == COMM_I1)
    return result + ": use and, or or xor";
  if (call.getReduction() == COMM_AVG)
    return result + ": use sum";
  return result;
}

/// What is wrong with the pairs of a permute in a group of `n` ranks, or "".
static std::string checkPairs(const Call &call, int64_t n) {
  std::vector<bool> seen[2] = {std::vector<bool>(n), std::vector<bool>(n)};
  for (int64_t i = 0; i < 2 * *call.numPairs; ++i) {
    int64_t rank = call.pairs[i];
    const char *what = i % 2 ? "target " : "source ";
    if (rank < 0 || rank >= n)
      return what + std::to_string(rank) + " is not a rank of a group of " +
             std::to_string(n);
    if (seen[i % 2][rank])
      return what + std::to_string(rank) + " is named twice";
    seen[i % 2][rank] = true;
  }
  return "";
}

/// What is wrong with a call in a group of `n` ranks, or "".
static std::string findMistake(const Call &call, int64_t n) {
  if (!isDataType(call.type))
    return "unknown element type " + std::to_string(call.type);
  if (call.count < 0)
    return "negative count " + std::to_string(call.count);
  int64_t bytes;
  if (__builtin_mul_overflow(call.count, n * getByteSize(call.getType()),
                             &bytes))
    return "count " + std::to_string(call.count) + " overflows";
  for (std::optional<int64_t> member : {call.root, call.from, call.to})
    if (member && (*member < 0 || *member >= n))
      return "rank " + std::to_string(*member) + " is not in a group of " +
             std::to_string(n);
  if (call.from && *call.from == *call.to)
    return "a message from rank " + std::to_string(*call.from) + " to itself";
  if (call.reduction)
    if (std::string mistake = checkReduction(call); !mistake.empty())
      return mistake;
  if (call.numPairs)
    return checkPairs(call, n);
  return "";
}

Status Context::check(const Communicator &communicator, const Call &call) {
  std::string mistake = findMistake(call, communicator.getGroup().size());
  if (mistake.empty())
    return COMM_SUCCESS;
  return fail(COMM_INVALID, call.describe() + ": " + mistake);
}

Status Context::run(Communicator *communicator, Collective collective,
                    const Call &call) {
  if (Status status = getStatus())
    return status;
  // Read only by those who must tell what the others do.
  lastSite.store(call.site, std::memory_order_relaxed);
  lastOp.store(call.op, std::memory_order_release);
  if (Status status = check(*communicator, call))
    return status;
  if (!call.from)
    if (Status status = checkOutsideGroup(call.op, call.site))
      return status;
  activity.store(Activity::Communicating, std::memory_order_release);
  const auto &trace = world.getOptions().trace;
  std::chrono::steady_clock::time_point begin;
  if (trace)
    begin = std::chrono::steady_clock::now();
  Status status = (communicator->*collective)(call);
  activity.store(Activity::Computing, std::memory_order_release);
  if (trace)
    trace({rank, call, communicator->getGroup(), begin,
           std::chrono::steady_clock::now(), status});
  return status;
}

static std::string describeGroup(const CommSite *site) {
  return "a group of messages that begins with " +
         describe(site && site->op ? site->op : "a message", site);
}

Status Context::checkOutsideGroup(const char *op, const CommSite *site) {
  if (!group)
    return COMM_SUCCESS;
  std::string where = site ? describe(site->op ? site->op : op, site) : op;
  return fail(COMM_INVALID, where + ": in " + describeGroup(*group) +
                                ", where only messages may stand");
}

Status Context::startGroup(const CommSite *site) {
  if (Status status = getStatus())
    return status;
  if (group)
    return fail(COMM_INVALID, describe("commGroupStart", site) + ": in " +
                                  describeGroup(*group));
  group = site;
  return beginMessages();
}

Status Context::endGroup(const CommSite *site) {
  if (Status status = getStatus())
    return status;
  if (!group)
    return fail(COMM_INVALID, describe("commGroupEnd", site) +
                                  ": no group of messages has begun");
  group.reset();
  activity.store(Activity::Communicating, std::memory_order_release);
  Status status = moveMessages(site);
  activity.store(Activity::Computing, std::memory_order_release);
  return status;
}

Status Context::checkDivisible(Communicator *communicator, int64_t size,
                               int64_t dimension, const CommSite *site) {
  if (Status status = getStatus())
    return status;
  const Group &group = communicator->getGroup();
  if (size % group.size() == 0)
    return COMM_SUCCESS;
  return fail(
      COMM_INVALID,
      describe(site && site->op ? site->op : "comm op", site) +
          ": operand dimension " + std::to_string(dimension) + " (" +
          std::to_string(size) + ") is not divisible by the group size (" +
          std::to_string(group.size()) + ") of axes " + group.axisNames);
}

Status Context::checkSize(int64_t got, int64_t expected, int64_t dimension,
                          const CommSite *site) {
  if (Status status = getStatus())
    return status;
  if (got == expected)
    return COMM_SUCCESS;
  return fail(COMM_INVALID,
              describe(site && site->op ? site->op : "comm op", site) +
                  ": dimension " + std::to_string(dimension) + " is " +
                  std::to_string(got) + ", expected " +
                  std::to_string(expected));
}

Status Context::failAt(const CommSite *site) {
  if (Status status = getStatus())
    return status;
  return fail(COMM_INVALID, describe(site->op, site) + ": " + site->detail);
}

void Context::end() {
  // Its messages may be on their way to nobody: others must not wait for them.
  if (group && getStatus() == COMM_SUCCESS)
    fail(COMM_INVALID, "the program ended in " + describeGroup(*group));
  activity = Activity::Ended;
  world.onEnd(rank);
}

std::string Context::describeActivity() const {
  const char *op = lastOp;
  std::string last = op ? describe(op, lastSite) : "";
  switch (activity) {
  case Activity::Communicating:
    return "in " + last;
  case Activity::Computing:
    return op ? "computing after " + last
              : "computing before its first communication";
  case Activity::Ended:
    return op ? "ended after " + last : "ended without any communication";
  }
  return "";
}
