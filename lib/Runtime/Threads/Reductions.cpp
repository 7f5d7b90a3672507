//===- Reductions.cpp - Collectives of threads that compute ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Reduction.h"
#include "ThreadCommunicator.h"
#include "comm/Runtime/ElementTypes.h"

using namespace mlir::comm::runtime;

void ThreadCommunicator::reduceRange(const Call &call, int64_t begin,
                                     int64_t count, bool stream) {
  int64_t offset = begin * getByteSize(call.getType());
  int64_t n = getGroup().size();
  inputs.resize(n);
  for (int64_t i = 0; i < n; ++i)
    inputs[i] = getSent(i) + offset;
  Reduction reduction;
  reduction.inputs = inputs.data();
  reduction.numInputs = n;
  reduction.outs = outs.data();
  reduction.numOuts = static_cast<int64_t>(outs.size());
  reduction.count = count;
  reduction.stream = stream;
  getReducer(call.getType(), call.getReduction())(reduction);
}

Status ThreadCommunicator::allReduce(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  if (Status status = meet(call, bytes, bytes))
    return status;
  // Where meeting costs more than arithmetic, each rank reduces everything.
  if (showsCopies) {
    outs = {call.recv};
    reduceRange(call, 0, call.count, /*stream=*/false);
    part();
    return COMM_SUCCESS;
  }
  // Otherwise each reduces its part, block by block, and writes it to where all
  // want it. In place this is right too: nobody else reads this part of what
  // the ranks send, nor writes it.
  Part own(call.count, getGroup().index, n);
  outs.resize(n);
  for (int64_t i = 0; i < n; ++i)
    outs[i] = getReceived(i) + own.begin * getByteSize(call.getType());
  reduceRange(call, own.begin, own.size, streams(n * bytes));
  part();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::reduceScatter(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  if (Status status = meet(call, n * bytes, n * bytes))
    return status;
  outs = {call.recv};
  reduceRange(call, getGroup().index * call.count, call.count,
              streams(n * bytes));
  part();
  return COMM_SUCCESS;
}

Status ThreadCommunicator::reduce(const Call &call) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  if (Status status = meet(call, bytes, bytes))
    return status;
  bool isRoot = getGroup().index == *call.root;
  if (showsCopies) {
    outs = {call.recv};
    if (isRoot)
      reduceRange(call, 0, call.count, /*stream=*/false);
  } else {
    // Each rank reduces its part straight into the root's buffer.
    Part own(call.count, getGroup().index, n);
    outs = {getReceived(*call.root) + own.begin * getByteSize(call.getType())};
    reduceRange(call, own.begin, own.size, streams(bytes));
  }
  part();
  // Not before: `recv` may be `send`, which the others were reading.
  return isRoot ? COMM_SUCCESS : fillZeros(call.recv, bytes);
}
