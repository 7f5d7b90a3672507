//===- ValueNames.h - Names of values ---------------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_VALUENAMES_H
#define COMM_TOOLS_COMMRUN_VALUENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
}

namespace mlir::comm::runner {

/// The names of the function's arguments, without the percent sign. MLIR keeps
/// no names: they are read off the text at the arguments' locations, or are
/// what a location says itself. Empty where there is none or where it is a
/// number.
std::vector<std::string> getArgumentNames(func::FuncOp function,
                                          const llvm::SourceMgr &text);

/// The names of the values that the function returns, likewise. A name that an
/// earlier result has too is left out.
std::vector<std::string> getResultNames(func::FuncOp function,
                                        const llvm::SourceMgr &text);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_VALUENAMES_H
