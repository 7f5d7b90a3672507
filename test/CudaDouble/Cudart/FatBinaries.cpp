//===- FatBinaries.cpp - What the host code that nvcc makes calls ---------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that nvcc has compiled registers its device code before main: a fat
// binary, and by their addresses in the host's code its kernels and variables.
// The double reads PTX text that is not compressed: nvcc -cudart shared
// -gencode arch=compute_80,code=compute_80 --no-compress.
//
// A variable whose address the host asks for is in the memory of each device.
// What kernels name is another copy, so that variables have to be constants.
//
//===----------------------------------------------------------------------===//

#include "Cudart/Library.h"

#include <fatbinary_section.h>

#include <cstring>

using namespace mlir::comm::cudadouble;

namespace {

/// What the wrapper's `data` points to; the entries follow.
struct FatBinaryHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t headerBytes;
  /// Of all entries.
  uint64_t bytes;
};
constexpr uint32_t fatBinaryMagic = 0xba55ed50;

/// One image; its bytes follow.
struct FatBinaryEntry {
  uint16_t kind;
  uint16_t version;
  uint32_t headerBytes;
  uint64_t imageBytes;
  uint32_t others[6];
  uint64_t flags;
};
constexpr uint16_t ptxKind = 1;
/// LZ4 or zstd.
constexpr uint64_t compressedFlags = 0xa000;

/// What the program names by an address in the host's code.
struct Symbol {
  void **binary;
  std::string name;
};

struct Variable {
  Symbol symbol;
  /// Its addresses on the devices; 0: nobody has asked yet.
  std::vector<uint64_t> addresses;
};

struct Registry {
  /// By their handles, which are the wrappers' addresses; null: not loaded yet.
  std::map<void **, std::unique_ptr<Library>> binaries;
  std::map<const void *, Symbol> kernels;
  std::map<const void *, Variable> variables;
};

/// What <<<...>>> says, until the launch takes it.
struct Configuration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};

thread_local std::vector<Configuration> configurations;

} // namespace

/// With the engine's mutex locked. It outlives all programs.
static Registry &getRegistry() {
  static auto *registry = new Registry();
  return *registry;
}

/// The first PTX text; empty where there is none.
static std::string findPtx(void **handle) {
  auto *wrapper = reinterpret_cast<const __fatBinC_Wrapper_t *>(handle);
  auto *at = reinterpret_cast<const char *>(wrapper->data);
  FatBinaryHeader header;
  std::memcpy(&header, at, sizeof header);
  if (wrapper->magic != FATBINC_MAGIC || header.magic != fatBinaryMagic)
    return "";
  at += header.headerBytes;
  FatBinaryEntry entry;
  for (const char *end = at + header.bytes; at < end;
       at += entry.headerBytes + entry.imageBytes) {
    std::memcpy(&entry, at, sizeof entry);
    if (entry.kind != ptxKind || (entry.flags & compressedFlags))
      continue;
    // Filled up with zeros.
    const char *text = at + entry.headerBytes;
    return std::string(text, strnlen(text, entry.imageBytes));
  }
  return "";
}

/// Null, after a report, where the binary has nothing that the double runs.
static Library *load(const Call &call, void **handle) {
  auto it = getRegistry().binaries.find(handle);
  if (it == getRegistry().binaries.end()) {
    report("handle", std::string(call.entry) + ": the program has ended");
    return nullptr;
  }
  if (it->second)
    return it->second.get();
  std::string text = findPtx(handle), error = "no PTX that is not compressed";
  std::unique_ptr<ptx::Module> module =
      text.empty() ? nullptr : ptx::Module::parse(text, error);
  if (!module) {
    report("kernel", std::string(call.entry) + ": a fat binary: " + error);
    return nullptr;
  }
  it->second = std::make_unique<Library>(std::move(module));
  return it->second.get();
}

/// What kernels read of a variable, in the memory of the current device.
static cudaError_t place(Call &call, std::string_view bytes,
                         uint64_t &address) {
  Memory &memory = call.engine.memory;
  Allocation *allocation = memory.allocate(MemoryKind::Device, call.device(),
                                           bytes.size(), call.entry);
  if (!allocation)
    return cudaErrorMemoryAllocation;
  // It stays as long as the program.
  allocation->freeIsIssued = true;
  auto origin = std::make_shared<Origin>(Origin{
      call.entry, 0, 0, call.device(), getCaller().number, getCaller().rank});
  memory.use(allocation->base, bytes.size(), /*write=*/true, {0, 0, origin},
             call.engine.host);
  std::memcpy(allocation->data.get(), bytes.data(), bytes.size());
  address = allocation->base;
  return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  return enter("cudaGetSymbolAddress", [&](Call &call) {
    auto it = getRegistry().variables.find(symbol);
    if (it == getRegistry().variables.end() || !pointer)
      return cudaErrorInvalidSymbol;
    auto &[of, addresses] = it->second;
    Library *library = load(call, of.binary);
    if (!library)
      return cudaErrorNoKernelImageForDevice;
    std::string_view bytes = library->module->getVariable(of.name);
    if (bytes.empty())
      return cudaErrorInvalidSymbol;
    addresses.resize(call.engine.getNumDevices());
    uint64_t &address = addresses[call.device()];
    if (!address)
      if (cudaError_t error = place(call, bytes, address))
        return error;
    *pointer = reinterpret_cast<void *>(address);
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Functions that no header for programs declares
//===----------------------------------------------------------------------===//

extern "C" {

void **__cudaRegisterFatBinary(void *wrapper) {
  std::lock_guard<std::mutex> lock(getEngine().mutex);
  auto **handle = static_cast<void **>(wrapper);
  getRegistry().binaries[handle];
  return handle;
}

void __cudaRegisterFatBinaryEnd(void **) {}

char __cudaInitModule(void **) { return 1; }

void __cudaUnregisterFatBinary(void **handle) {
  std::lock_guard<std::mutex> lock(getEngine().mutex);
  getRegistry().binaries.erase(handle);
}

void __cudaRegisterFunction(void **handle, const char *host, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  std::lock_guard<std::mutex> lock(getEngine().mutex);
  getRegistry().kernels[host] = {handle, name};
}

void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int,
                       size_t, int, int) {
  std::lock_guard<std::mutex> lock(getEngine().mutex);
  getRegistry().variables[host] = {{handle, name}, {}};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes,
                                     cudaStream_t stream) {
  configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *sharedBytes, void *stream) {
  if (configurations.empty())
    return cudaErrorMissingConfiguration;
  const Configuration &last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *sharedBytes = last.sharedBytes;
  *static_cast<cudaStream_t *>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return enter("__cudaGetKernel", [&](Call &call) {
    auto it = getRegistry().kernels.find(host);
    if (it == getRegistry().kernels.end())
      return cudaErrorInvalidDeviceFunction;
    const auto &[binary, name] = it->second;
    Library *library = load(call, binary);
    if (!library)
      return cudaErrorNoKernelImageForDevice;
    Kernel *known = library->getKernel(name);
    if (!known)
      return cudaErrorInvalidDeviceFunction;
    *kernel = reinterpret_cast<cudaKernel_t>(known);
    return cudaSuccess;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t sharedBytes,
                               cudaStream_t stream) {
  return enter("__cudaLaunchKernel", [&](Call &call) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = sharedBytes;
    config.stream = stream;
    return launch(call, config, kernel, arguments);
  });
}

} // extern "C"
