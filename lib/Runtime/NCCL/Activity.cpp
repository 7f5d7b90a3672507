//===- Activity.cpp - What ranks say they are at --------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activity.h"

#include "Store/Roster.h"

#include <algorithm>
#include <sstream>

using namespace mlir::comm::runtime;

std::string mlir::comm::runtime::getActivityKey(int64_t rank) {
  return "activity/" + std::to_string(rank);
}

static std::string encodeDone(const Activity &activity) {
  std::string text;
  for (auto &[group, count] : activity.done)
    text += "\n" + group + "\n" + std::to_string(count);
  return text;
}

std::string mlir::comm::runtime::encode(const Activity &activity) {
  return std::string(1, activity.state) + "\n" + activity.group + "\n" +
         std::to_string(activity.sequence) + "\n" + activity.call + "\n" +
         activity.text + encodeDone(activity);
}

Activity mlir::comm::runtime::decodeActivity(const std::string &text) {
  Activity activity;
  std::istringstream lines(text);
  std::string state, sequence;
  std::getline(lines, state);
  std::getline(lines, activity.group);
  std::getline(lines, sequence);
  std::getline(lines, activity.call);
  std::getline(lines, activity.text);
  std::string group, count;
  while (std::getline(lines, group) && std::getline(lines, count))
    activity.done[group] = std::atoll(count.c_str());
  if (!state.empty())
    activity.state = static_cast<Activity::State>(state[0]);
  activity.sequence = std::atoll(sequence.c_str());
  return activity;
}

std::string mlir::comm::runtime::getGroupKey(const Group &group) {
  return group.axisNames + " from " + std::to_string(group.ranks[0]);
}

Activity
mlir::comm::runtime::describe(NcclContext &context,
                              const std::optional<Progress::Front> &front) {
  Activity activity;
  activity.text = context.describeActivity();
  for (auto &[group, count] : context.getProgress().getCounts())
    activity.done[getGroupKey(*group)] = count;
  if (!front) {
    if (context.hasEnded())
      activity.state = Activity::Ended;
    return activity;
  }
  const Step &step = front->step;
  activity.group = getGroupKey(*step.group);
  activity.sequence = step.sequence;
  activity.call = step.describeInFull();
  if (front->hasStarted) {
    activity.state = Activity::Communicating;
    activity.text = "in " + step.describe();
  } else {
    activity.text = "computing before " + step.describe();
  }
  return activity;
}

/// Whether the member has finished the step: it may have done its part while
/// this rank waits for somebody else.
static bool hasFinished(const Activity &activity, const Step &step) {
  auto it = activity.done.find(getGroupKey(*step.group));
  return it != activity.done.end() && it->second >= step.sequence;
}

/// The members that the step needs: of a message's group, two.
static std::vector<int64_t> getMembers(const Step &step) {
  if (step.call.from)
    return {*step.call.from, *step.call.to};
  std::vector<int64_t> members(step.group->size());
  for (int64_t i = 0; i < step.group->size(); ++i)
    members[i] = i;
  return members;
}

static std::string getGroupName(const Step &step) {
  return (step.call.from ? "channel over " : "group over ") +
         step.group->axisNames;
}

namespace {
/// The members of a step, sorted by what they are at.
struct Sorted {
  std::string there, missing;
  /// One that is at the same place of the same group with another call.
  std::optional<int64_t> other;
};
} // namespace

static Sorted sort(int64_t rank, const Step &step,
                   const std::vector<std::optional<Activity>> &members) {
  Sorted sorted;
  for (int64_t member : getMembers(step)) {
    int64_t number = step.group->ranks[member];
    std::string name = std::to_string(number);
    const std::optional<Activity> &activity = members[member];
    bool isThere = number == rank;
    if (!isThere && activity && hasFinished(*activity, step)) {
      isThere = true;
    } else if (!isThere && activity &&
               activity->group == getGroupKey(*step.group) &&
               activity->sequence == step.sequence &&
               activity->state == Activity::Communicating) {
      isThere = true;
      if (!step.call.from && activity->call != step.describeInFull())
        sorted.other = member;
    }
    if (isThere)
      sorted.there += (sorted.there.empty() ? "" : ", ") + name;
    else
      sorted.missing +=
          "\n  rank " + name + " is missing: " +
          (activity ? activity->text : "it has not said what it does");
  }
  return sorted;
}

Failure mlir::comm::runtime::explain(
    int64_t rank, const Step &step,
    const std::vector<std::optional<Activity>> &members,
    const Options &options) {
  Sorted sorted = sort(rank, step, members);
  if (sorted.other && !options.captureSteps) {
    // In the order of the ranks, as others see it.
    std::map<int64_t, std::string> calls;
    calls[rank] = step.describeInFull();
    calls[step.group->ranks[*sorted.other]] = members[*sorted.other]->call;
    std::string message = "ranks of a " + getGroupName(step) + " disagree:";
    for (auto &[number, call] : calls)
      message += "\n  rank " + std::to_string(number) + ", call " +
                 std::to_string(step.sequence) + ": " + call;
    return {rank, COMM_INVALID, message};
  }
  std::string message = step.describeInFull() + ": timeout after " +
                        formatSeconds(options.timeout) + " in a " +
                        getGroupName(step) + ", of which ranks [" +
                        sorted.there + "] have come" + sorted.missing;
  if (sorted.missing.empty())
    message += "\n  nobody is missing: what is between them does not work";
  return {rank, COMM_TIMEOUT, message};
}

std::optional<Failure> mlir::comm::runtime::findEnded(
    int64_t rank, const Step &step,
    const std::vector<std::optional<Activity>> &members) {
  for (int64_t member : getMembers(step)) {
    const std::optional<Activity> &activity = members[member];
    if (!activity || activity->state != Activity::Ended ||
        hasFinished(*activity, step))
      continue;
    return Failure{rank, COMM_INVALID,
                   step.describeInFull() + ": rank " +
                       std::to_string(step.group->ranks[member]) + " of a " +
                       getGroupName(step) + " will not come, it has " +
                       activity->text};
  }
  return std::nullopt;
}
