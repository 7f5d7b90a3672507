//===- Progress.cpp - What a communication stream is at -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"

#include <algorithm>

using namespace mlir::comm::runtime;

std::string Step::describeInFull() const {
  Call own = call;
  own.pairs = pairs.data();
  return describeCount() + own.describeInFull();
}

std::string Step::describe() const { return describeCount() + call.describe(); }

std::string Step::describeCount() const {
  return numRecorded == 0
             ? ""
             : "a recorded step of " + std::to_string(numRecorded) +
                   " collectives, the first of which is ";
}

Progress::~Progress() {
  for (const Entry &entry : entries)
    for (cudaEvent_t event : {entry.begin, entry.end})
      recycle(event);
  for (cudaEvent_t event : spare)
    (void)cudaEventDestroy(event);
}

void Progress::recycle(cudaEvent_t event) {
  if (event)
    spare.push_back(event);
}

cudaError_t Progress::record(cudaEvent_t &event, cudaStream_t stream) {
  cudaEvent_t found = nullptr;
  if (!spare.empty()) {
    found = spare.back();
    spare.pop_back();
  } else if (cudaError_t error =
                 cudaEventCreateWithFlags(&found, cudaEventDisableTiming)) {
    return error;
  }
  event = found;
  return cudaEventRecord(event, stream);
}

cudaError_t Progress::begin(const Step &step, bool waits, bool isRecording,
                            cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isRecording) {
    if (!recorded)
      recorded = step;
    ++recorded->numRecorded;
    return cudaSuccess;
  }
  return add(step, waits, stream);
}

std::vector<std::pair<const Group *, int64_t>> Progress::getCounts() {
  std::lock_guard<std::mutex> lock(mutex);
  return counts;
}

cudaError_t Progress::add(const Step &step, bool waits, cudaStream_t stream) {
  // Whoever looks removes them, but not as often as some programs add.
  constexpr size_t many = 256;
  if (entries.size() >= many)
    if (cudaError_t error = removeFinished())
      return error;
  if (entries.empty())
    hasStarted = false;
  entries.emplace_back();
  entries.back().step = step;
  return waits ? record(entries.back().begin, stream) : cudaSuccess;
}

cudaError_t Progress::end(bool isRecording, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isRecording || entries.empty())
    return cudaSuccess;
  return record(entries.back().end, stream);
}

void Progress::forgetRecorded() {
  std::lock_guard<std::mutex> lock(mutex);
  recorded.reset();
}

cudaError_t Progress::addRecorded(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  // One that holds no collective waits for nobody.
  if (!recorded)
    return cudaSuccess;
  ++recorded->sequence;
  if (cudaError_t error = add(*recorded, /*waits=*/false, stream))
    return error;
  return record(entries.back().end, stream);
}

void Progress::countFinished(const Step &step) {
  auto it = std::find_if(counts.begin(), counts.end(), [&](const auto &count) {
    return count.first == step.group;
  });
  if (it == counts.end())
    it = counts.insert(counts.end(), {step.group, 0});
  it->second = step.sequence;
}

/// cudaSuccess also where the first one is only not ready.
cudaError_t Progress::removeFinished() {
  while (!entries.empty()) {
    Entry &entry = entries.front();
    if (!entry.end)
      return cudaSuccess;
    cudaError_t error = cudaEventQuery(entry.end);
    if (error != cudaSuccess)
      return error == cudaErrorNotReady ? cudaSuccess : error;
    recycle(entry.begin);
    recycle(entry.end);
    countFinished(entry.step);
    entries.pop_front();
    hasStarted = false;
  }
  return cudaSuccess;
}

std::optional<Progress::Front> Progress::look(cudaError_t &error) {
  std::lock_guard<std::mutex> lock(mutex);
  error = removeFinished();
  if (error || entries.empty())
    return std::nullopt;
  const Entry &entry = entries.front();
  if (!hasStarted && entry.end) {
    error = entry.begin ? cudaEventQuery(entry.begin) : cudaSuccess;
    if (error == cudaSuccess) {
      hasStarted = true;
      since = Clock::now();
    } else if (error == cudaErrorNotReady) {
      error = cudaSuccess;
    }
  }
  return Front{entry.step, hasStarted, since};
}
