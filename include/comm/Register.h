//===- Register.h - What comm adds to an MLIR program -----------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_REGISTER_H
#define COMM_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace mlir::comm {

/// Adds the comm dialect and what it tells of upstream dialects (adjoints,
/// replication). Upstream's own dialects and extensions are the caller's to
/// add, or `registerAllDialects` of InitAll.h adds both.
void registerCommDialect(DialectRegistry &registry);

/// Registers the passes and pipelines of comm, none of upstream's.
void registerCommPasses();

} // namespace mlir::comm

#endif // COMM_REGISTER_H
