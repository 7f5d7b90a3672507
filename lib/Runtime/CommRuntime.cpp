//===- CommRuntime.cpp - The C functions: unwrap, call, return ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/CommRuntime.h"

#include "comm/Runtime/Communicator.h"

using namespace mlir::comm::runtime;

static Context &unwrap(CommContext *context) {
  return *static_cast<Context *>(context);
}

static Communicator *unwrap(CommCommunicator *communicator) {
  return static_cast<Communicator *>(communicator);
}

static Call makeCall(const char *op, const void *send, void *recv,
                     int64_t count, int32_t type, const CommSite *site) {
  Call call;
  call.op = op;
  call.site = site;
  call.send = send;
  call.recv = recv;
  call.count = count;
  call.type = type;
  return call;
}

CommCommunicator *commCommunicator(CommContext *context, const int64_t *axes,
                                   int64_t n) {
  return unwrap(context).getCommunicator(axes, n);
}

int64_t commAxisIndex(CommContext *, CommCommunicator *communicator) {
  return communicator ? unwrap(communicator)->getGroup().index : 0;
}

int32_t commStatus(CommContext *context) { return unwrap(context).getStatus(); }

int32_t commCheckDivisible(CommContext *context, CommCommunicator *communicator,
                           int64_t size, int64_t dimension,
                           const CommSite *site) {
  return unwrap(context).checkDivisible(unwrap(communicator), size, dimension,
                                        site);
}

int32_t commCheckSize(CommContext *context, int64_t got, int64_t expected,
                      int64_t dimension, const CommSite *site) {
  return unwrap(context).checkSize(got, expected, dimension, site);
}

void *commAllocate(CommContext *context, int64_t bytes) {
  return unwrap(context).allocate(bytes);
}

int32_t commRelease(CommContext *context, void *memory) {
  unwrap(context).release(memory);
  return COMM_SUCCESS;
}

int32_t commFail(CommContext *context, const CommSite *site) {
  return unwrap(context).failAt(site);
}

void *commConstant(CommContext *context, const void *data, int64_t bytes) {
  return unwrap(context).getConstant(data, bytes);
}

int32_t commLaunch(CommContext *context, const CommKernel *kernel,
                   int64_t blocks, int64_t threads, void **arguments,
                   const CommSite *site) {
  return unwrap(context).launch({kernel, blocks, threads, arguments, site});
}

int32_t commCopy(CommContext *context, const void *from, void *to,
                 int64_t bytes, const CommSite *site) {
  return unwrap(context).copy(from, to, bytes, site);
}

int32_t commRead(CommContext *context, const void *from, void *host,
                 int64_t bytes, const CommSite *site) {
  return unwrap(context).read(from, host, bytes, site);
}

int32_t commBarrier(CommContext *context, CommCommunicator *communicator,
                    const CommSite *site) {
  Call call = makeCall("comm.barrier", nullptr, nullptr, 0, COMM_I8, site);
  return unwrap(context).run(unwrap(communicator), &Communicator::barrier,
                             call);
}

int32_t commAllReduce(CommContext *context, CommCommunicator *communicator,
                      const void *send, void *recv, int64_t count, int32_t type,
                      int32_t reduction, const CommSite *site) {
  Call call = makeCall("comm.all_reduce", send, recv, count, type, site);
  call.reduction = reduction;
  return unwrap(context).run(unwrap(communicator), &Communicator::allReduce,
                             call);
}

int32_t commAllGather(CommContext *context, CommCommunicator *communicator,
                      const void *send, void *recv, int64_t count, int32_t type,
                      const CommSite *site) {
  Call call = makeCall("comm.all_gather", send, recv, count, type, site);
  return unwrap(context).run(unwrap(communicator), &Communicator::allGather,
                             call);
}

int32_t commReduceScatter(CommContext *context, CommCommunicator *communicator,
                          const void *send, void *recv, int64_t count,
                          int32_t type, int32_t reduction,
                          const CommSite *site) {
  Call call = makeCall("comm.reduce_scatter", send, recv, count, type, site);
  call.reduction = reduction;
  return unwrap(context).run(unwrap(communicator), &Communicator::reduceScatter,
                             call);
}

