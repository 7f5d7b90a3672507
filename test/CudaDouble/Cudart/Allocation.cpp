//===- Allocation.cpp - Memory is allocated and released ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

using namespace mlir::comm::cudadouble;

/// The host does something by itself, outside of any stream.
static Moment getHostMoment(const char *entry) {
  const Caller &caller = getCaller();
  return {0, 0,
          std::make_shared<Origin>(
              Origin{entry, 0, 0, caller.device, caller.number, caller.rank})};
}

/// The live allocation that begins at the pointer; else reports, and null.
static Allocation *findReleased(Call &call, void *pointer, MemoryKind kind) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Allocation *allocation = call.engine.memory.find(address);
  std::string entry = call.entry;
  if (!allocation || allocation->base != address || allocation->kind != kind) {
    report("pointer", entry + ": not what an allocation gave");
    return nullptr;
  }
  if (allocation->isFreed || allocation->freeIsIssued) {
    report("lifetime", entry + ": released already" +
                           (allocation->freed.origin
                                ? " by " + allocation->freed.origin->describe()
                                : std::string()));
    return nullptr;
  }
  return allocation;
}

/// Waits for all that has been started on the device.
static void waitForDevice(Call &call) {
  std::vector<std::shared_ptr<Completion>> last;
  for (const auto &stream : call.engine.streams)
    if (stream->device == call.device() && stream->last)
      last.push_back(stream->last);
  count("host waits");
  for (const auto &completion : last)
    call.engine.wait(call.lock, completion);
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return enter("cudaMalloc", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    *pointer = nullptr;
    if (!bytes)
      return cudaSuccess;
    Allocation *allocation = call.engine.memory.allocate(
        MemoryKind::Device, call.device(), bytes, call.entry);
    if (!allocation)
      return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void *>(allocation->base);
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void *pointer) {
  return enterRelease("cudaFree", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    if (!pointer)
      return cudaSuccess;
    Allocation *allocation = findReleased(call, pointer, MemoryKind::Device);
    if (!allocation)
      return cudaErrorInvalidValue;
    allocation->freeIsIssued = true;
    waitForDevice(call);
    call.engine.memory.release(*allocation, getHostMoment(call.entry),
                               call.engine.host);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t handle) {
  return enter("cudaMallocAsync", [&](Call &call) {
    *pointer = nullptr;
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!bytes)
      return cudaErrorInvalidValue;
    if (stream->capture) {
      report("handle", "cudaMallocAsync: the double has no memory of graphs");
      return cudaErrorStreamCaptureUnsupported;
    }
    Allocation *allocation = call.engine.memory.allocate(
        MemoryKind::Device, stream->device, bytes, call.entry);
    if (!allocation)
      return cudaErrorMemoryAllocation;
    Operation operation;
    operation.issued = [=](Operation &self) {
      allocation->allocated = self.moment;
    };
    call.issue(*stream, std::move(operation));
    *pointer = reinterpret_cast<void *>(allocation->base);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle) {
  return enterRelease("cudaFreeAsync", [&](Call &call) {
    Stream *stream = call.findStream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (stream->capture) {
      report("handle", "cudaFreeAsync: the double has no memory of graphs");
      return cudaErrorStreamCaptureUnsupported;
    }
    Allocation *allocation = findReleased(call, pointer, MemoryKind::Device);
    if (!allocation)
      return cudaErrorInvalidValue;
    allocation->freeIsIssued = true;
    Operation operation;
    operation.run = [=](Operation &self) {
      Engine &engine = getEngine();
      std::lock_guard<std::mutex> lock(engine.mutex);
      engine.memory.release(*allocation, self.moment, self.clock());
    };
    call.issue(*stream, std::move(operation));
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return enter("cudaMallocHost", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    *pointer = nullptr;
    if (!bytes)
      return cudaSuccess;
    *pointer = reinterpret_cast<void *>(
        call.engine.memory
            .allocate(MemoryKind::Pinned, call.device(), bytes, call.entry)
            ->base);
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer) {
  return enterRelease("cudaFreeHost", [&](Call &call) {
    if (call.isForbidden())
      return cudaErrorStreamCaptureUnsupported;
    if (!pointer)
      return cudaSuccess;
    Allocation *allocation = findReleased(call, pointer, MemoryKind::Pinned);
    if (!allocation)
      return cudaErrorInvalidValue;
    allocation->freeIsIssued = true;
    waitForDevice(call);
    call.engine.memory.release(*allocation, getHostMoment(call.entry),
                               call.engine.host);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return enter("cudaMemGetInfo", [&](Call &call) {
    *free = call.engine.memory.getFree(call.device());
    *total = call.engine.memory.getTotal();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return enter("cudaDeviceGetDefaultMemPool", [&](Call &call) {
    if (device < 0 || device >= call.engine.getNumDevices())
      return cudaErrorInvalidDevice;
    *pool = reinterpret_cast<cudaMemPool_t>(uintptr_t(device) + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr,
                                    void *value) {
  return enter("cudaMemPoolSetAttribute", [&](Call &call) {
    uintptr_t number = reinterpret_cast<uintptr_t>(pool);
    if (!number || number > uintptr_t(call.engine.getNumDevices()) || !value)
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return enter("cudaMemPoolTrimTo", [](Call &) { return cudaSuccess; });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *pointer) {
  return enter("cudaPointerGetAttributes", [&](Call &call) {
    *attributes = {};
    uint64_t address = reinterpret_cast<uint64_t>(pointer);
    Allocation *allocation = call.engine.memory.find(address);
    void *itself = const_cast<void *>(pointer);
    if (!allocation || allocation->isFreed ||
        address == allocation->base + allocation->bytes) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = itself;
      return cudaSuccess;
    }
    bool pinned = allocation->kind == MemoryKind::Pinned;
    attributes->type = pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    attributes->device = allocation->device;
    attributes->devicePointer = itself;
    attributes->hostPointer = pinned ? itself : nullptr;
    return cudaSuccess;
  });
}
