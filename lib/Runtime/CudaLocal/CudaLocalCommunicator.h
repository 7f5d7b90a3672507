//===- CudaLocalCommunicator.h - Copies on one device -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALCOMMUNICATOR_H
#define COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALCOMMUNICATOR_H

#include "CudaLocalWorld.h"

namespace mlir::comm::runtime {

/// Ranks meet on the host as threads do, and show each other their buffers.
/// What a rank then enqueues on its communication stream waits for the others'
/// events before it reads or writes their buffers. They meet once more, and
/// what they enqueue next waits until nobody uses theirs any more. No rank
/// waits for the device.
class CudaLocalCommunicator : public Communicator {
public:
  CudaLocalCommunicator(CudaLocalContext &context, CudaLocalWorld &world,
                        Group group);

  Status barrier(const Call &call) override;
  Status allReduce(const Call &call) override;
  Status reduceScatter(const Call &call) override;
  Status reduce(const Call &call) override;
  Status send(const Call &call) override;
  Status recv(const Call &call) override;

protected:
  Status exchange(const Call &call, const std::vector<Transfer> &sends,
                  const std::vector<Transfer> &recvs) override;
  Status fillZeros(void *buffer, int64_t bytes) override;

private:
  class Meeting;

  const Call &getCall(int64_t member) const {
    return seat.getPost(member).call;
  }
  /// Enqueues the reduction of `count` elements, from `begin` on, of what all
  /// members send.
  Status reduceRange(const Call &call, int64_t begin, int64_t count,
                     std::vector<void *> outs);
  Status copy(const Call &call, void *to, const void *from, int64_t bytes);
  Status fillZeros(const CommSite *site, void *buffer, int64_t bytes);

  CudaLocalContext &context;
  CudaLocalWorld &world;
  Seat seat;
  Channels channels;
  int64_t sequence = 0;
};

} // namespace mlir::comm::runtime

#endif // COMM_LIB_RUNTIME_CUDALOCAL_CUDALOCALCOMMUNICATOR_H
