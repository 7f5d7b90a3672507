//===- CompileFlags.cpp - The flags of what compiles ----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"

#include "KernelCache.h"
#include "comm/Runtime/CommRuntime.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir::comm::runner;

void mlir::comm::runner::addCompileFlags(FlagTable &table,
                                         CompileOptions &options,
                                         std::string &kernelCache) {
  table.addSwitch("verify-runtime",
                  "Check sizes and indices of local ops while it runs",
                  options.verifyRuntime);
  table.addSwitch("keep-groups-of-one", "Call NCCL for groups of one rank too",
                  options.keepGroupsOfOne);
  table.addText("kernel-cache", "DIR|off",
                "Where compiled kernels are kept; default comm in\n"
                "$XDG_CACHE_HOME or ~/.cache",
                kernelCache);
}

std::string mlir::comm::runner::getKernelCacheFolder(const std::string &flag) {
  if (flag == "off")
    return "";
  return flag.empty() ? KernelCache::getDefaultFolder() : flag;
}

std::string mlir::comm::runner::getVersionText(const std::string &tool) {
  return tool +
         " " COMM_VERSION ", MLIR " LLVM_VERSION_STRING ", runtime ABI " +
         std::to_string(COMM_RUNTIME_ABI_VERSION);
}
