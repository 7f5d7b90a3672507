//===- Call.h - What every entry point of the runtime does ------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_CUDART_CALL_H
#define COMM_CUDADOUBLE_CUDART_CALL_H

#include "Engine/Capture.h"
#include "Engine/Report.h"

#include <cuda_runtime_api.h>

#include <utility>

namespace mlir::comm::cudadouble {

/// The error of that name; cudaErrorUnknown for others.
cudaError_t getError(const std::string &name);

/// The calling thread's last error.
cudaError_t &getLastError();

/// A call of an entry point, with the engine locked.
struct Call {
  explicit Call(const char *entry)
      : entry(entry), engine(getEngine()), lock(engine.mutex) {}

  const char *entry;
  Engine &engine;
  std::unique_lock<std::mutex> lock;
  /// What it starts is never done.
  bool never = false;

  int device() const { return getCaller().device; }
  Stream *findStream(cudaStream_t handle) {
    return engine.findStream(handle, entry);
  }
  std::shared_ptr<Completion> issue(Stream &stream, Operation operation) {
    operation.entry = entry;
    if (never)
      operation.waits.push_back(std::make_shared<Completion>());
    return engine.issue(stream, std::move(operation));
  }
  /// Whether a capture forbids calls that may wait for a device, and is spoiled
  /// by this one: of its own thread unless it is relaxed, of all threads where
  /// it is global.
  bool isForbidden() {
    bool isForbidden = false;
    for (Capture *capture : engine.captures) {
      bool isOwn = capture->thread == getCaller().number;
      if (capture->mode == cudaStreamCaptureModeGlobal ||
          (isOwn && capture->mode == cudaStreamCaptureModeThreadLocal)) {
        capture->isBroken = true;
        isForbidden = true;
      }
    }
    if (isForbidden)
      report("order", std::string(entry) +
                          ": not while a stream is captured in this mode");
    return isForbidden;
  }
  /// The host waits for a device here.
  void wait(std::shared_ptr<Completion> completion) {
    count("host waits");
    engine.wait(lock, completion);
  }
};

/// Counts the call, lets it fail where that is planned, and runs
/// `cudaError_t body(Call &)`: on a device that has an error only where that is
/// asked for, and then the call returns the device's error.
template <typename Body>
cudaError_t enter(const char *entry, Body body, bool onBrokenDevice = false) {
  count(entry);
  const Caller &caller = getCaller();
  Call call(entry);
  if (call.engine.getNumDevices() == 0)
    return getLastError() = cudaErrorNoDevice;
  std::optional<Injection> injection =
      findInjection(entry, caller.rank, caller.device);
  call.never = injection && injection->how == Injection::How::Never;
  cudaError_t status = call.engine.deviceErrors[caller.device];
  if (injection && injection->how == Injection::How::Return) {
    status = getError(injection->error);
  } else if (status == cudaSuccess || onBrokenDevice) {
    cudaError_t result = body(call);
    if (status == cudaSuccess)
      status = result;
  }
  if (injection && injection->how == Injection::How::Async)
    call.engine.deviceErrors[caller.device] = getError(injection->error);
  if (status != cudaSuccess && status != cudaErrorNotReady)
    getLastError() = status;
  return status;
}

/// A call that gives something back.
template <typename Body>
cudaError_t enterRelease(const char *entry, Body body) {
  return enter(entry, body, /*onBrokenDevice=*/true);
}

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_CUDART_CALL_H
