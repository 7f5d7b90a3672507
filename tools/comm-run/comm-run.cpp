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
#include "ProgramText.h"
#include "RunProgram.h"
#include "comm/InitAll.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

static MaybeFailure run(int argc, char **argv, const Console &console) {
  Result<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return line.getFailure();
  line->launch.onStuck = [&](const Failure &failure) {
    console.exitWith(failure);
  };

  DialectRegistry registry;
  comm::registerAllDialects(registry);
  Result<std::unique_ptr<ProgramText>> text =
      ProgramText::open(line->file, registry);
  if (!text)
    return text.getFailure();
  auto load = [&](StringRef name) {
    return loadProgram((*text)->getContext(), (*text)->get(), name);
  };
  Result<Program> program = load(line->function);
  if (!program)
    return program.getFailure();
  if (failed(resolveProgram(*program)))
    return Failure{ExitCode::Compile, ""};
  if (!line->checkGrad)
    return runProgram(*program, *line, console);
  return checkGradient(*program, load, *line, console);
}

int main(int argc, char **argv) {
  return Console("comm-run").run(run, argc, argv);
}
