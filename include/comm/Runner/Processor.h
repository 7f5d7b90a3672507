//===- Processor.h - What code asks of a processor --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_RUNNER_PROCESSOR_H
#define COMM_RUNNER_PROCESSOR_H

#include <string>
#include <vector>

namespace mlir::comm::runner {

/// The instruction sets that this process can look for, by the names that LLVM
/// has for them; none where processors do not tell.
const std::vector<std::string> &getKnownFeatures();

/// Those of `features` that this processor does not have.
std::vector<std::string>
getMissingFeatures(const std::vector<std::string> &features);

} // namespace mlir::comm::runner

#endif // COMM_RUNNER_PROCESSOR_H
