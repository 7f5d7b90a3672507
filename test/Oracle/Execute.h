//===- Execute.h - The compiled program on threads --------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_ORACLE_EXECUTE_H
#define COMM_TEST_ORACLE_EXECUTE_H

#include "Evaluator.h"

namespace mlir::comm::oracle {

/// Lowers a copy of the module for a backend, runs a function there on every
/// rank and compares with what is expected, at a tolerance for sums of numbers
/// as large as `largest`. Runs twice: the second run sees what the first has
/// left. Returns what is wrong, first a phrase that is the same for like faults
/// and ends in a colon; empty if nothing is.
std::string execute(ModuleOp module, StringRef function, const Ranks &ranks,
                    const Values &arguments, const Values &expected,
                    double largest, const std::string &backend);

} // namespace mlir::comm::oracle

#endif // COMM_TEST_ORACLE_EXECUTE_H
