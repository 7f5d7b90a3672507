//===- Launch.cpp - A program on all ranks --------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Launch.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

using namespace mlir::comm;
using namespace mlir::comm::runner;

using Clock = std::chrono::steady_clock;

namespace {

/// What is recorded on a rank's own thread, and read when all have ended.
struct RankRecord {
  /// Of each repetition.
  std::vector<Clock::time_point> begins, ends;
  std::chrono::duration<double> communicationTime{0};
  std::vector<std::string> trace;
  std::string note;
};

} // namespace

std::string
mlir::comm::runner::formatDuration(std::chrono::duration<double> duration) {
  double value = duration.count() * 1e6;
  const char *unit = "us";
  for (const char *larger : {"ms", "s"}) {
    if (value < 1000)
      break;
    value /= 1000;
    unit = larger;
  }
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), value < 1000 ? "%.3g %s" : "%.0f %s",
                value, unit);
  return buffer;
}

/// `run` tells repetitions apart.
static std::string describeEvent(const runtime::TraceEvent &event,
                                 const std::string &run) {
  std::string line = "rank " + std::to_string(event.rank) + run + ": " +
                     event.call.describeInFull() + "; " +
                     std::to_string(event.call.getBytes()) + " bytes, " +
                     formatDuration(event.end - event.begin);
  if (event.status != COMM_SUCCESS)
    line += ", failed";
  return line;
}

/// Whether the rank has a part in the call: of a message's group, which all
/// call it, one sends and one receives.
static bool hasPart(const runtime::TraceEvent &event) {
  if (!event.call.from)
    return true;
  bool sends = std::strcmp(event.call.op, "comm.send") == 0;
  return event.group.index == (sends ? *event.call.from : *event.call.to);
}

Launch mlir::comm::runner::launch(PackedFunction function,
                                  const FunctionSignature &signature,
                                  const RankValues &inputs,
                                  const LaunchOptions &options) {
  Launch launch;
  std::vector<RankRecord> records(inputs.size());
  launch.results.resize(inputs.size());

  runtime::Options worldOptions;
  worldOptions.timeout = options.timeout;
  worldOptions.captureSteps = options.captureSteps;
  worldOptions.trace = [&](const runtime::TraceEvent &event) {
    RankRecord &record = records[event.rank];
    record.communicationTime += event.end - event.begin;
    if (!options.trace || !hasPart(event))
      return;
    std::string run;
    if (options.repetitions > 1)
      run = ", run " + std::to_string(record.begins.size());
    record.trace.push_back(describeEvent(event, run));
  };
  auto describeFailure = [](const runtime::Failure &failure) {
    return Failure{ExitCode::Runtime, "rank " + std::to_string(failure.rank) +
                                          ": " + failure.message};
  };
  if (options.onStuck)
    worldOptions.onStuck = [&](const runtime::Failure &failure) {
      options.onStuck(describeFailure(failure));
    };
  std::string error;
  std::unique_ptr<runtime::World> world = runtime::World::create(
      signature.mesh, options.backend, std::move(worldOptions), error);
  if (!world) {
    launch.results.clear();
    launch.failure = usageFailure(error);
    return launch;
  }

  // What escapes from a thread would end the process.
  auto runRank = [&](runtime::Context &context) {
    int64_t rank = context.getRank();
    RankRecord &record = records[rank];
    try {
      Invoker invoker(function, signature, &context, inputs[rank]);
      // What the arguments take on a device.
      int64_t numGiven = context.getNumLive();
      for (int64_t i = 0; i < options.repetitions; ++i) {
        invoker.prepareCall();
        record.begins.push_back(Clock::now());
        int32_t status = invoker.call();
        // What was only started is not done.
        if (status == COMM_SUCCESS)
          status = context.synchronize();
        record.ends.push_back(Clock::now());
        if (status == COMM_SUCCESS)
          continue;
        context.fail(COMM_INVALID, "'@" + signature.name +
                                       "' returned status " +
                                       std::to_string(status));
        return;
      }
      if (options.captureSteps)
        record.note = context.getStepNote();
      launch.results[rank] = invoker.readResults();
      invoker.releaseResults();
      if (int64_t live = context.getNumLive() - numGiven)
        context.fail(COMM_INVALID, "'@" + signature.name + "' did not free " +
                                       std::to_string(live) + " buffers");
    } catch (const std::bad_alloc &) {
      context.fail(COMM_INVALID, "out of memory");
    }
  };
  std::optional<runtime::Failure> failure = world->launch(runRank);

  launch.ranks = world->getLocalRanks();
  for (int64_t rank : launch.ranks) {
    RankRecord &record = records[rank];
    launch.communicationTime.push_back(record.communicationTime);
    if (launch.captureNote.empty())
      launch.captureNote = record.note;
    std::move(record.trace.begin(), record.trace.end(),
              std::back_inserter(launch.trace));
  }
  if (failure) {
    launch.results.clear();
    launch.failure = describeFailure(*failure);
    return launch;
  }
  for (int64_t i = 0; i < options.repetitions; ++i) {
    Clock::time_point begin = Clock::time_point::max(),
                      end = Clock::time_point::min();
    for (int64_t rank : launch.ranks) {
      begin = std::min(begin, records[rank].begins[i]);
      end = std::max(end, records[rank].ends[i]);
    }
    launch.times.push_back(end - begin);
  }
  return launch;
}

std::string mlir::comm::runner::formatTime(const Launch &launch) {
  std::vector<std::chrono::duration<double>> sorted = launch.times;
  std::sort(sorted.begin(), sorted.end());
  std::string text = "time: ";
  if (sorted.size() == 1)
    text += formatDuration(sorted[0]);
  else
    text += "best " + formatDuration(sorted[0]) + ", median " +
            formatDuration(sorted[sorted.size() / 2]) + ", first " +
            formatDuration(launch.times[0]) + " of " +
            std::to_string(sorted.size()) + " runs";
  std::chrono::duration<double> total(0);
  for (std::chrono::duration<double> time : sorted)
    total += time;

  const auto &times = launch.communicationTime;
  auto [least, most] = std::minmax_element(times.begin(), times.end());
  auto describe = [&](auto rank) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "rank %lld %.0f%%",
                  static_cast<long long>(launch.ranks[rank - times.begin()]),
                  100 * (*rank / total));
    return std::string(buffer);
  };
  text += ", in collectives " + describe(least);
  if (most != least)
    text += " to " + describe(most);
  return text;
}
