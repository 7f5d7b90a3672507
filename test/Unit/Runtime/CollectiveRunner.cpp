//===- CollectiveRunner.cpp - Calls a collective, checks it ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveRunner.h"

using namespace mlir::comm::runtime;

Values CollectiveRunner::expect(const Request &request,
                                const Inputs &inputs) const {
  int64_t index = model.index;
  bool isRoot = index == request.root;
  switch (request.op) {
  case Op::Barrier:
    return inputs[index];
  case Op::AllReduce:
    return modelReduce(inputs, request.reduction);
  case Op::AllGather:
    return modelGather(inputs);
  case Op::ReduceScatter:
    return chunk(modelReduce(inputs, request.reduction), index, request.count);
  case Op::AllToAll:
    return modelAllToAll(inputs, index, request.count);
  case Op::Permute:
    return modelPermute(inputs, request.pairs, index);
  case Op::Broadcast:
    return inputs[request.root];
  case Op::Reduce:
    return isRoot ? modelReduce(inputs, request.reduction)
                  : Values(request.count);
  case Op::Gather:
    return isRoot ? modelGather(inputs) : Values(request.count * size());
  case Op::Scatter:
    return chunk(inputs[request.root], index, request.count);
  case Op::Message:
    return index == request.to ? inputs[request.from] : Values(request.count);
  }
  return {};
}

Status CollectiveRunner::call(const Request &request, const void *send,
                              void *recv) {
  static const CommSite site = siteAt("comm.test", 1);
  auto *context = rank.context;
  int64_t count = request.count;
  auto make = [&]() -> int32_t {
    switch (request.op) {
    case Op::Barrier:
      return commBarrier(context, group, &site);
    case Op::AllReduce:
      return commAllReduce(context, group, send, recv, count, request.type,
                           request.reduction, &site);
    case Op::AllGather:
      return commAllGather(context, group, send, recv, count, request.type,
                           &site);
    case Op::ReduceScatter:
      return commReduceScatter(context, group, send, recv, count, request.type,
                               request.reduction, &site);
    case Op::AllToAll:
      return commAllToAll(context, group, send, recv, count, request.type,
                          &site);
    case Op::Permute:
      return commPermute(context, group, send, recv, count, request.type,
                         request.pairs.data(), request.pairs.size() / 2, &site);
    case Op::Broadcast:
      return commBroadcast(context, group, send, recv, count, request.type,
                           request.root, &site);
    case Op::Reduce:
      return commReduce(context, group, send, recv, count, request.type,
                        request.reduction, request.root, &site);
    case Op::Gather:
      return commGather(context, group, send, recv, count, request.type,
                        request.root, &site);
    case Op::Scatter:
      return commScatter(context, group, send, recv, count, request.type,
                         request.root, &site);
    case Op::Message:
      if (int32_t status = commSend(context, group, send, count, request.type,
                                    request.from, request.to, &site))
        return status;
      return commRecv(context, group, recv, count, request.type, request.from,
                      request.to, &site);
    }
    return COMM_INVALID;
  };
  return static_cast<Status>(make());
}

void CollectiveRunner::check(const Request &request) {
  ++salt;
  int64_t chunks = sendsChunks(request.op) ? size() : 1;
  Inputs inputs;
  for (int64_t member : model.ranks)
    inputs.push_back(
        makeInput(request.type, member, request.count * chunks, salt));
  Values expected = expect(request, inputs);

  std::vector<char> before = encode(request.type, inputs[model.index]);
  Buffer sent(rank.context, before);
  Buffer received(
      rank.context,
      std::vector<char>(expected.size() * getByteSize(request.type), 0x55));
  bool inPlace = request.inPlace && sent.size() == received.size();
  Buffer &result = inPlace || request.op == Op::Barrier ? sent : received;
  ASSERT_EQ(COMM_SUCCESS, call(request, sent.data(), result.data()));
  EXPECT_EQ(expected, decode(request.type, result.read()))
      << "op " << static_cast<int>(request.op) << " " << getName(request.type)
      << " count " << request.count << " " << getName(request.reduction)
      << " root " << request.root << " rank " << rank.rank << " of a group of "
      << size();
  if (!inPlace) {
    EXPECT_EQ(before, sent.read()) << "a sent buffer was written";
  }
}
