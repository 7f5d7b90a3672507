//===- Activity.h - What ranks say they are at ------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_NCCL_ACTIVITY_H
#define COMM_LIB_RUNTIME_NCCL_ACTIVITY_H

#include "NcclWorld.h"

namespace mlir::comm::runtime {

/// What a rank is at, as it tells the others.
struct Activity {
  enum State : char {
    /// The program is over, and the device has done all of it.
    Ended = 'e',
    /// The device is in a collective.
    Communicating = 'c',
    /// The device, or the host alone, does something else.
    Computing = 'o'
  };
  State state = Computing;
  struct Place {
    /// See getPlaceKey.
    std::string key;
    int64_t sequence = 0;
    std::string call;
  };
  /// The next collective of the device, or messages that move at once, or none.
  std::vector<Place> places;
  /// For people.
  std::string text;
  /// How many collectives of each group, and messages of each channel, it has
  /// finished.
  std::map<std::string, int64_t> done;
};

std::string getActivityKey(int64_t rank);
std::string encode(const Activity &activity);
Activity decodeActivity(const std::string &text);

/// What tells one group over some axes from others.
std::string getGroupKey(const Group &group);
/// What tells the collectives of one group, or the messages of one channel,
/// from others.
std::string getPlaceKey(const Step &step);

/// By any thread. `front` is what the rank's device is at.
Activity describe(NcclContext &context,
                  const std::optional<Progress::Front> &front);

/// What is known of ranks.
using Activities = std::map<int64_t, Activity>;

/// Why the rank's collective, or one of messages that move at once, does not
/// end, from what all members are at. Where ranks record steps, and so do not
/// count alike, nothing is said of whether they disagree.
Failure explain(int64_t rank, const std::vector<Step> &steps,
                const Activities &activities, const Options &options);

/// The member that will never come, if there is one: it has ended after fewer
/// collectives of the group.
std::optional<Failure> findEnded(int64_t rank, const std::vector<Step> &steps,
                                 const Activities &activities);

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_NCCL_ACTIVITY_H
