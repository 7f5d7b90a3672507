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

std::string mlir::comm::runtime::describeMore(const std::vector<Step> &steps) {
  return steps.size() < 2 ? ""
                          : " (one of " + std::to_string(steps.size()) +
                                " messages that move at once)";
}

std::string mlir::comm::runtime::describe(const std::vector<Step> &steps) {
  return steps.front().describe() + describeMore(steps);
}

std::string
mlir::comm::runtime::describeInFull(const std::vector<Step> &steps) {
  return steps.front().describeInFull() + describeMore(steps);
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

CudaResult Progress::record(cudaEvent_t &event, cudaStream_t stream) {
  cudaEvent_t found = nullptr;
  if (!spare.empty()) {
    found = spare.back();
    spare.pop_back();
  } else if (CudaResult result{
                 cudaEventCreateWithFlags(&found, cudaEventDisableTiming),
                 "cudaEventCreateWithFlags"}) {
    return result;
  }
  event = found;
  return {cudaEventRecord(event, stream), "cudaEventRecord"};
}

CudaResult Progress::begin(std::vector<Step> steps, bool waits,
                           bool isRecording, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isRecording) {
    if (!recorded)
      recorded = steps.front();
    recorded->numRecorded += static_cast<int64_t>(steps.size());
    return {};
  }
  return add(std::move(steps), waits, stream);
}

std::vector<Step> Progress::getFinished() {
  std::lock_guard<std::mutex> lock(mutex);
  return finished;
}

CudaResult Progress::add(std::vector<Step> steps, bool waits,
                         cudaStream_t stream) {
  // Whoever looks removes them, but not as often as some programs add.
  constexpr size_t many = 256;
  if (entries.size() >= many)
    if (CudaResult result{removeFinished(), "cudaEventQuery"})
      return result;
  if (entries.empty())
    hasStarted = false;
  entries.emplace_back();
  entries.back().steps = std::move(steps);
  return waits ? record(entries.back().begin, stream) : CudaResult();
}

CudaResult Progress::end(bool isRecording, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isRecording || entries.empty())
    return {};
  return record(entries.back().end, stream);
}

void Progress::forgetRecorded() {
  std::lock_guard<std::mutex> lock(mutex);
  recorded.reset();
}

CudaResult Progress::addRecorded(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  // One that holds no collective waits for nobody.
  if (!recorded)
    return {};
  ++recorded->sequence;
  if (CudaResult result = add({*recorded}, /*waits=*/false, stream))
    return result;
  return record(entries.back().end, stream);
}

void Progress::countFinished(Step step) {
  auto it = std::find_if(finished.begin(), finished.end(), [&](auto &other) {
    return other.group == step.group && other.call.from == step.call.from &&
           other.call.to == step.call.to;
  });
  if (it == finished.end())
    finished.push_back(std::move(step));
  else
    *it = std::move(step);
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
    for (Step &step : entry.steps)
      countFinished(std::move(step));
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
  return Front{entry.steps, hasStarted, since};
}
