//===- Capture.h - Streams recorded into graphs -----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CUDADOUBLE_ENGINE_CAPTURE_H
#define COMM_CUDADOUBLE_ENGINE_CAPTURE_H

#include "Engine/Stream.h"

namespace mlir::comm::cudadouble {

/// The operations of a graph in the order in which they were recorded. Those of
/// one stream make a lane; lane 0 is the stream that the capture began on.
class Capture : public std::enable_shared_from_this<Capture> {
public:
  struct Node {
    size_t lane;
    Operation operation;
    /// Nodes of other lanes that it waits for.
    std::vector<size_t> after;
    /// For each lane, up to where everything is done when it is.
    std::vector<size_t> seen;
  };

  Capture(cudaStreamCaptureMode mode, unsigned thread)
      : mode(mode), thread(thread) {}

  /// Records an operation; the completion is only good for events.
  std::shared_ptr<Completion> record(Stream &stream, Operation operation);
  /// The stream is recorded from now on.
  void join(Stream &stream);
  /// No stream is recorded any more. False if work of some lane has not been
  /// waited for by lane 0.
  bool end();

  std::vector<Node> nodes;
  std::vector<Stream *> lanes;
  bool isBroken = false;
  /// Which threads may not wait for devices nor allocate meanwhile.
  const cudaStreamCaptureMode mode;
  const unsigned thread;

private:
  /// What the last node of each lane has seen.
  std::vector<std::vector<size_t>> seen;
};

/// A graph that can run.
class Executable {
public:
  explicit Executable(std::shared_ptr<Capture> graph)
      : graph(std::move(graph)) {}
  /// Gives all of its operations to streams: lane 0 to `stream`, others to
  /// their own. With the engine's mutex locked.
  void launch(Stream &stream);

private:
  std::shared_ptr<Capture> graph;
  std::vector<Stream *> lanes;
  std::shared_ptr<Completion> lastLaunch;
};

} // namespace mlir::comm::cudadouble

#endif // COMM_CUDADOUBLE_ENGINE_CAPTURE_H
