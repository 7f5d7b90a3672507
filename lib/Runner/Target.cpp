//===- Target.cpp - What programs are compiled for ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Runner/Target.h"

#include <algorithm>

using namespace mlir::comm::runner;

namespace {

struct TargetInfo {
  Target target;
  const char *name;
  std::vector<std::string> backends;
};

} // namespace

static const std::vector<TargetInfo> &getTargets() {
  static const std::vector<TargetInfo> targets = {
      {Target::Host, "host", {"threads"}},
      {Target::Nccl, "nccl", {"nccl", "cuda-local"}},
  };
  return targets;
}

static const TargetInfo &getInfo(Target target) {
  return *std::find_if(
      getTargets().begin(), getTargets().end(),
      [&](const TargetInfo &info) { return info.target == target; });
}

const char *mlir::comm::runner::getName(Target target) {
  return getInfo(target).name;
}

std::optional<Target>
mlir::comm::runner::getTargetByName(std::string_view name) {
  for (const TargetInfo &info : getTargets())
    if (info.name == name)
      return info.target;
  return std::nullopt;
}

const std::vector<std::string> &mlir::comm::runner::getBackends(Target target) {
  return getInfo(target).backends;
}

Result<Target>
mlir::comm::runner::getTargetOfBackend(const std::string &backend) {
  std::string list;
  for (const TargetInfo &info : getTargets())
    for (const std::string &known : info.backends) {
      if (known == backend)
        return info.target;
      list += (list.empty() ? "'" : ", '") + known + "'";
    }
  return usageFailure("no backend '" + backend + "': expected one of " + list);
}
