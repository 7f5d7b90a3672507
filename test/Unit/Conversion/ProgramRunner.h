//===- ProgramRunner.h - Runs a program -------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_CONVERSION_PROGRAMRUNNER_H
#define COMM_TEST_UNIT_CONVERSION_PROGRAMRUNNER_H

#include <string>
#include <vector>

namespace mlir::comm {

/// Lowers a module by `comm-to-host`, JIT-compiles it, and runs `@main` on all
/// ranks of its mesh. Inputs and expected results are in the runner's grammar,
/// with positions as names: "0@1=1,2,3" is value 0 of rank 1. Returns what is
/// wrong, an error or a mismatch; empty if nothing is.
std::string runProgram(const std::string &source,
                       const std::vector<std::string> &inputs,
                       const std::vector<std::string> &expected);

} // namespace mlir::comm

#endif // COMM_TEST_UNIT_CONVERSION_PROGRAMRUNNER_H
