//===- NcclReductions.cpp - Collectives that compute ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NCCL reduces what it has a type and an operator for, and most is of this
// kind. The rest, which gives the same values as the other backends:
//   avg         divided before the sum: after it, an f16 would overflow
//   max, min    of floats: of keys, as NCCL's own lose a NaN (NumberKernels.h)
//   and, or, xor of integers, i16, xor of i1: what all members have is moved to
//               whoever wants the result, and reduced there
//
//===----------------------------------------------------------------------===//

#include "Cuda/DeviceReduction.h"
#include "Cuda/DeviceReductionBuffers.h"
#include "NcclCommunicator.h"
#include "NumberKernels.h"
#include "OlderNccl.h"
#include "Scratch.h"
#include "comm/Runtime/ElementTypes.h"

#include <algorithm>

using namespace mlir::comm::runtime;

namespace {
/// How a reduction is made.
enum class Way { Native, Divided, Keys, Chunks };

struct Plan {
  Way way;
  ncclDataType_t type;
  ncclRedOp_t op;
  /// Of the elements that NCCL reduces.
  int64_t elementBytes;

  bool needsScratch(bool mayUseResult) const {
    return way == Way::Keys || way == Way::Chunks ||
           (way == Way::Divided && !mayUseResult);
  }
};
} // namespace

static ncclRedOp_t getOp(CommReduction reduction) {
  switch (reduction) {
  case COMM_PROD:
    return ncclProd;
  case COMM_MAX:
  case COMM_OR:
    return ncclMax;
  case COMM_MIN:
  case COMM_AND:
    return ncclMin;
  default:
    return ncclSum;
  }
}

static Plan makePlan(const Call &call) {
  CommDataType type = call.getType();
  CommReduction reduction = call.getReduction();
  bool isMost = reduction == COMM_MAX || reduction == COMM_MIN;
  Plan plan{Way::Native, getMoved(type).type, getOp(reduction),
            getByteSize(type)};
  if (isFloat(type)) {
    if (reduction == COMM_AVG)
      plan.way = Way::Divided;
    if (isMost)
      plan = {Way::Keys, getMoved(getKeyType(type)).type, plan.op,
              getByteSize(getKeyType(type))};
  } else if (type == COMM_I1) {
    // Of bytes that are 0 or 1, the least is `and`, the greatest is `or`.
    if (reduction == COMM_XOR)
      plan.way = Way::Chunks;
  } else if (type == COMM_I16 || reduction == COMM_AND ||
             reduction == COMM_OR || reduction == COMM_XOR) {
    plan.way = Way::Chunks;
  }
  return plan;
}

Status NcclCommunicator::reduceChunks(const Call &call, void *chunks,
                                      void *out) {
  int64_t n = getGroup().size(), bytes = call.getBytes();
  auto getChunk = [&](int64_t i) {
    return static_cast<char *>(chunks) + i * bytes;
  };
  // One kernel takes only so many: what comes out of it is the first of the
  // next.
  for (int64_t first = 0; first == 0 || first < n - 1;) {
    int64_t last = std::min<int64_t>(n, first + maxReductionBuffers);
    DeviceReduction reduction;
    for (int64_t i = first; i < last; ++i)
      reduction.inputs.push_back(getChunk(i));
    reduction.outs = {last == n ? out : getChunk(last - 1)};
    reduction.count = call.count;
    if (Status status = enqueueReduction(context, call, reduction, getStream()))
      return status;
    if (last == n)
      break;
    first = last - 1;
  }
  return COMM_SUCCESS;
}

Status NcclCommunicator::allReduce(const Call &call) {
  Plan plan = makePlan(call);
  int64_t n = getGroup().size();
  int64_t chunks = plan.way == Way::Chunks ? n : 1;
  Scratch scratch(context, call,
                  plan.needsScratch(/*mayUseResult=*/true)
                      ? chunks * call.count * plan.elementBytes
                      : 0);
  const void *send = call.send;
  void *recv = call.recv;
  return run(call, call.count, [&]() -> Status {
    Status status = COMM_SUCCESS;
    switch (plan.way) {
    case Way::Native:
      break;
    case Way::Divided:
      status = enqueueDivision(context, call, send, recv, call.count, n);
      send = recv;
      break;
    case Way::Keys:
      status = enqueueKeys(context, call, send, scratch.get(), call.count);
      send = recv = scratch.get();
      break;
    case Way::Chunks: {
      Moved moved = getMoved(call.getType());
      status = issue(call, "ncclAllGather", [&] {
        return ncclAllGather(send, scratch.get(), call.count * moved.factor,
                             moved.type, comm, getStream());
      });
      return status ? status : reduceChunks(call, scratch.get(), recv);
    }
    }
    if (!status)
      status = issue(call, "ncclAllReduce", [&] {
        return ncclAllReduce(send, recv, call.count, plan.type, plan.op, comm,
                             getStream());
      });
    if (!status && plan.way == Way::Keys)
      status = enqueueFromKeys(context, call, recv, call.recv, call.count);
    return status;
  });
}

