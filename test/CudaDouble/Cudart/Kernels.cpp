//===- Kernels.cpp - Images, kernels and their launches -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/LaunchMemory.h"
#include "Cudart/Library.h"

#include <cstring>

using namespace mlir::comm::cudadouble;

/// What cudaLibraryLoadData gave.
static std::set<Library *> liveLibraries;
static std::set<Kernel *> liveKernels;

Library::~Library() {
  for (const auto &[name, kernel] : kernels)
    liveKernels.erase(kernel.get());
}

Kernel *Library::getKernel(const std::string &name) {
  const ptx::Kernel *definition = module->getKernel(name);
  if (!definition)
    return nullptr;
  std::unique_ptr<Kernel> &created = kernels[name];
  if (!created)
    created.reset(new Kernel{module, definition});
  liveKernels.insert(created.get());
  return created.get();
}

/// On the stream's thread. A device on which a kernel has failed is of no use
/// any more.
static void run(const Operation &operation, const Kernel &kernel,
                uint64_t blocks, uint64_t threads,
                std::vector<std::vector<unsigned char>> &values) {
  std::vector<void *> arguments;
  for (auto &value : values)
    arguments.push_back(value.data());
  LaunchMemory memory(operation);
  std::string error;
  bool succeeded = ptx::run(*kernel.definition, blocks, threads,
                            arguments.data(), memory, error);
  Engine &engine = getEngine();
  std::lock_guard<std::mutex> lock(engine.mutex);
  memory.note();
  if (succeeded)
    return;
  report("kernel", operation.moment.origin->describe() + ": " + error);
  engine.deviceErrors[operation.completion->device] = cudaErrorIllegalAddress;
}

/// Whether the image is text, as PTX is; it ends with a zero byte then.
static bool isPtx(const void *image) {
  auto *text = static_cast<const char *>(image);
  while (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')
    ++text;
  return *text == '.' || *text == '/';
}

/// Puts a message where the options ask for it.
static void writeLog(const std::string &text, const cudaJitOption *options,
                     void **values, unsigned int numOptions) {
  char *log = nullptr;
  size_t bytes = 0;
  for (unsigned int i = 0; i < numOptions; ++i) {
    if (options[i] == cudaJitErrorLogBuffer)
      log = static_cast<char *>(values[i]);
    if (options[i] == cudaJitErrorLogBufferSizeBytes)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (log && bytes)
    log[text.copy(log, bytes - 1)] = 0;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image,
                                cudaJitOption *options, void **values,
                                unsigned int numOptions, cudaLibraryOption *,
                                void **, unsigned int) {
  return enter("cudaLibraryLoadData", [&](Call &) {
    if (!library || !image)
      return cudaErrorInvalidValue;
    if (!isPtx(image))
      return cudaErrorNoKernelImageForDevice;
    std::string error;
    std::unique_ptr<ptx::Module> module =
        ptx::Module::parse(static_cast<const char *>(image), error);
    if (!module) {
      writeLog(error, options, values, numOptions);
      report("kernel", "cudaLibraryLoadData: " + error);
      return cudaErrorInvalidPtx;
    }
    auto *created = new Library(std::move(module));
    liveLibraries.insert(created);
    *library = reinterpret_cast<cudaLibrary_t>(created);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                 const char *name) {
  return enter("cudaLibraryGetKernel", [&](Call &) {
    if (!kernel || !name)
      return cudaErrorInvalidValue;
    auto *found = reinterpret_cast<Library *>(library);
    if (!liveLibraries.count(found)) {
      report("handle", "cudaLibraryGetKernel: the library is not alive");
      return cudaErrorInvalidResourceHandle;
    }
    Kernel *known = found->getKernel(name);
    if (!known)
      return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(known);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return enterRelease("cudaLibraryUnload", [&](Call &) {
    auto *found = reinterpret_cast<Library *>(library);
    if (!liveLibraries.erase(found)) {
      report("handle", "cudaLibraryUnload: the library is not alive");
      return cudaErrorInvalidResourceHandle;
    }
    delete found;
    return cudaSuccess;
  });
}

static Kernel *findKernel(const void *function, const char *entry) {
  auto *kernel = reinterpret_cast<Kernel *>(const_cast<void *>(function));
  if (liveKernels.count(kernel))
    return kernel;
  report("handle", std::string(entry) + ": the kernel is not alive");
  return nullptr;
}

static unsigned getMostThreads(const Kernel &kernel) {
  uint64_t most = kernel.definition->maximumThreads;
  return static_cast<unsigned>(most && most < 1024 ? most : 1024);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *function) {
  return enter("cudaFuncGetAttributes", [&](Call &call) {
    Kernel *kernel = findKernel(function, call.entry);
    if (!kernel)
      return cudaErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->maxThreadsPerBlock = static_cast<int>(getMostThreads(*kernel));
    attributes->sharedSizeBytes = kernel->definition->sharedBytes;
    return cudaSuccess;
  });
}

/// What a launch of these sizes is refused with.
static cudaError_t checkSizes(const Call &call, const Kernel &kernel, dim3 grid,
                              dim3 block) {
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (grid.x == 0 || grid.x > 2147483647 || threads == 0 || threads > 1024)
    return cudaErrorInvalidConfiguration;
  if (threads > getMostThreads(kernel))
    return cudaErrorLaunchOutOfResources;
  if (kernel.definition->requiredThreads &&
      threads != kernel.definition->requiredThreads)
    return cudaErrorInvalidValue;
  if (grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1)
    return cudaSuccess;
  report("kernel", std::string(call.entry) +
                       ": the double runs kernels in one dimension");
  return cudaErrorNotSupported;
}

cudaError_t mlir::comm::cudadouble::launch(Call &call,
                                           const cudaLaunchConfig_t &config,
                                           const void *function,
                                           void **arguments) {
  std::string entry = call.entry;
  Stream *stream = call.findStream(config.stream);
  Kernel *kernel = findKernel(function, call.entry);
  if (!stream || !kernel)
    return cudaErrorInvalidResourceHandle;
  dim3 grid = config.gridDim, block = config.blockDim;
  if (cudaError_t error = checkSizes(call, *kernel, grid, block))
    return error;
  if (config.dynamicSmemBytes || config.numAttrs) {
    report("kernel", entry + ": the double has no dynamic shared memory and no "
                             "attributes");
    return cudaErrorNotSupported;
  }
  if (stream->device != call.device()) {
    report("handle", entry + ": the stream is of device " +
                         std::to_string(stream->device) +
                         ", the current device is " +
                         std::to_string(call.device()));
    return cudaErrorInvalidResourceHandle;
  }
  // The arguments are read now; a graph runs with these ones.
  std::vector<std::vector<unsigned char>> values;
  for (const ptx::Parameter &parameter : kernel->definition->parameters) {
    auto *value = static_cast<unsigned char *>(arguments[values.size()]);
    values.emplace_back(value, value + parameter.size);
  }
  Operation operation;
  operation.run = [kept = *kernel, values, grid,
                   block](Operation &self) mutable {
    run(self, kept, grid.x, block.x, values);
  };
  call.issue(*stream, std::move(operation));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments) {
  return enter("cudaLaunchKernelExC", [&](Call &call) {
    if (!config)
      return cudaErrorInvalidValue;
    return launch(call, *config, function, arguments);
  });
}
