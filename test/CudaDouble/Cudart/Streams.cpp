//===- Streams.cpp - Streams and events -----------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

using namespace mlir::comm::cudadouble;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *handle,
                                      unsigned int flags) {
  return enter("cudaStreamCreateWithFlags", [&](Call &call) {
    if (!handle || flags > cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    Stream *stream = call.engine.createStream(call.device(), flags);
    call.engine.liveStreams.insert(stream);
    *handle = reinterpret_cast<cudaStream_t>(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *handle,
                                         unsigned int flags, int) {
  return cudaStreamCreateWithFlags(handle, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return enter("cudaDeviceGetStreamPriorityRange", [&](Call &) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return enterRelease("cudaStreamDestroy", [&](Call &call) {
    if (!handle)
      return cudaErrorInvalidResourceHandle;
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    call.engine.liveStreams.erase(stream);
    stream->close();
    return cudaSuccess;
  });
}

/// A stream that is captured cannot be asked; asking spoils the capture.
static bool isCaptured(Stream &stream) {
  if (!stream.capture)
    return false;
  stream.capture->isBroken = true;
  return true;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return enter("cudaStreamSynchronize", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (isCaptured(*stream))
      return cudaErrorStreamCaptureUnsupported;
    int device = stream->device;
    call.wait(stream->last);
    return call.engine.deviceErrors[device];
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return enter("cudaStreamQuery", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (isCaptured(*stream))
      return cudaErrorStreamCaptureUnsupported;
    if (!stream->last)
      return cudaSuccess;
    if (!stream->last->done)
      return cudaErrorNotReady;
    call.engine.see(*stream->last);
    return call.engine.deviceErrors[stream->device];
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t eventHandle,
                                unsigned int flags) {
  return enter("cudaStreamWaitEvent", [&](Call &call) {
    Stream *stream = call.findStream(handle);
    Event *event = call.engine.findEvent(eventHandle, call.entry);
    if (!stream || !event)
      return cudaErrorInvalidResourceHandle;
    if (flags)
      return cudaErrorInvalidValue;
    // An event that has recorded nothing is done.
    if (!event->record)
      return cudaSuccess;
    std::shared_ptr<Capture> capture = event->record->capture;
    if (capture && !stream->capture) {
      if (capture->lanes.front()->capture != capture) {
        report("order", "cudaStreamWaitEvent: the event was recorded in a "
                        "capture that has ended");
        return cudaErrorStreamCaptureUnmatched;
      }
      capture->join(*stream);
    }
    Operation operation;
    operation.waits.push_back(event->record);
    call.issue(*stream, std::move(operation));
    if (stream->capture && stream->capture->isBroken)
      return cudaErrorStreamCaptureIsolation;
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *handle, unsigned int flags) {
  return enter("cudaEventCreateWithFlags", [&](Call &call) {
    if (!handle)
      return cudaErrorInvalidValue;
    auto *event =
        new Event{call.device(), !(flags & cudaEventDisableTiming), nullptr};
    call.engine.liveEvents.insert(event);
    *handle = reinterpret_cast<cudaEvent_t>(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t *handle) {
  return cudaEventCreateWithFlags(handle, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t eventHandle, cudaStream_t handle) {
  return enter("cudaEventRecord", [&](Call &call) {
    Stream *stream = call.findStream(handle);
    Event *event = call.engine.findEvent(eventHandle, call.entry);
    if (!stream || !event)
      return cudaErrorInvalidResourceHandle;
    if (event->device != stream->device) {
      report("handle", "cudaEventRecord: the event is of device " +
                           std::to_string(event->device) +
                           ", the stream of device " +
                           std::to_string(stream->device));
      return cudaErrorInvalidResourceHandle;
    }
    event->record = call.issue(*stream, Operation());
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned int) {
  return cudaEventRecord(event, stream);
}

/// The error of asking the host's side of an event; cudaSuccess where it has
/// something to wait for or nothing at all.
static cudaError_t checkAsked(Call &call, cudaEvent_t handle, Event *&event) {
  event = call.engine.findEvent(handle, call.entry);
  if (!event)
    return cudaErrorInvalidResourceHandle;
  if (event->record && event->record->capture) {
    event->record->capture->isBroken = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return enter("cudaEventQuery", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    Event *event;
    if (cudaError_t error = checkAsked(call, handle, event))
      return error;
    if (!event->record)
      return cudaSuccess;
    if (!event->record->done)
      return cudaErrorNotReady;
    call.engine.see(*event->record);
    return call.engine.deviceErrors[event->device];
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return enter("cudaEventSynchronize", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    Event *event;
    if (cudaError_t error = checkAsked(call, handle, event))
      return error;
    int device = event->device;
    call.wait(event->record);
    return call.engine.deviceErrors[device];
  });
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t startHandle,
                                 cudaEvent_t endHandle) {
  return enter("cudaEventElapsedTime", [&](Call &call) {
    Event *start = call.engine.findEvent(startHandle, call.entry);
    Event *end = call.engine.findEvent(endHandle, call.entry);
    if (!start || !end || !start->timed || !end->timed || !start->record ||
        !end->record)
      return cudaErrorInvalidResourceHandle;
    if (!start->record->done || !end->record->done)
      return cudaErrorNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(
                        end->record->time - start->record->time)
                        .count();
    return cudaSuccess;
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return enterRelease("cudaEventDestroy", [&](Call &call) {
    Event *event = call.engine.findEvent(handle, call.entry);
    if (!event)
      return cudaErrorInvalidResourceHandle;
    call.engine.liveEvents.erase(event);
    delete event;
    return cudaSuccess;
  });
}
