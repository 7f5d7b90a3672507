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
class DialectRegistry;
class OpPassManager;

namespace comm {

struct HostPipelineOptions : PassPipelineOptions<HostPipelineOptions> {
  Option<bool> verifyRuntime{
      *this, "verify-runtime",
      llvm::cl::desc("Check sizes and indices of local ops while it runs"),
      llvm::cl::init(false)};
};

struct NcclPipelineOptions : PassPipelineOptions<NcclPipelineOptions> {
  Option<std::string> chip{*this, "cubin-chip",
                           llvm::cl::desc("The GPU to make code for"),
                           llvm::cl::init("sm_80")};
  Option<std::string> format{
      *this, "cubin-format",
      llvm::cl::desc("The kind of device code: isa (PTX, which the driver "
                     "compiles), bin (a cubin) or fatbin (both)"),
      llvm::cl::init("isa")};
  Option<bool> keepGroupsOfOne{
      *this, "keep-groups-of-one",
      llvm::cl::desc("Call NCCL for groups of one rank too"),
      llvm::cl::init(false)};
  Option<std::string> toolkit{
      *this, "cuda-toolkit",
      llvm::cl::desc("Where the CUDA toolkit is; else what CUDA_ROOT, "
                     "CUDA_HOME, CUDA_PATH or the place of ptxas say"),
      llvm::cl::init("")};
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

/// The same for GPUs: the code of the host calls the runtime, which starts the
/// kernels that it carries.
void buildNcclPipeline(
    OpPassManager &manager,
    const NcclPipelineOptions &options = NcclPipelineOptions());

/// The first part of it: collectives on memrefs and launches of kernels.
void buildGpuSchedule(OpPassManager &manager,
                      const NcclPipelineOptions &options);

/// Adds what the pipeline for GPUs needs of a context: the target and the
/// translations of device code.
void registerGpuTargets(DialectRegistry &registry);

/// Registers `comm-to-host` and `comm-to-nccl`.
void registerCommPipelines();

} // namespace comm
} // namespace mlir

#endif // COMM_CONVERSION_PIPELINES_H
