//===- CudaStep.cpp - A step as a CUDA graph ------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaStep.h"

#include "CudaContext.h"
#include "Range.h"

using namespace mlir::comm::runtime;

Status CudaStep::run(const std::string &newKey,
                     const std::function<Status()> &step) {
  if (Status status = context.getStatus())
    return status;
  if (newKey != key) {
    forget();
    key = newKey;
    isKnown = false;
    note = refusal;
  }
  if (graph)
    return launch();
  if (!note.empty())
    return step();
  return isKnown ? record(step) : runFirst(step);
}

void CudaStep::forget() {
  if (graph && !context.isAbandoned())
    (void)cudaGraphExecDestroy(graph);
  graph = nullptr;
}

Status CudaStep::runFirst(const std::function<Status()> &step) {
  isKnown = true;
  hasMetHost = false;
  Status status = step();
  if (hasMetHost)
    note = "the step is not recorded: the host reads from the device in it";
  return status;
}

Status CudaStep::meetHost(const CommSite *site) {
  hasMetHost = true;
  if (!streams.isCapturing())
    return COMM_SUCCESS;
  return context.failIn(
      "cudaStreamBeginCapture",
      "the host reads from the device in a step that is being recorded, and "
      "did not when it was called before: run without capture",
      site);
}

Status CudaStep::record(const std::function<Status()> &step) {
  int64_t memoryBefore = context.getNumSystemAllocations();
  if (Status status = context.check(streams.beginCapture(), nullptr))
    return status;
  Status status = step();
  cudaGraph_t captured = nullptr;
  CudaResult result = streams.endCapture(captured);
  bool hasGrown = context.getNumSystemAllocations() != memoryBefore;
  if (status == COMM_SUCCESS && !result && !hasGrown)
    result = {cudaGraphInstantiate(&graph, captured, /*flags=*/0),
              "cudaGraphInstantiate"};
  if (captured)
    (void)cudaGraphDestroy(captured);
  if (status != COMM_SUCCESS)
    return status;
  if (graph)
    return launch();
  // Nothing has been done so far.
  (void)cudaGetLastError();
  note = std::string("the step is not recorded: ") +
         (result ? result.describe()
                 : "it takes more memory when it is called again");
  context.forgetConstantsSince(memoryBefore);
  return step();
}

Status CudaStep::launch() {
  Range range("step");
  if (Status status = context.beginCompute(nullptr))
    return status;
  return context.check(cudaGraphLaunch(graph, context.getComputeStream()),
                       "cudaGraphLaunch", nullptr);
}
