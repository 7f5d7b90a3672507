//===- Backend.cpp - Backends that are shared objects ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runtime/Backend.h"

#include "LoadBackend.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir::comm::runtime;

static const char *getLibrary(const std::string &backend) {
  if (backend == "cuda-local")
    return "libCommRuntimeCudaLocal.so";
  if (backend == "nccl")
    return "libCommRuntimeNccl.so";
  return nullptr;
}

/// The folder that this code is loaded from, or "" where nobody knows.
static std::string getOwnFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&getOwnFolder), &info) ||
      !info.dli_fname)
    return "";
  std::string file = info.dli_fname;
  size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash);
}

static std::string getFile(const char *library) {
  const char *given = std::getenv("COMM_BACKEND_PATH");
  std::string folder = given && *given ? given : getOwnFolder();
  return folder.empty() ? library : folder + "/" + library;
}

/// The symbol of a loaded backend; null, with `error` set, if there is none.
template <typename T>
static T *find(void *object, const char *symbol, const std::string &file,
               std::string &error) {
  void *address = dlsym(object, symbol);
  if (!address)
    error = "'" + file + "' has no symbol '" + symbol +
            "': it is not a backend of this runtime";
  return reinterpret_cast<T *>(address);
}

std::unique_ptr<World>
mlir::comm::runtime::loadWorld(Mesh mesh, const std::string &backend,
                               Options options, std::string &error) {
  const char *library = getLibrary(backend);
  if (!library) {
    error = "unknown backend '" + backend +
            "', expected 'threads', 'cuda-local' or 'nccl'";
    return nullptr;
  }
  std::string file = getFile(library);
  // Never closed: threads and handlers of the libraries that it needs may live
  // as long as the process.
  void *object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    const char *reason = dlerror();
    error = "backend '" + backend +
            "' cannot be loaded: " + (reason ? reason : file) +
            "; it is built where CUDA is, and looked for beside the runtime or "
            "in COMM_BACKEND_PATH";
    return nullptr;
  }
  auto *version =
      find<const int32_t>(object, "commBackendAbiVersion", file, error);
  auto *create =
      find<decltype(commCreateWorld)>(object, "commCreateWorld", file, error);
  if (!version || !create)
    return nullptr;
  if (*version != COMM_RUNTIME_ABI_VERSION) {
    error = "'" + file + "' is for runtime ABI " + std::to_string(*version) +
            ", expected " + std::to_string(COMM_RUNTIME_ABI_VERSION);
    return nullptr;
  }
  return std::unique_ptr<World>(
      create(std::move(mesh), std::move(options), error));
}