int32_t commAllToAll(CommContext *context, CommCommunicator *communicator,
                     const void *send, void *recv, int64_t count, int32_t type,
                     const CommSite *site) {
  Call call = makeCall("comm.all_to_all", send, recv, count, type, site);
  return unwrap(context).run(unwrap(communicator), &Communicator::allToAll,
                             call);
}

int32_t commPermute(CommContext *context, CommCommunicator *communicator,
                    const void *send, void *recv, int64_t count, int32_t type,
                    const int64_t *pairs, int64_t n, const CommSite *site) {
  Call call = makeCall("comm.permute", send, recv, count, type, site);
  call.pairs = pairs;
  call.numPairs = n;
  return unwrap(context).run(unwrap(communicator), &Communicator::permute,
                             call);
}

int32_t commBroadcast(CommContext *context, CommCommunicator *communicator,
                      const void *send, void *recv, int64_t count, int32_t type,
                      int64_t root, const CommSite *site) {
  Call call = makeCall("comm.broadcast", send, recv, count, type, site);
  call.root = root;
  return unwrap(context).run(unwrap(communicator), &Communicator::broadcast,
                             call);
}

int32_t commReduce(CommContext *context, CommCommunicator *communicator,
                   const void *send, void *recv, int64_t count, int32_t type,
                   int32_t reduction, int64_t root, const CommSite *site) {
  Call call = makeCall("comm.reduce", send, recv, count, type, site);
  call.reduction = reduction;
  call.root = root;
  return unwrap(context).run(unwrap(communicator), &Communicator::reduce, call);
}

int32_t commGather(CommContext *context, CommCommunicator *communicator,
                   const void *send, void *recv, int64_t count, int32_t type,
                   int64_t root, const CommSite *site) {
  Call call = makeCall("comm.gather", send, recv, count, type, site);
  call.root = root;
  return unwrap(context).run(unwrap(communicator), &Communicator::gather, call);
}

int32_t commScatter(CommContext *context, CommCommunicator *communicator,
                    const void *send, void *recv, int64_t count, int32_t type,
                    int64_t root, const CommSite *site) {
  Call call = makeCall("comm.scatter", send, recv, count, type, site);
  call.root = root;
  return unwrap(context).run(unwrap(communicator), &Communicator::scatter,
                             call);
}

int32_t commSend(CommContext *context, CommCommunicator *communicator,
                 const void *send, int64_t count, int32_t type, int64_t from,
                 int64_t to, const CommSite *site) {
  Call call = makeCall("comm.send", send, nullptr, count, type, site);
  call.from = from;
  call.to = to;
  return unwrap(context).run(unwrap(communicator), &Communicator::send, call);
}

int32_t commRecv(CommContext *context, CommCommunicator *communicator,
                 void *recv, int64_t count, int32_t type, int64_t from,
                 int64_t to, const CommSite *site) {
  Call call = makeCall("comm.recv", nullptr, recv, count, type, site);
  call.from = from;
  call.to = to;
  return unwrap(context).run(unwrap(communicator), &Communicator::recv, call);
}

int32_t commGroupStart(CommContext *context, const CommSite *site) {
  return unwrap(context).startGroup(site);
}

int32_t commGroupEnd(CommContext *context, const CommSite *site) {
  return unwrap(context).endGroup(site);
}

int32_t commGemm(CommContext *context, int32_t type, int32_t transposeA,
                 int32_t transposeB, int64_t batch, int64_t m, int64_t n,
                 int64_t k, const void *a, int64_t lda, int64_t strideA,
                 const void *b, int64_t ldb, int64_t strideB, int32_t beta,
                 void *c, int64_t ldc, int64_t strideC, const CommSite *site) {
  return unwrap(context).gemm({type, transposeA != 0, transposeB != 0, batch, m,
                               n, k, a, lda, strideA, b, ldb, strideB,
                               beta != 0, c, ldc, strideC, site});
}
