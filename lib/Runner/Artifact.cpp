//===- Artifact.cpp - A program compiled to a shared object ---------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Artifact.h"

#include "comm/Runner/Processor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir::comm;
using namespace mlir::comm::runner;

std::string mlir::comm::runner::getPackedName(std::string_view function) {
  return "comm_packed_" + std::string(function);
}

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What keeps this process from running the program, or nothing.
static MaybeFailure check(const ArtifactDescription &description,
                          const std::string &path) {
  if (description.abiVersion != COMM_RUNTIME_ABI_VERSION)
    return usageFailure("'" + path + "' is for version " +
                        std::to_string(description.abiVersion) +
                        " of the runtime's ABI, and this runtime has version " +
                        std::to_string(COMM_RUNTIME_ABI_VERSION) +
                        ": compile it again");
  std::vector<std::string> missing = getMissingFeatures(description.features);
  if (!missing.empty())
    return usageFailure("'" + path + "' is compiled for " +
                        description.processor +
                        ", and this processor does not have " + join(missing) +
                        ": compile it with another --mcpu");
  return std::nullopt;
}

namespace {

struct CloseLibrary {
  void operator()(void *handle) const { dlclose(handle); }
};

} // namespace

/// What the file at `path` says of itself. Functions that it needs of the
/// runtime need not be there.
static Result<ArtifactDescription> readDescription(const std::string &path,
                                                   const char *whole) {
  std::unique_ptr<void, CloseLibrary> handle(
      dlopen(whole, RTLD_LAZY | RTLD_LOCAL));
  if (!handle)
    return usageFailure(
        "cannot load '" + path +
        "', which is to be a shared object of comm-compile: " + dlerror());
  auto *text = static_cast<const char *>(dlsym(handle.get(), kArtifactSymbol));
  if (!text)
    return usageFailure("'" + path + "' is not of comm-compile: it has no '" +
                        kArtifactSymbol + "'");
  Result<ArtifactDescription> description = parseDescription(text);
  if (!description)
    return usageFailure("'" + path + "': " + description.getFailure().message);
  return description;
}

Result<Artifact> Artifact::load(const std::string &path) {
  // A path without a slash would be looked for among the system's libraries.
  std::unique_ptr<char, decltype(&std::free)> whole(
      realpath(path.c_str(), nullptr), std::free);
  if (!whole)
    return usageFailure("cannot open '" + path + "': " + std::strerror(errno));
  Result<ArtifactDescription> description = readDescription(path, whole.get());
  if (!description)
    return description.getFailure();
  if (MaybeFailure failure = check(*description, path))
    return *failure;
  Artifact artifact;
  artifact.path = path;
  artifact.description = std::move(*description);
  artifact.handle = dlopen(whole.get(), RTLD_NOW | RTLD_LOCAL);
  if (!artifact.handle)
    return usageFailure("cannot load '" + path + "': " + dlerror());
  return artifact;
}

std::vector<NamedFunction> Artifact::getFunctions() const {
  std::vector<NamedFunction> functions;
  for (const ArtifactFunction &function : description.functions)
    functions.push_back({function.signature.name, /*isPublic=*/true});
  return functions;
}

const ArtifactFunction *Artifact::find(const std::string &name) const {
  for (const ArtifactFunction &function : description.functions)
    if (function.signature.name == name)
      return &function;
  return nullptr;
}

const ArtifactFunction *
Artifact::findVjp(const std::string &name,
                  const std::vector<unsigned> &wrt) const {
  for (const ArtifactFunction &function : description.functions) {
    if (function.vjpOf != name)
      continue;
    std::vector<unsigned> positions;
    for (const ValueInfo &result : function.signature.results)
      if (result.gradientOf)
        positions.push_back(*result.gradientOf);
    if (positions == wrt)
      return &function;
  }
  return nullptr;
}

MaybeFailure Artifact::checkBackend(const std::string &backend) const {
  const std::vector<std::string> &backends = getBackends(description.target);
  if (std::find(backends.begin(), backends.end(), backend) != backends.end())
    return std::nullopt;
  std::string list;
  for (const std::string &known : backends)
    list += (list.empty() ? "'" : " or '") + known + "'";
  return usageFailure("'" + path + "' is compiled for target '" +
                      getName(description.target) + "', which runs on " + list +
                      ", not on '" + backend + "'");
}

Result<PackedFunction> Artifact::lookup(const std::string &name) const {
  void *symbol = dlsym(handle, getPackedName(name).c_str());
  if (!symbol)
    return usageFailure("'" + path + "' describes '@" + name +
                        "' and has no '" + getPackedName(name) + "'");
  return reinterpret_cast<PackedFunction>(symbol);
}
