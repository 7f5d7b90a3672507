//===- Stream.cpp - Streams, events and what runs on them -----------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Stream.h"
#include "Engine/Capture.h"
#include "Engine/Report.h"

#include <random>

using namespace mlir::comm::cudadouble;

Stream::Stream(unsigned number, int device, unsigned flags)
    : number(number), device(device), flags(flags) {
  std::thread([this] { work(); }).detach();
}

void Stream::push(Operation operation) {
  queue.push_back(std::move(operation));
  pushed.notify_one();
}

void Stream::close() {
  closing = true;
  pushed.notify_one();
}

void Stream::work() {
  Engine &engine = getEngine();
  static const uint64_t delay = getNumber("COMM_DOUBLE_DELAY", 0);
  std::minstd_rand random(number + 1);
  std::unique_lock<std::mutex> lock(engine.mutex);
  while (true) {
    pushed.wait(lock, [&] { return !queue.empty() || closing; });
    if (queue.empty())
      return;
    Operation operation = std::move(queue.front());
    queue.pop_front();
    for (const auto &wait : operation.waits)
      engine.changed.wait(lock, [&] { return wait->done; });
    if (delay) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(random() % delay));
      lock.lock();
    }
    for (const Access &access : operation.accesses)
      operation.memory.push_back(
          engine.memory.use(access.address, access.bytes, access.write,
                            operation.moment, operation.clock()));
    if (operation.run) {
      lock.unlock();
      operation.run(operation);
      lock.lock();
    }
    operation.completion->done = true;
    operation.completion->time = std::chrono::steady_clock::now();
    engine.changed.notify_all();
  }
}

static uint64_t reportLeaks() {
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  uint64_t number = engine.memory.reportLeaks();
  // In the order of their numbers.
  for (const auto &stream : engine.streams)
    if (engine.liveStreams.count(stream.get()))
      report("leak", "stream " + std::to_string(stream->number) +
                         " of device " + std::to_string(stream->device) +
                         " is not destroyed");
  if (!engine.liveEvents.empty())
    report("leak", std::to_string(engine.liveEvents.size()) +
                       " events are not destroyed");
  return number + engine.liveStreams.size() + engine.liveEvents.size();
}

/// Never destroyed: its threads end with the process.
Engine &mlir::comm::cudadouble::getEngine() {
  static Engine *engine = [] {
    auto *created = new Engine();
    size_t numDevices = getNumber("COMM_DOUBLE_DEVICES", 4);
    created->deviceErrors.resize(numDevices);
    created->defaultStreams.resize(numDevices);
    addLeakCheck(reportLeaks);
    return created;
  }();
  return *engine;
}

Stream *Engine::createStream(int device, unsigned flags) {
  streams.push_back(std::make_unique<Stream>(
      static_cast<unsigned>(streams.size()), device, flags));
  return streams.back().get();
}

Stream *Engine::findStream(cudaStream_t handle, const char *entry) {
  if (!handle || handle == cudaStreamLegacy) {
    int device = getCaller().device;
    if (device >= getNumDevices())
      return nullptr;
    if (!defaultStreams[device])
      defaultStreams[device] = createStream(device, cudaStreamDefault);
    return defaultStreams[device];
  }
  auto *stream = reinterpret_cast<Stream *>(handle);
  if (liveStreams.count(stream))
    return stream;
  report("handle", std::string(entry) + ": the stream is not alive");
  return nullptr;
}

Event *Engine::findEvent(cudaEvent_t handle, const char *entry) {
  auto *event = reinterpret_cast<Event *>(handle);
  if (liveEvents.count(event))
    return event;
  report("handle", std::string(entry) + ": the event is not alive");
  return nullptr;
}

/// The default stream and the streams that are not non-blocking wait for one
/// another.
static void waitForDefault(Engine &engine, Stream &stream,
                           Operation &operation) {
  Stream *shared = engine.defaultStreams[stream.device];
  if (!shared || (stream.flags & cudaStreamNonBlocking))
    return;
  if (&stream != shared) {
    if (shared->last)
      operation.waits.push_back(shared->last);
    return;
  }
  for (Stream *other : engine.liveStreams)
    if (other->device == stream.device && other->last &&
        !(other->flags & cudaStreamNonBlocking))
      operation.waits.push_back(other->last);
}

std::shared_ptr<Completion> Engine::issue(Stream &stream, Operation operation) {
  if (stream.capture)
    return stream.capture->record(stream, std::move(operation));
  if (operation.issue)
    operation.issue(operation);
  waitForDefault(*this, stream, operation);
  stream.clock.join(host);
  for (const auto &wait : operation.waits)
    stream.clock.join(wait->clock);
  stream.clock.set(stream.number, ++stream.tick);
  const Caller &caller = getCaller();
  operation.moment = {stream.number, stream.tick,
                      std::make_shared<Origin>(Origin{
                          operation.entry, ++numOperations, stream.number,
                          stream.device, caller.number, caller.rank})};
  operation.completion = std::make_shared<Completion>();
  operation.completion->clock = stream.clock;
  operation.completion->device = stream.device;
  stream.last = operation.completion;
  if (operation.issued)
    operation.issued(operation);
  auto completion = operation.completion;
  stream.push(std::move(operation));
  return completion;
}

void Engine::wait(std::unique_lock<std::mutex> &lock,
                  const std::shared_ptr<Completion> &completion) {
  if (!completion)
    return;
  changed.wait(lock, [&] { return completion->done; });
  see(*completion);
}
