//===- OlderNccl.cpp - What NCCL has since 2.28, for older ones -----------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OlderNccl.h"

using namespace mlir::comm::runtime;

static bool isError(ncclResult_t result) {
  return result != ncclSuccess && result != ncclInProgress;
}

/// Of the types that all versions of NCCL have; else 0.
static size_t getByteSize(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

namespace {
/// One collective: a group of transfers of `count` elements each.
class Exchange {
public:
  Exchange(size_t count, ncclDataType_t type, ncclComm_t comm,
           cudaStream_t stream)
      : count(count), type(type), comm(comm), stream(stream) {
    result = getByteSize(type) ? ncclCommCount(comm, &numRanks)
                               : ncclInvalidArgument;
    if (!isError(result))
      result = ncclCommUserRank(comm, &rank);
  }

  int getNumRanks() const { return numRanks; }
  bool isRank(int other) const { return rank == other; }

  /// The group of what `transfer` calls.
  template <typename Transfer>
  ncclResult_t run(Transfer transfer) {
    if (isError(result) || count == 0)
      return result;
    result = ncclGroupStart();
    if (isError(result))
      return result;
    transfer();
    // Also after an error, which NCCL would give to a later group.
    ncclResult_t end = ncclGroupEnd();
    return isError(result) ? result : end;
  }

  void send(const void *buffer, int chunk, int peer) {
    if (!isError(result))
      result =
          ncclSend(getChunk(buffer, chunk), count, type, peer, comm, stream);
  }
  void receive(void *buffer, int chunk, int peer) {
    if (!isError(result))
      result =
          ncclRecv(getChunk(buffer, chunk), count, type, peer, comm, stream);
  }

  char *getChunk(const void *buffer, int chunk) const {
    return static_cast<char *>(const_cast<void *>(buffer)) +
           chunk * count * getByteSize(type);
  }

private:
  size_t count;
  ncclDataType_t type;
  ncclComm_t comm;
  cudaStream_t stream;
  int numRanks = 0, rank = 0;
  ncclResult_t result;
};
} // namespace

ncclResult_t older::ncclAlltoAll(const void *send, void *recv, size_t count,
                                 ncclDataType_t type, ncclComm_t comm,
                                 cudaStream_t stream) {
  Exchange exchange(count, type, comm, stream);
  return exchange.run([&] {
    for (int peer = 0; peer < exchange.getNumRanks(); ++peer) {
      exchange.send(send, peer, peer);
      exchange.receive(recv, peer, peer);
    }
  });
}

ncclResult_t older::ncclGather(const void *send, void *recv, size_t count,
                               ncclDataType_t type, int root, ncclComm_t comm,
                               cudaStream_t stream) {
  Exchange exchange(count, type, comm, stream);
  bool isRoot = exchange.isRank(root);
  // Is there already.
  bool isInPlace = isRoot && send == exchange.getChunk(recv, root);
  return exchange.run([&] {
    if (!isInPlace)
      exchange.send(send, 0, root);
    for (int peer = 0; isRoot && peer < exchange.getNumRanks(); ++peer)
      if (!isInPlace || peer != root)
        exchange.receive(recv, peer, peer);
  });
}

ncclResult_t older::ncclScatter(const void *send, void *recv, size_t count,
                                ncclDataType_t type, int root, ncclComm_t comm,
                                cudaStream_t stream) {
  Exchange exchange(count, type, comm, stream);
  bool isRoot = exchange.isRank(root);
  bool isInPlace = isRoot && recv == exchange.getChunk(send, root);
  return exchange.run([&] {
    for (int peer = 0; isRoot && peer < exchange.getNumRanks(); ++peer)
      if (!isInPlace || peer != root)
        exchange.send(send, peer, peer);
    if (!isInPlace)
      exchange.receive(recv, 0, root);
  });
}
