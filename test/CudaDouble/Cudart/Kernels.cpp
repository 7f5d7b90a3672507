//===- Kernels.cpp - Images, kernels and their launches -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Call.h"

#if __has_include("Ptx.h")
#include "Ptx.h"
#define COMM_DOUBLE_RUNS_KERNELS 1
#endif

#include <cstring>

using namespace mlir::comm::cudadouble;

#ifdef COMM_DOUBLE_RUNS_KERNELS

namespace {

/// What a cudaKernel_t is; with its library, which it keeps alive.
struct Kernel {
  std::shared_ptr<ptx::Module> module;
  const ptx::Kernel *kernel;
};

/// What a cudaLibrary_t is.
struct Library {
  std::shared_ptr<ptx::Module> module;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

std::set<Library *> liveLibraries;
std::set<Kernel *> liveKernels;

/// What one launch reads and writes: noted when it is over, as ranges.
class LaunchMemory : public ptx::Memory {
public:
  explicit LaunchMemory(const Operation &operation) : operation(operation) {}

  void read(uint64_t address, uint64_t bytes, void *to) override {
    std::memcpy(to, find(address, bytes, false), bytes);
  }
  void write(uint64_t address, uint64_t bytes, const void *from) override {
    std::memcpy(find(address, bytes, true), from, bytes);
  }

  /// Notes all of it against what others do. With the engine's mutex locked.
  void note() {
    for (auto &[base, region] : regions) {
      noteRanges(base, region.written, true);
      noteRanges(base, region.read, false);
    }
  }

private:
  /// A live allocation that is used.
  struct Region {
    uint64_t bytes;
    Bytes data;
    std::vector<bool> read, written;
  };

  unsigned char *find(uint64_t address, uint64_t bytes, bool write) {
    if (!last || address < lastBase || address - lastBase >= last->bytes)
      load(address, bytes, write);
    uint64_t begin = address - lastBase;
    if (bytes > last->bytes - begin)
      fail(address, bytes, write);
    std::vector<bool> &used = write ? last->written : last->read;
    std::fill(used.begin() + begin, used.begin() + begin + bytes, true);
    return last->data.get() + begin;
  }

  void load(uint64_t address, uint64_t bytes, bool write) {
    Engine &engine = getEngine();
    std::lock_guard<std::mutex> lock(engine.mutex);
    Allocation *allocation = engine.memory.find(address);
    if (!allocation || address >= allocation->base + allocation->bytes)
      fail(address, bytes, write);
    // Reports what is wrong with its life.
    Bytes data = engine.memory.use(allocation->base, 0, write, operation.moment,
                                   operation.clock());
    if (!data)
      throw std::runtime_error("uses memory that is not alive");
    auto [it, isNew] = regions.try_emplace(allocation->base);
    if (isNew)
      it->second = {allocation->bytes, data,
                    std::vector<bool>(allocation->bytes),
                    std::vector<bool>(allocation->bytes)};
    lastBase = allocation->base;
    last = &it->second;
  }

  [[noreturn]] void fail(uint64_t address, uint64_t bytes, bool write) {
    char text[96];
    std::snprintf(text, sizeof text, "%s %llu bytes at 0x%llx, out of bounds",
                  write ? "writes" : "reads",
                  static_cast<unsigned long long>(bytes),
                  static_cast<unsigned long long>(address));
    throw std::runtime_error(text);
  }

  void noteRanges(uint64_t base, const std::vector<bool> &used, bool write) {
    Engine &engine = getEngine();
    for (size_t begin = 0; begin < used.size(); ++begin) {
      if (!used[begin])
        continue;
      size_t end = begin;
      while (end < used.size() && used[end])
        ++end;
      engine.memory.use(base + begin, end - begin, write, operation.moment,
                        operation.clock());
      begin = end;
    }
  }

