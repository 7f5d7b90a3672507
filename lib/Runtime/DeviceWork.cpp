//===- DeviceWork.cpp - Memory and kernels of one rank --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs compiled for GPUs ask for, checked; and what it means where
// buffers are the host's own.
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Communicator.h"

#include <cstring>

using namespace mlir::comm::runtime;

void *Context::getConstant(const void *data, int64_t bytes) {
  if (getStatus() != COMM_SUCCESS)
    return nullptr;
  // Nothing is read there, and its address may be another constant's too.
  return bytes == 0 ? const_cast<void *>(data) : makeConstant(data, bytes);
}

Status Context::launch(const KernelLaunch &launch) {
  if (Status status = getStatus())
    return status;
  if (Status status = checkOutsideGroup("kernel", launch.site))
    return status;
  return launch.blocks == 0 ? COMM_SUCCESS : start(launch);
}

Status Context::copy(const void *from, void *to, int64_t bytes,
                     const CommSite *site) {
  if (Status status = getStatus())
    return status;
  if (Status status = checkOutsideGroup("copy", site))
    return status;
  return bytes == 0 ? COMM_SUCCESS
                    : move(from, to, bytes, Direction::WithinDevice, site);
}

Status Context::read(const void *from, void *host, int64_t bytes,
                     const CommSite *site) {
  Status status = getStatus();
  if (status == COMM_SUCCESS)
    status = checkOutsideGroup("read", site);
  if (status == COMM_SUCCESS && bytes != 0)
    status = move(from, host, bytes, Direction::ToHost, site);
  // A branch is taken by it.
  if (status != COMM_SUCCESS)
    std::memset(host, 0, bytes);
  return status;
}

Status Context::write(const void *host, void *to, int64_t bytes,
                      const CommSite *site) {
  if (Status status = getStatus())
    return status;
  return bytes == 0 ? COMM_SUCCESS
                    : move(host, to, bytes, Direction::FromHost, site);
}

Status Context::synchronize() {
  if (Status status = getStatus())
    return status;
  if (Status status = checkOutsideGroup("waiting for the device", nullptr))
    return status;
  return waitForDevice();
}

void *Context::makeConstant(const void *data, int64_t) {
  return const_cast<void *>(data);
}

Status Context::start(const KernelLaunch &launch) {
  return fail(
      COMM_INVALID,
      describe(launch.site && launch.site->op ? launch.site->op : "kernel",
               launch.site) +
          ": a kernel for a GPU on a backend that has none");
}

Status Context::move(const void *from, void *to, int64_t bytes, Direction,
                     const CommSite *) {
  std::memcpy(to, from, bytes);
  return COMM_SUCCESS;
}
