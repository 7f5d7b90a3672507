//===- ProgramText.h - A program's text and its diagnostics -----*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_COMMRUN_PROGRAMTEXT_H
#define COMM_TOOLS_COMMRUN_PROGRAMTEXT_H

#include "comm/Runner/Result.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace mlir::comm::runner {

/// The text of a file, and the context that it is compiled in: diagnostics are
/// printed with their lines, each once.
class ProgramText {
public:
  /// "-" is standard input.
  static Result<std::unique_ptr<ProgramText>>
  open(const std::string &file, const DialectRegistry &registry);

  MLIRContext *getContext() { return &context; }
  const llvm::SourceMgr &get() const { return text; }

private:
  explicit ProgramText(const DialectRegistry &registry);

  MLIRContext context;
  llvm::SourceMgr text;
  llvm::StringSet<> seen;
  SourceMgrDiagnosticHandler printer;
  ScopedDiagnosticHandler filter;
};

} // namespace mlir::comm::runner

#endif // COMM_TOOLS_COMMRUN_PROGRAMTEXT_H