  const Operation &operation;
  std::map<uint64_t, Region> regions;
  uint64_t lastBase = 0;
  Region *last = nullptr;
};

} // namespace

/// Runs it and says what went wrong.
static void run(const Operation &operation, const ptx::Kernel &kernel,
                uint64_t blocks, uint64_t threads,
                std::vector<std::vector<unsigned char>> &values) {
  std::vector<void *> arguments;
  for (auto &value : values)
    arguments.push_back(value.data());
  LaunchMemory memory(operation);
  std::string error;
  bool succeeded = false;
  try {
    succeeded =
        ptx::run(kernel, blocks, threads, arguments.data(), memory, error);
  } catch (const std::runtime_error &failure) {
    error = failure.what();
  }
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  memory.note();
  if (succeeded)
    return;
  report("kernel", "'" + kernel.name + "' of " +
                       operation.moment.origin->describe() + ": " + error);
  engine.deviceErrors[operation.completion->device] = cudaErrorIllegalAddress;
}

#endif // COMM_DOUBLE_RUNS_KERNELS

/// Whether the image is text, as PTX is; it ends with a zero byte then.
static bool isPtx(const void *image) {
  auto *text = static_cast<const char *>(image);
  while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
    ++text;
  return *text == '.' || *text == '/';
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image,
                                cudaJitOption *, void **, unsigned int,
                                cudaLibraryOption *, void **, unsigned int) {
  return enter("cudaLibraryLoadData", [&](Call &) {
    if (!library || !image)
      return cudaErrorInvalidValue;
    if (!isPtx(image))
      return cudaErrorNoKernelImageForDevice;
#ifdef COMM_DOUBLE_RUNS_KERNELS
    std::string error;
    std::unique_ptr<ptx::Module> module =
        ptx::Module::parse(static_cast<const char *>(image), error);
    if (!module) {
      report("kernel", "cudaLibraryLoadData: " + error);
      return cudaErrorInvalidPtx;
    }
    auto *created = new Library{std::move(module), {}};
    liveLibraries.insert(created);
    *library = reinterpret_cast<cudaLibrary_t>(created);
    return cudaSuccess;
#else
    report("kernel", "cudaLibraryLoadData: this double runs no kernels");
    return cudaErrorNotSupported;
#endif
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                 const char *name) {
  return enter("cudaLibraryGetKernel", [&](Call &) {
    if (!kernel || !name)
      return cudaErrorInvalidValue;
#ifdef COMM_DOUBLE_RUNS_KERNELS
    auto *found = reinterpret_cast<Library *>(library);
    if (!liveLibraries.count(found)) {
      report("handle", "cudaLibraryGetKernel: the library is not alive");
      return cudaErrorInvalidResourceHandle;
    }
    const ptx::Kernel *definition = found->module->getKernel(name);
    if (!definition)
      return cudaErrorSymbolNotFound;
    std::unique_ptr<Kernel> &created = found->kernels[name];
    if (!created)
      created.reset(new Kernel{found->module, definition});
    liveKernels.insert(created.get());
    *kernel = reinterpret_cast<cudaKernel_t>(created.get());
    return cudaSuccess;
#else
    (void)library;
    return cudaErrorNotSupported;
#endif
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return enter("cudaLibraryUnload", [&](Call &) {
#ifdef COMM_DOUBLE_RUNS_KERNELS
    auto *found = reinterpret_cast<Library *>(library);
    if (!liveLibraries.erase(found)) {
      report("handle", "cudaLibraryUnload: the library is not alive");
      return cudaErrorInvalidResourceHandle;
    }
    for (const auto &[name, kernel] : found->kernels)
      liveKernels.erase(kernel.get());
    delete found;
    return cudaSuccess;
#else
    (void)library;
    return cudaErrorNotSupported;
#endif
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *) {
  return enter("cudaFuncGetAttributes", [&](Call &) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments) {
  return enter("cudaLaunchKernelExC", [&](Call &call) {
    if (!config)
      return cudaErrorInvalidValue;
    Stream *stream = call.findStream(config->stream);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    dim3 grid = config->gridDim, block = config->blockDim;
    if (grid.x == 0 || block.x == 0 || block.x > 1024 || grid.x > 2147483647 ||
        grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1 ||
        config->dynamicSmemBytes)
      return cudaErrorInvalidConfiguration;
    if (stream->device != call.device()) {
      report("handle", "cudaLaunchKernelExC: the stream is of device " +
                           std::to_string(stream->device) +
                           ", the current device is " +
                           std::to_string(call.device()));
      return cudaErrorInvalidResourceHandle;
    }
#ifdef COMM_DOUBLE_RUNS_KERNELS
    auto *kernel = reinterpret_cast<Kernel *>(const_cast<void *>(function));
    if (!liveKernels.count(kernel)) {
      report("handle", "cudaLaunchKernelExC: the kernel is not alive");
      return cudaErrorInvalidResourceHandle;
    }
    std::vector<std::vector<unsigned char>> values;
    for (const auto &parameter : kernel->kernel->parameters) {
      auto *value = static_cast<unsigned char *>(arguments[values.size()]);
      values.emplace_back(value, value + parameter.size);
    }
    Operation operation;
    operation.run = [module = kernel->module, definition = kernel->kernel,
                     values, grid, block](Operation &self) mutable {
      run(self, *definition, grid.x, block.x, values);
    };
    call.issue(*stream, std::move(operation));
    return cudaSuccess;
#else
    (void)function, (void)arguments;
    return cudaErrorNotSupported;
#endif
  });
}
