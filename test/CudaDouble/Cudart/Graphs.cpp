//===- Graphs.cpp - Streams are captured and graphs are run ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

using namespace mlir::comm::cudadouble;

namespace {

/// What a cudaGraph_t is.
struct Graph {
  std::shared_ptr<Capture> capture;
};

std::set<Graph *> liveGraphs;
std::set<Executable *> liveExecutables;

} // namespace

template <typename T, typename Handle>
static T *findGraph(const std::set<T *> &live, Handle handle,
                    const char *entry) {
  auto *graph = reinterpret_cast<T *>(handle);
  if (live.count(graph))
    return graph;
  report("handle", std::string(entry) + ": the graph is not alive");
  return nullptr;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle,
                                   cudaStreamCaptureMode mode) {
  return enter("cudaStreamBeginCapture", [&](Call &call) {
    // The default stream cannot be captured.
    Stream *stream = handle ? call.findStream(handle) : nullptr;
    if (!stream)
      return handle ? cudaErrorInvalidResourceHandle
                    : cudaErrorStreamCaptureUnsupported;
    if (stream->capture)
      return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>(mode, getCaller().number);
    capture->join(*stream);
    call.engine.captures.insert(capture.get());
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  return enter("cudaStreamEndCapture", [&](Call &call) {
    *graph = nullptr;
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    std::shared_ptr<Capture> capture = stream->capture;
    if (!capture)
      return cudaErrorIllegalState;
    if (stream->lane)
      return cudaErrorStreamCaptureUnmatched;
    bool joined = capture->end();
    if (capture->isBroken)
      return cudaErrorStreamCaptureInvalidated;
    if (!joined) {
      report("order", "cudaStreamEndCapture: work of another stream has not "
                      "been waited for");
      return cudaErrorStreamCaptureUnjoined;
    }
    auto *created = new Graph{capture};
    liveGraphs.insert(created);
    *graph = reinterpret_cast<cudaGraph_t>(created);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                  cudaStreamCaptureStatus *status) {
  return enter("cudaStreamIsCapturing", [&](Call &call) {
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    *status = !stream->capture            ? cudaStreamCaptureStatusNone
              : stream->capture->isBroken ? cudaStreamCaptureStatusInvalidated
                                          : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long) {
  return enter("cudaGraphInstantiate", [&](Call &call) {
    Graph *found = findGraph(liveGraphs, graph, call.entry);
    if (!found)
      return cudaErrorInvalidValue;
    auto *created = new Executable(found->capture);
    liveExecutables.insert(created);
    *executable = reinterpret_cast<cudaGraphExec_t>(created);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return enter("cudaGraphLaunch", [&](Call &call) {
    Executable *found = findGraph(liveExecutables, executable, call.entry);
    Stream *stream = call.findStream(handle);
    if (!found || !stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
      report("handle", "cudaGraphLaunch: the double has no graphs in graphs");
      return cudaErrorStreamCaptureUnsupported;
    }
    found->launch(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return enterRelease("cudaGraphDestroy", [&](Call &call) {
    Graph *found = findGraph(liveGraphs, graph, call.entry);
    if (!found)
      return cudaErrorInvalidValue;
    liveGraphs.erase(found);
    delete found;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return enterRelease("cudaGraphExecDestroy", [&](Call &call) {
    Executable *found = findGraph(liveExecutables, executable, call.entry);
    if (!found)
      return cudaErrorInvalidValue;
    liveExecutables.erase(found);
    delete found;
    return cudaSuccess;
  });
}
