//===- ProgramText.cpp - A program's text and its diagnostics -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramText.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Support/FileUtilities.h"

using namespace mlir;
using namespace mlir::comm::runner;

/// Reports each error and warning once: an analysis runs more than once.
static LogicalResult dropRepeated(Diagnostic &diagnostic,
                                  llvm::StringSet<> &seen) {
  std::string text;
  llvm::raw_string_ostream(text)
      << diagnostic.getLocation() << ": " << diagnostic;
  // A handler that succeeds ends the matter.
  return success(!seen.insert(text).second);
}

ProgramText::ProgramText(const DialectRegistry &registry)
    : context(registry, MLIRContext::Threading::DISABLED),
      printer(text, &context), filter(&context, [this](Diagnostic &diagnostic) {
        return dropRepeated(diagnostic, seen);
      }) {
  // The line of the text says more than the op in generic form.
  context.printOpOnDiagnostic(false);
}

Result<std::unique_ptr<ProgramText>>
ProgramText::open(const std::string &file, const DialectRegistry &registry) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(file, &error);
  if (!buffer)
    return usageFailure(error);
  std::unique_ptr<ProgramText> program(new ProgramText(registry));
  program->text.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return program;
}
