//===- Communicator.cpp - Groups, calls, collectives from transfers -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Communicator.h"

#include "comm/Runtime/ElementTypes.h"

#include <cstring>

using namespace mlir::comm::runtime;

int64_t mlir::comm::runtime::getNumRanks(const Mesh &mesh) {
  int64_t result = 1;
  for (const MeshAxis &axis : mesh)
    result *= axis.size;
  return result;
}

Group mlir::comm::runtime::getGroup(const Mesh &mesh,
                                    const std::vector<int64_t> &axes,
                                    int64_t rank) {
  // How far apart in the world two neighbours along an axis are.
  std::vector<int64_t> strides(mesh.size());
  int64_t stride = 1;
  for (size_t i = mesh.size(); i-- > 0; stride *= mesh[i].size)
    strides[i] = stride;

  Group group;
  group.axes = axes;
  group.axisNames = "[";
  group.index = 0;
  group.ranks = {rank};
  for (size_t i = 0; i < axes.size(); ++i) {
    const MeshAxis &axis = mesh[axes[i]];
    int64_t stride = strides[axes[i]];
    int64_t coordinate = rank / stride % axis.size;
    group.axisNames += (i ? ", \"" : "\"") + axis.name + "\"";
    group.index = group.index * axis.size + coordinate;
    std::vector<int64_t> ranks;
    for (int64_t base : group.ranks)
      for (int64_t k = 0; k < axis.size; ++k)
        ranks.push_back(base + (k - coordinate) * stride);
    group.ranks = std::move(ranks);
  }
  group.axisNames += "]";
  return group;
}

bool Call::isSend() const { return std::strcmp(op, "comm.send") == 0; }

int64_t Call::getBytes() const { return count * getByteSize(getType()); }

std::string Call::describe() const { return runtime::describe(op, site); }

std::string mlir::comm::runtime::describe(const char *op,
                                          const CommSite *site) {
  std::string result = op;
  // What has none, such as an argument.
  if (site && !site->file)
    return result;
  if (!site || !*site->file)
    return result + " at an unknown location";
  result += std::string(" at ") + site->file;
  if (site->line > 0)
    result += ":" + std::to_string(site->line);
  return result;
}

Communicator::~Communicator() = default;

Status Communicator::fillZeros(void *buffer, int64_t bytes) {
  if (bytes)
    std::memset(buffer, 0, bytes);
  return COMM_SUCCESS;
}

/// The chunk `index` of a buffer of chunks of `call.count` elements. A sent
/// buffer is not written although Transfer, which serves both directions,
/// forgets that it is constant.
static void *getChunk(const Call &call, const void *buffer, int64_t index) {
  return static_cast<char *>(const_cast<void *>(buffer)) +
         index * call.getBytes();
}

Status Communicator::allGather(const Call &call) {
  std::vector<Transfer> sends, recvs;
  for (int64_t peer = 0; peer < group.size(); ++peer) {
    sends.push_back({peer, getChunk(call, call.send, 0)});
    recvs.push_back({peer, getChunk(call, call.recv, peer)});
  }
  return exchange(call, sends, recvs);
}

Status Communicator::allToAll(const Call &call) {
  std::vector<Transfer> sends, recvs;
  for (int64_t peer = 0; peer < group.size(); ++peer) {
    sends.push_back({peer, getChunk(call, call.send, peer)});
    recvs.push_back({peer, getChunk(call, call.recv, peer)});
  }
  return exchange(call, sends, recvs);
}

Status Communicator::permute(const Call &call) {
  std::vector<Transfer> sends, recvs;
  for (int64_t i = 0; i < *call.numPairs; ++i) {
    int64_t source = call.pairs[2 * i], target = call.pairs[2 * i + 1];
    if (source == group.index)
      sends.push_back({target, getChunk(call, call.send, 0)});
    if (target == group.index)
      recvs.push_back({source, call.recv});
  }
  Status status = exchange(call, sends, recvs);
  // Afterwards: `recv` may be the buffer that was sent.
  if (status == COMM_SUCCESS && recvs.empty())
    status = fillZeros(call.recv, call.getBytes());
  return status;
}

Status Communicator::broadcast(const Call &call) {
  std::vector<Transfer> sends;
  if (group.index == *call.root)
    for (int64_t peer = 0; peer < group.size(); ++peer)
      sends.push_back({peer, getChunk(call, call.send, 0)});
  return exchange(call, sends, {{*call.root, call.recv}});
}

Status Communicator::gather(const Call &call) {
  std::vector<Transfer> recvs;
  if (group.index == *call.root)
    for (int64_t peer = 0; peer < group.size(); ++peer)
      recvs.push_back({peer, getChunk(call, call.recv, peer)});
  Status status =
      exchange(call, {{*call.root, getChunk(call, call.send, 0)}}, recvs);
  if (status == COMM_SUCCESS && recvs.empty())
    status = fillZeros(call.recv, group.size() * call.getBytes());
  return status;
}

Status Communicator::scatter(const Call &call) {
  std::vector<Transfer> sends;
  if (group.index == *call.root)
    for (int64_t peer = 0; peer < group.size(); ++peer)
      sends.push_back({peer, getChunk(call, call.send, peer)});
  return exchange(call, sends, {{*call.root, call.recv}});
}
