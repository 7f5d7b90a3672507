//===- LoadProgram.h - The function to run, from its text -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_LOADPROGRAM_H
#define COMM_TOOLS_COMMRUN_LOADPROGRAM_H

#include "comm/Runner/Signature.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace mlir::comm::runner {

/// A function that can be run, and the module with all that it needs.
struct Program {
  OwningOpRef<ModuleOp> module;
  FunctionSignature signature;

  /// The function, by its name.
  func::FuncOp getFunction() const {
    return (*module).lookupSymbol<func::FuncOp>(signature.name);
  }
};

/// Parses the main file of `text` (text or bytecode) and finds the function:
/// the one called `name`, or where that is empty @main or the only public one.
/// The function becomes the only public one, and what it does not need is gone.
/// Errors of the program are emitted to the context's handler: then the failure
/// has no message.
Result<Program> loadProgram(MLIRContext *context, const llvm::SourceMgr &text,
                            StringRef name);

/// Functions that are compiled together, and the module with all that they
/// need.
struct Library {
  OwningOpRef<ModuleOp> module;
  std::vector<FunctionSignature> functions;
};

/// The same for the functions called `names`, or where there are none for all
/// public ones, without derivatives of others unless `derivatives`.
Result<Library> loadLibrary(MLIRContext *context, const llvm::SourceMgr &text,
                            const std::vector<std::string> &names,
                            bool derivatives);

/// Makes `functions` the only public functions of the module and erases
/// whatever they do not need.
LogicalResult keepOnly(ModuleOp module, ArrayRef<func::FuncOp> functions);

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_LOADPROGRAM_H
