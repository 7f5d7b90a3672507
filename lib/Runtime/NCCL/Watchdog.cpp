//===- Watchdog.cpp - Ends a run that cannot go on ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include "Activity.h"

#include <algorithm>
#include <set>

using namespace mlir::comm::runtime;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A part of the timeout, within bounds.
static milliseconds getInterval(milliseconds timeout, int part,
                                milliseconds least, milliseconds most) {
  return timeout.count() == 0 ? most : std::clamp(timeout / part, least, most);
}

Watchdog::Watchdog(NcclWorld &world)
    : world(world), tick(getInterval(world.getOptions().timeout, 20,
                                     milliseconds(1), milliseconds(20))),
      publishEvery(getInterval(world.getOptions().timeout, 8, milliseconds(10),
                               milliseconds(500))) {
  world.getStore().follow(failureKey);
  world.getStore().follow(lostKey);
}

void Watchdog::start() {
  thread = std::thread([this] { run(); });
}

void Watchdog::stop() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  thread.join();
}

void Watchdog::wake() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isAwake = true;
  }
  changed.notify_all();
}

void Watchdog::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait_for(lock, tick, [&] { return isAwake || isEnding; });
    bool isLast = isEnding;
    isAwake = false;
    lock.unlock();
    look();
    if (isLast)
      return publish();
    lock.lock();
  }
}

void Watchdog::look() {
  if (!world.hasFailed())
    lookAtOthers();
  for (auto &[rank, context] : world.getContexts())
    if (!world.hasFailed())
      lookAt(*context);
  if (world.hasFailed())
    abortAll();
  if (Clock::now() - lastPublished >= publishEvery)
    publish();
}

void Watchdog::lookAtOthers() {
  Store &store = world.getStore();
  if (std::optional<std::string> failure = store.get(failureKey))
    return world.failFor(decodeFailure(*failure));
  if (std::optional<std::string> lost = store.get(lostKey))
    return world.failFor(explainLoss(std::atoll(lost->c_str())));
  std::string trouble = store.getTrouble();
  if (!trouble.empty())
    world.failFor({0, COMM_ABORTED, trouble});
}

Failure Watchdog::explainLoss(int64_t rank) {
  std::string message = "the process of rank " + std::to_string(rank) +
                        " has ended without a word";
  // Who has it answers at once.
  if (std::optional<std::string> text =
          world.getStore().wait(getActivityKey(rank), getDeadline(publishEvery),
                                [&] { return world.hasFailed(); }))
    message += "; it was last seen " + decodeActivity(*text).text;
  return {rank, COMM_ABORTED, message};
}

static std::set<int64_t> getMembers(const std::vector<Step> &steps) {
  std::set<int64_t> members;
  for (const Step &step : steps)
    members.insert(step.group->ranks.begin(), step.group->ranks.end());
  return members;
}

static void follow(Store &store, const std::vector<Step> &steps) {
  for (int64_t member : getMembers(steps))
    store.follow(getActivityKey(member));
}

/// What all members of the steps' groups say of themselves.
static Activities ask(Store &store, const std::vector<Step> &steps) {
  Activities activities;
  for (int64_t rank : getMembers(steps))
    if (std::optional<std::string> text = store.get(getActivityKey(rank)))
      activities[rank] = decodeActivity(*text);
  return activities;
}

void Watchdog::lookAt(NcclContext &context) {
  int64_t rank = context.getRank();
  cudaError_t error = cudaSuccess;
  std::optional<Progress::Front> front = context.getProgress().look(error);
  std::string where = front ? describeInFull(front->steps) + ": " : "";
  if (error)
    return world.failFor(
        {rank, COMM_INVALID,
         where + "cudaEventQuery: " + cudaGetErrorString(error)});
  if (auto found = context.getHandles().findError())
    return world.failFor(
        {rank, COMM_INVALID,
         where + "NCCL reports for the group over " +
             getGroup(world.getMesh(), found->first.axes, rank).axisNames +
             ": " + found->second});
  if (!front || !front->hasStarted)
    return;
  milliseconds timeout = world.getOptions().timeout;
  auto waited = Clock::now() - front->since;
  if (timeout.count() && waited >= timeout)
    return world.failFor(explainTimeout(rank, front->steps));
  // Long before, where somebody has gone home: as far as all count alike.
  if (waited < 4 * publishEvery || world.getOptions().captureSteps)
    return;
  follow(world.getStore(), front->steps);
  if (auto ended =
          findEnded(rank, front->steps, ask(world.getStore(), front->steps)))
    world.failFor(*ended);
}

Failure Watchdog::explainTimeout(int64_t rank, const std::vector<Step> &steps) {
  Store &store = world.getStore();
  follow(store, steps);
  // Whoever is late by a moment only is there then; and each process says now
  // and then what it is at. This thread is one of those that do.
  Clock::time_point end = Clock::now() + 2 * publishEvery;
  bool isOwnThread = std::this_thread::get_id() == thread.get_id();
  while (Clock::now() < end && !world.hasFailed()) {
    if (isOwnThread)
      publish();
    std::this_thread::sleep_for(publishEvery / 4);
  }
  return explain(rank, steps, ask(store, steps), world.getOptions());
}

void Watchdog::publish() {
  lastPublished = Clock::now();
  for (auto &[rank, context] : world.getContexts()) {
    cudaError_t error = cudaSuccess;
    std::string text =
        encode(describe(*context, context->getProgress().look(error)));
    if (!error && text != published[rank])
      world.getStore().set(getActivityKey(rank), text);
    published[rank] = text;
  }
}

void Watchdog::abortAll() {
  if (hasAborted)
    return;
  hasAborted = true;
  for (auto &[rank, context] : world.getContexts())
    context->getHandles().abort();
}
