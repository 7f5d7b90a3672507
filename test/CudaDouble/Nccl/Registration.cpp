//===- Registration.cpp - Memory that communicators know ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nccl/Communicator.h"

#include <cuda_runtime_api.h>

using namespace mlir::comm::cudadouble;

ncclResult_t ncclMemAlloc(void **pointer, size_t bytes) {
  if (ncclResult_t result = enter("ncclMemAlloc", nullptr))
    return result;
  return cudaMalloc(pointer, bytes) == cudaSuccess
             ? ncclSuccess
             : fail(ncclUnhandledCudaError, "out of memory");
}

ncclResult_t ncclMemFree(void *pointer) {
  if (ncclResult_t result = enter("ncclMemFree", nullptr))
    return result;
  return cudaFree(pointer) == cudaSuccess
             ? ncclSuccess
             : fail(ncclUnhandledCudaError, "invalid argument");
}

static bool checkRegistered(ncclComm &comm, void *pointer, size_t bytes,
                            const char *entry) {
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  Allocation *allocation =
      engine.memory.check(reinterpret_cast<uint64_t>(pointer), bytes, entry);
  return allocation && allocation->device == comm.device;
}

static ncclResult_t deregister(const char *entry, ncclComm_t comm,
                               void *handle) {
  if (ncclResult_t result = enter(entry, comm))
    return result;
  if (handle && !comm->registered.erase(handle)) {
    report("handle", std::string(entry) + ": not what registration gave");
    return fail(ncclInvalidArgument, "not registered");
  }
  return ncclSuccess;
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void *pointer,
                              size_t bytes, void **handle) {
  const char *entry = "ncclCommRegister";
  if (ncclResult_t result = enter(entry, comm))
    return result;
  if (!checkRegistered(*comm, pointer, bytes, entry))
    return fail(ncclInvalidArgument, "not memory of the communicator's device");
  comm->registered[pointer] = bytes;
  *handle = pointer;
  return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle) {
  return deregister("ncclCommDeregister", comm, handle);
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void *pointer,
                                    size_t bytes, ncclWindow_t *window,
                                    int flags) {
  const char *entry = "ncclCommWindowRegister";
  if (ncclResult_t result = enter(entry, comm))
    return result;
  (void)flags;
  if (reinterpret_cast<uint64_t>(pointer) % NCCL_WIN_REQUIRED_ALIGNMENT) {
    report("pointer", std::string(entry) + ": not at a multiple of 4096");
    return fail(ncclInvalidArgument, "the window is not aligned");
  }
  if (!checkRegistered(*comm, pointer, bytes, entry))
    return fail(ncclInvalidArgument, "not memory of the communicator's device");
  comm->registered[pointer] = bytes;
  *window = reinterpret_cast<ncclWindow_t>(pointer);
  return ncclSuccess;
}

ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  return deregister("ncclCommWindowDeregister", comm, window);
}
