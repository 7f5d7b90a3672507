//===- Copies.cpp - Copies and fills --------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

#include <cstring>

using namespace mlir::comm::cudadouble;

namespace {

/// One end of a copy.
struct End {
  uint64_t address;
  /// Null: memory of the host that CUDA does not know.
  Allocation *allocation;

  bool isDevice() const {
    return allocation && allocation->kind == MemoryKind::Device;
  }
};

} // namespace

static End getEnd(Call &call, const void *pointer) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Allocation *allocation = call.engine.memory.find(address);
  // The host's memory may begin where pinned memory ends.
  if (allocation && allocation->kind == MemoryKind::Pinned &&
      address == allocation->base + allocation->bytes)
    allocation = nullptr;
  return {address, allocation};
}

static const char *const kindNames[] = {"HostToHost", "HostToDevice",
                                        "DeviceToHost", "DeviceToDevice"};

/// Whether the copy is what its direction says. Reports where it is not.
static bool checkDirection(Call &call, const End &to, const End &from,
                           cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault)
    return true;
  if (kind < 0 || kind > cudaMemcpyDefault) {
    report("pointer", std::string(call.entry) + ": no such direction");
    return false;
  }
  bool fromDevice =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  bool toDevice =
      kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (fromDevice == from.isDevice() && toDevice == to.isDevice())
    return true;
  report("pointer", std::string(call.entry) + ": the direction is " +
                        kindNames[kind] + ", but the copy is from " +
                        (from.isDevice() ? "device" : "host") + " to " +
                        (to.isDevice() ? "device" : "host") + " memory");
  return false;
}

static cudaError_t copy(Call &call, void *to, const void *from, size_t bytes,
                        cudaMemcpyKind kind, cudaStream_t handle, bool wait) {
  Stream *stream = call.findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  End target = getEnd(call, to), source = getEnd(call, from);
  if (!checkDirection(call, target, source, kind))
    return cudaErrorInvalidValue;
  if (!bytes)
    return cudaSuccess;
  std::string entry = call.entry;
  Memory &memory = call.engine.memory;
  if ((target.allocation && !memory.check(target.address, bytes, entry)) ||
      (source.allocation && !memory.check(source.address, bytes, entry)))
    return cudaErrorInvalidValue;
  if (target.address < source.address + bytes &&
      source.address < target.address + bytes) {
    report("pointer", entry + ": source and target overlap");
    return cudaErrorInvalidValue;
  }
  count(std::string("copy ") +
        kindNames[(source.isDevice() ? 2 : 0) + (target.isDevice() ? 1 : 0)]);

  Operation operation;
  size_t fromAccess = 0, toAccess = 0;
  if (source.allocation) {
    fromAccess = operation.accesses.size();
    operation.accesses.push_back({source.address, bytes, false});
  }
  if (target.allocation) {
    toAccess = operation.accesses.size();
    operation.accesses.push_back({target.address, bytes, true});
  }
  bool fromKnown = source.allocation, toKnown = target.allocation;
  bool toPinned = toKnown && !target.isDevice();
  // What the host can change right after the call is read now.
  std::shared_ptr<std::vector<unsigned char>> staged;
  if (!fromKnown && !stream->capture) {
    auto *begin = static_cast<const unsigned char *>(from);
    staged = std::make_shared<std::vector<unsigned char>>(begin, begin + bytes);
  }
  operation.run = [=](Operation &self) {
    void *out = toKnown ? self.at(toAccess) : to;
    const void *in = fromKnown ? self.at(fromAccess)
                     : staged  ? staged->data()
                               : from;
    if (!in || !out)
      return;
    if (!toPinned) {
      std::memcpy(out, in, bytes);
      return;
    }
    auto *begin = static_cast<const unsigned char *>(in);
    std::vector<unsigned char> copied(begin, begin + bytes);
    Engine &engine = getEngine();
    std::lock_guard<std::mutex> lock(engine.mutex);
    engine.memory.writeHost(self.moment, reinterpret_cast<uint64_t>(to),
                            std::move(copied));
  };
  auto completion = call.issue(*stream, std::move(operation));
  // To memory that is not pinned the call returns when the copy is done.
  if (!stream->capture && (wait || (!toKnown && source.isDevice())))
    call.wait(completion);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return enter("cudaMemcpyAsync", [&](Call &call) {
    return copy(call, to, from, bytes, kind, stream, false);
  });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind) {
  return enter("cudaMemcpy", [&](Call &call) {
    return copy(call, to, from, bytes, kind, nullptr, true);
  });
}

static cudaError_t fill(Call &call, void *pointer, int value, size_t bytes,
                        cudaStream_t handle) {
  Stream *stream = call.findStream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!bytes)
    return cudaSuccess;
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  if (!call.engine.memory.check(address, bytes, call.entry))
    return cudaErrorInvalidValue;
  Operation operation;
  operation.accesses.push_back({address, bytes, true});
  operation.run = [=](Operation &self) {
    if (self.at(0))
      std::memset(self.at(0), value, bytes);
  };
  call.issue(*stream, std::move(operation));
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            cudaStream_t stream) {
  return enter("cudaMemsetAsync", [&](Call &call) {
    return fill(call, pointer, value, bytes, stream);
  });
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return enter("cudaMemset", [&](Call &call) {
    return fill(call, pointer, value, bytes, nullptr);
  });
}
