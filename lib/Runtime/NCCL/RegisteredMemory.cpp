//===- RegisteredMemory.cpp - Buffers that NCCL knows ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisteredMemory.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::comm::runtime;

bool mlir::comm::runtime::wantsRegisteredMemory() {
  const char *value = std::getenv("COMM_NCCL_REGISTER");
  return value && std::strcmp(value, "1") == 0;
}

namespace {
class RegisteredSource : public MemorySource {
public:
  RegisteredSource(std::shared_ptr<CudaStreams> streams,
                   std::shared_ptr<NcclHandles> handles)
      : streams(std::move(streams)), handles(std::move(handles)) {}

  void *allocate(int64_t bytes) override {
    void *memory = nullptr;
    if (streams->makeCurrent() || ncclMemAlloc(&memory, bytes) != ncclSuccess)
      return nullptr;
    // Where NCCL cannot register it, it works as any.
    handles->addMemory(memory, bytes);
    return memory;
  }

  void free(void *memory) override {
    // It is not of the streams' pool: whoever uses it must be done.
    streams->waitForAll();
    handles->removeMemory(memory);
    (void)ncclMemFree(memory);
  }

private:
  std::shared_ptr<CudaStreams> streams;
  std::shared_ptr<NcclHandles> handles;
};
} // namespace

std::unique_ptr<MemorySource> mlir::comm::runtime::createRegisteredSource(
    std::shared_ptr<CudaStreams> streams,
    std::shared_ptr<NcclHandles> handles) {
  return std::make_unique<RegisteredSource>(std::move(streams),
                                            std::move(handles));
}
