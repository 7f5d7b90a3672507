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

std::string mlir::comm::runtime::encode(const Activity &activity) {
  std::string text = std::string(1, activity.state) + "\n" + activity.text +
                     "\n" + std::to_string(activity.places.size());
  for (const Activity::Place &place : activity.places)
    text += "\n" + place.key + "\n" + std::to_string(place.sequence) + "\n" +
            place.call;
  for (auto &[key, count] : activity.done)
    text += "\n" + key + "\n" + std::to_string(count);
  return text;
}

Activity mlir::comm::runtime::decodeActivity(const std::string &text) {
  Activity activity;
  std::istringstream lines(text);
  std::string state, numPlaces, key, number;
  std::getline(lines, state);
  std::getline(lines, activity.text);
  std::getline(lines, numPlaces);
  for (int64_t i = std::atoll(numPlaces.c_str()); i > 0; --i) {
    Activity::Place place;
    // Another process may say what it likes.
    if (!std::getline(lines, place.key) || !std::getline(lines, number) ||
        !std::getline(lines, place.call))
      break;
    place.sequence = std::atoll(number.c_str());
    activity.places.push_back(std::move(place));
  }
  while (std::getline(lines, key) && std::getline(lines, number))
    activity.done[key] = std::atoll(number.c_str());
  if (!state.empty())
    activity.state = static_cast<Activity::State>(state[0]);
  return activity;
}

std::string mlir::comm::runtime::getGroupKey(const Group &group) {
  return group.axisNames + " from " + std::to_string(group.ranks[0]);
}

std::string mlir::comm::runtime::getPlaceKey(const Step &step) {
  std::string key = getGroupKey(*step.group);
  if (step.call.from)
    key += ", " + std::to_string(*step.call.from) + " to " +
           std::to_string(*step.call.to);
  return key;
}

Activity
mlir::comm::runtime::describe(NcclContext &context,
                              const std::optional<Progress::Front> &front) {
  Activity activity;
  activity.text = context.describeActivity();
  for (const Step &step : context.getProgress().getFinished())
    activity.done[getPlaceKey(step)] = step.sequence;
  if (!front) {
    if (context.hasEnded())
      activity.state = Activity::Ended;
    return activity;
  }
  for (const Step &step : front->steps)
    activity.places.push_back(
        {getPlaceKey(step), step.sequence, step.describeInFull()});
  if (front->hasStarted) {
    activity.state = Activity::Communicating;
    activity.text = "in " + runtime::describe(front->steps);
  } else {
    activity.text = "computing before " + runtime::describe(front->steps);
  }
  return activity;
}

/// Whether the member has finished the step: it may have done its part while
/// this rank waits for somebody else.
static bool hasFinished(const Activity &activity, const Step &step) {
  auto it = activity.done.find(getPlaceKey(step));
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

/// Where the member is at the step's place of its group, whatever it calls
/// there; else null.
static const Activity::Place *findPlace(const Activity &activity,
                                        const Step &step) {
  if (activity.state == Activity::Communicating)
    for (const Activity::Place &place : activity.places)
      if (place.key == getPlaceKey(step) && place.sequence == step.sequence)
        return &place;
  return nullptr;
}

namespace {
/// The members of a step, sorted by what they are at.
struct Sorted {
  std::string there, missing;
  /// The world rank and the call of one that is at the same place of the same
  /// group with another call.
  std::optional<std::pair<int64_t, std::string>> other;
};
} // namespace

static Sorted sort(int64_t rank, const Step &step,
                   const Activities &activities) {
  Sorted sorted;
  for (int64_t member : getMembers(step)) {
    int64_t number = step.group->ranks[member];
    std::string name = std::to_string(number);
    auto it = activities.find(number);
    const Activity *activity = it == activities.end() ? nullptr : &it->second;
    bool isThere = number == rank || (activity && hasFinished(*activity, step));
    if (!isThere && activity) {
      const Activity::Place *place = findPlace(*activity, step);
      isThere = place;
      if (place && !step.call.from && place->call != step.describeInFull())
        sorted.other = std::pair(number, place->call);
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

static Failure explainDisagreement(int64_t rank, const Step &step,
                                   const Sorted &sorted) {
  // In the order of the ranks, as others see it.
  std::map<int64_t, std::string> calls;
  calls[rank] = step.describeInFull();
  calls[sorted.other->first] = sorted.other->second;
  std::string message = "ranks of a " + getGroupName(step) + " disagree:";
  for (auto &[number, call] : calls)
    message += "\n  rank " + std::to_string(number) + ", call " +
               std::to_string(step.sequence) + ": " + call;
  return {rank, COMM_INVALID, message};
}

Failure mlir::comm::runtime::explain(int64_t rank,
                                     const std::vector<Step> &steps,
                                     const Activities &activities,
                                     const Options &options) {
  // Of messages that move at once, the first that somebody is missing for.
  const Step *step = &steps.front();
  for (const Step &one : steps) {
    if (sort(rank, one, activities).missing.empty())
      continue;
    step = &one;
    break;
  }
  Sorted sorted = sort(rank, *step, activities);
  if (sorted.other && !options.captureSteps)
    return explainDisagreement(rank, *step, sorted);
  std::string message = step->describeInFull() + describeMore(steps) +
                        ": timeout after " + formatSeconds(options.timeout) +
                        " in a " + getGroupName(*step) + ", of which ranks [" +
                        sorted.there + "] have come" + sorted.missing;
  if (sorted.missing.empty())
    message += "\n  nobody is missing: what is between them does not work";
  return {rank, COMM_TIMEOUT, message};
}

std::optional<Failure>
mlir::comm::runtime::findEnded(int64_t rank, const std::vector<Step> &steps,
                               const Activities &activities) {
  for (const Step &step : steps) {
    for (int64_t member : getMembers(step)) {
      int64_t number = step.group->ranks[member];
      auto it = activities.find(number);
      if (it == activities.end() || it->second.state != Activity::Ended ||
          hasFinished(it->second, step))
        continue;
      return Failure{rank, COMM_INVALID,
                     step.describeInFull() + ": rank " +
                         std::to_string(number) + " of a " +
                         getGroupName(step) + " will not come, it has " +
                         it->second.text};
    }
  }
  return std::nullopt;
}
