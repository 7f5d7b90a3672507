//===- SharedObject.h - A program as a file that can be loaded --*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMCOMPILE_SHAREDOBJECT_H
#define COMM_TOOLS_COMMCOMPILE_SHAREDOBJECT_H

#include "tools/comm-run/Compile.h"

namespace mlir::comm::runner {

/// Lowers the module in place, compiles it and links it, by `cc` of the PATH,
/// to the shared object `path`, which says what `description` does: the
/// processor is filled in. It holds the forms of the functions that can be
/// called; what they call is the runtime's, the C library's or its own. An
/// older file of the name is replaced only when all is done. Errors of the
/// program are emitted to the context's handler: then the failure has no
/// message.
Result<CompileReport> writeSharedObject(ModuleOp module,
                                        ArtifactDescription description,
                                        const CompileOptions &options,
                                        const std::string &path);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMCOMPILE_SHAREDOBJECT_H
