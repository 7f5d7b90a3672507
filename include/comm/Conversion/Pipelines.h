//===- Pipelines.h - From a .mlir file to machine code ----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_CONVERSION_PIPELINES_H
#define COMM_CONVERSION_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace comm {

struct HostPipelineOptions : PassPipelineOptions<HostPipelineOptions> {
  Option<bool> verifyRuntime{
      *this, "verify-runtime",
      llvm::cl::desc("Check sizes and indices of local ops while it runs"),
      llvm::cl::init(false)};
};

/// Adds what takes a module of tensors, already differentiated, to the LLVM
/// dialect: code for the host that calls the runtime, as docs/Runtime.md says.
void buildHostPipeline(
    OpPassManager &manager,
    const HostPipelineOptions &options = HostPipelineOptions());

/// Registers `comm-to-host`.
void registerCommPipelines();

} // namespace comm
} // namespace mlir

#endif // COMM_CONVERSION_PIPELINES_H
