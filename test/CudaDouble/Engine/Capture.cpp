//===- Capture.cpp - Streams recorded into graphs -------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Capture.h"
#include "Engine/Report.h"

using namespace mlir::comm::cudadouble;

static void join(std::vector<size_t> &seen, const std::vector<size_t> &other) {
  if (seen.size() < other.size())
    seen.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i)
    seen[i] = std::max(seen[i], other[i]);
}

void Capture::join(Stream &stream) {
  stream.lane = lanes.size();
  stream.capture = shared_from_this();
  lanes.push_back(&stream);
  seen.emplace_back();
}

std::shared_ptr<Completion> Capture::record(Stream &stream,
                                            Operation operation) {
  Node node{stream.lane, std::move(operation), {}, seen[stream.lane]};
  for (const auto &wait : node.operation.waits) {
    if (wait->capture.get() == this) {
      node.after.push_back(wait->node);
      ::join(node.seen, nodes[wait->node].seen);
    } else {
      report("order", std::string(node.operation.entry) +
                          ": a stream that is captured waits for work that is "
                          "not part of the capture");
      isBroken = true;
    }
  }
  node.operation.waits.clear();
  node.seen.resize(std::max(node.seen.size(), stream.lane + 1));
  node.seen[stream.lane] = nodes.size() + 1;
  seen[stream.lane] = node.seen;
  nodes.push_back(std::move(node));
  auto completion = std::make_shared<Completion>();
  completion->capture = shared_from_this();
  completion->node = nodes.size() - 1;
  completion->device = stream.device;
  return completion;
}

bool Capture::end() {
  getEngine().captures.erase(this);
  bool joined = true;
  seen[0].resize(lanes.size());
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    size_t last = lane < seen[lane].size() ? seen[lane][lane] : 0;
    if (seen[0][lane] < last)
      joined = false;
    lanes[lane]->capture = nullptr;
  }
  return joined;
}

void Executable::launch(Stream &stream) {
  Engine &engine = getEngine();
  while (lanes.size() < graph->lanes.size())
    lanes.push_back(engine.createStream(graph->lanes[lanes.size()]->device,
                                        cudaStreamNonBlocking));
  Operation begin{"cudaGraphLaunch", {}, {}, {}, {}, {}, {}, {}, {}};
  // One launch of a graph after the other.
  if (lastLaunch)
    begin.waits.push_back(lastLaunch);
  std::shared_ptr<Completion> begun = engine.issue(stream, std::move(begin));
  std::vector<std::shared_ptr<Completion>> done;
  std::vector<bool> started(lanes.size());
  for (const Capture::Node &node : graph->nodes) {
    Operation operation = node.operation;
    if (node.lane && !started[node.lane])
      operation.waits.push_back(begun);
    started[node.lane] = true;
    for (size_t after : node.after)
      operation.waits.push_back(done[after]);
    Stream &lane = node.lane ? *lanes[node.lane] : stream;
    done.push_back(engine.issue(lane, std::move(operation)));
  }
  Operation end{"cudaGraphLaunch", {}, {}, {}, {}, {}, {}, {}, {}};
  for (const auto &completion : done)
    end.waits.push_back(completion);
  lastLaunch = engine.issue(stream, std::move(end));
}
