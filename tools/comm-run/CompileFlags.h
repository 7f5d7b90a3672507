//===- CompileFlags.h - The flags of what compiles --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_COMPILEFLAGS_H
#define COMM_TOOLS_COMMRUN_COMPILEFLAGS_H

#include "Compile.h"
#include "comm/Runner/Flags.h"

namespace mlir::comm::runner {

/// The flags of what compiles, which comm-run and comm-compile have in common.
void addCompileFlags(FlagTable &table, CompileOptions &options,
                     std::string &kernelCache);
/// The folder that --kernel-cache names, or the default one; empty for "off".
std::string getKernelCacheFolder(const std::string &flag);
/// What --version prints.
std::string getVersionText(const std::string &tool);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_COMPILEFLAGS_H
