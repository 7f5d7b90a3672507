//===- InitAll.h - Registers everything that the tools know -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_INITALL_H
#define COMM_INITALL_H

namespace mlir {
class DialectRegistry;
}

namespace mlir::comm {

/// Adds all upstream dialects and extensions, the comm dialect and its external
/// models to the registry, and the translations to LLVM IR that compiling
/// takes.
void registerAllDialects(DialectRegistry &registry);

/// Registers all upstream passes, ours and the pipelines.
void registerAllPasses();

} // namespace mlir::comm

#endif // COMM_INITALL_H