Status NcclCommunicator::reduceScatter(const Call &call) {
  Plan plan = makePlan(call);
  int64_t n = getGroup().size(), all = n * call.count;
  Scratch scratch(
      context, call,
      plan.needsScratch(/*mayUseResult=*/false) ? all * plan.elementBytes : 0);
  const void *send = call.send;
  void *recv = call.recv;
  return run(call, call.count, [&]() -> Status {
    Status status = COMM_SUCCESS;
    switch (plan.way) {
    case Way::Native:
      break;
    case Way::Divided:
      status = enqueueDivision(context, call, send, scratch.get(), all, n);
      send = scratch.get();
      break;
    case Way::Keys:
      status = enqueueKeys(context, call, send, scratch.get(), all);
      send = scratch.get();
      // In place, for NCCL, is the rank's own chunk.
      recv = static_cast<char *>(scratch.get()) +
             getGroup().index * call.count * plan.elementBytes;
      break;
    case Way::Chunks: {
      Moved moved = getMoved(call.getType());
      status = issue(call, "ncclAlltoAll", [&] {
        return ncclAlltoAll(send, scratch.get(), call.count * moved.factor,
                            moved.type, comm, getStream());
      });
      return status ? status : reduceChunks(call, scratch.get(), recv);
    }
    }
    if (!status)
      status = issue(call, "ncclReduceScatter", [&] {
        return ncclReduceScatter(send, recv, call.count, plan.type, plan.op,
                                 comm, getStream());
      });
    if (!status && plan.way == Way::Keys)
      status = enqueueFromKeys(context, call, recv, call.recv, call.count);
    return status;
  });
}

Status NcclCommunicator::reduce(const Call &call) {
  Plan plan = makePlan(call);
  int64_t n = getGroup().size();
  int root = static_cast<int>(*call.root);
  // Only the root has what all others have.
  int64_t chunks = plan.way != Way::Chunks ? 1 : isRoot(call) ? n : 0;
  Scratch scratch(context, call,
                  plan.needsScratch(/*mayUseResult=*/true)
                      ? chunks * call.count * plan.elementBytes
                      : 0);
  const void *send = call.send;
  void *recv = call.recv;
  auto enqueue = [&]() -> Status {
    Status status = COMM_SUCCESS;
    switch (plan.way) {
    case Way::Native:
      break;
    case Way::Divided:
      status = enqueueDivision(context, call, send, recv, call.count, n);
      send = recv;
      break;
    case Way::Keys:
      status = enqueueKeys(context, call, send, scratch.get(), call.count);
      send = recv = scratch.get();
      break;
    case Way::Chunks: {
      Moved moved = getMoved(call.getType());
      status = issue(call, "ncclGather", [&] {
        return ncclGather(send, scratch.get(), call.count * moved.factor,
                          moved.type, root, comm, getStream());
      });
      if (!status && isRoot(call))
        status = reduceChunks(call, scratch.get(), recv);
      return status;
    }
    }
    if (!status)
      status = issue(call, "ncclReduce", [&] {
        return ncclReduce(send, recv, call.count, plan.type, plan.op, root,
                          comm, getStream());
      });
    if (!status && plan.way == Way::Keys && isRoot(call))
      status = enqueueFromKeys(context, call, recv, call.recv, call.count);
    return status;
  };
  return run(call, call.count, [&] {
    Status status = enqueue();
    // Afterwards: `recv` may be the buffer that was sent.
    if (!status && !isRoot(call))
      status = fillZeros(call.site, call.recv, call.getBytes());
    return status;
  });
}
