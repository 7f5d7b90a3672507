//===- Target.h - What programs are compiled for ----------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_TARGET_H
#define COMM_RUNNER_TARGET_H

#include "comm/Runner/Result.h"

#include <string_view>
#include <vector>

namespace mlir::comm::runner {

/// What a program is compiled for: where its tensors lie and its kernels run.
enum class Target { Host, Nccl };

const char *getName(Target target);
std::optional<Target> getTargetByName(std::string_view name);

/// The backends that run a target's programs, the default one first.
const std::vector<std::string> &getBackends(Target target);
/// The target of the programs that a backend runs. The failure lists the
/// backends that there are.
Result<Target> getTargetOfBackend(const std::string &backend);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_TARGET_H
