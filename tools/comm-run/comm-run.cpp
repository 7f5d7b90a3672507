//===- comm-run.cpp - Runs a program on every rank of its mesh ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckGradient.h"
#include "CommandLine.h"
#include "Compile.h"
#include "Differentiate.h"
#include "RunProgram.h"
#include "comm/InitAll.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <exception>
#include <new>

using namespace mlir;
using namespace mlir::comm;
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

static void printFailure(const Failure &failure) {
  llvm::outs().flush();
  if (!failure.message.empty())
    llvm::WithColor::error(llvm::errs(), "comm-run") << failure.message << "\n";
}

static MaybeFailure run(int argc, char **argv) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return line.getFailure();
  line->launch.onStuck = [](const Failure &failure) {
    printFailure(failure);
    // A rank's thread is still at work on what a normal exit would free.
    std::_Exit(static_cast<int>(failure.code));
  };
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(line->file, &error);
  if (!file)
    return usageFailure(error);

  DialectRegistry registry;
  comm::registerAllDialects(registry);
  registerTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The line of the text says more than the op in generic form.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr text;
  text.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler printer(text, &context);
  llvm::StringSet<> seen;
  ScopedDiagnosticHandler filter(&context, [&](Diagnostic &diagnostic) {
    return dropRepeated(diagnostic, seen);
  });

  Result<Program> program = loadProgram(&context, text, line->function);
  if (!program)
    return program.getFailure();
  if (failed(resolveProgram(*program)))
    return Failure{ExitCode::Compile, ""};
  if (!line->checkGrad)
    return runProgram(*program, *line);
  auto load = [&](StringRef name) { return loadProgram(&context, text, name); };
  return checkGradient(*program, load, *line);
}

int main(int argc, char **argv) {
  MaybeFailure failure;
  try {
    failure = run(argc, argv);
  } catch (const std::bad_alloc &) {
    failure = Failure{ExitCode::Runtime, "out of memory"};
  } catch (const std::exception &exception) {
    failure = Failure{ExitCode::Runtime, exception.what()};
  }
  if (!failure)
    return static_cast<int>(ExitCode::Success);
  printFailure(*failure);
  return static_cast<int>(failure->code);
}
