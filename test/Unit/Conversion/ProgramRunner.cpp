//===- ProgramRunner.cpp - Compiles a program and runs it on ranks --------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramRunner.h"

#include "comm/InitAll.h"
#include "comm/Runner/Compare.h"
#include "comm/Runner/Launch.h"
#include "mlir/IR/MLIRContext.h"
#include "tools/comm-run/Compile.h"
#include "tools/comm-run/LoadProgram.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::comm;

static std::vector<runner::ValueSpec>
parseSpecs(const std::vector<std::string> &texts) {
  std::vector<runner::ValueSpec> specs;
  for (const std::string &text : texts) {
    runner::Result<runner::ValueSpec> spec =
        runner::parseValueSpec("--value", text);
    EXPECT_TRUE(bool(spec)) << text;
    if (spec)
      specs.push_back(*spec);
  }
  return specs;
}

std::string comm::runProgram(const std::string &source,
                             const std::vector<std::string> &inputs,
                             const std::vector<std::string> &expected) {
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr text;
  text.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source, "program.mlir"), llvm::SMLoc());
  auto program = runner::loadProgram(&context, text, "main");
  if (!program)
    return "does not parse";
  auto code = runner::CompiledModule::create(*program->module);
  if (!code)
    return "does not compile";
  auto entry = code->lookup("main");
  if (!entry)
    return "has no entry: " + entry.getFailure().message;

  const runner::FunctionSignature &signature = program->signature;
  auto values = runner::buildInputs(signature, parseSpecs(inputs), {});
  if (!values)
    return values.getFailure().message;
  runner::Launch launch = runner::launch(*entry, signature, *values, {});
  if (launch.failure)
    return launch.failure->message;
  auto report = runner::checkExpected(signature, launch.results,
                                      parseSpecs(expected), {});
  if (!report)
    return report.getFailure().message;
  if (report->passed)
    return "";
  std::string lines;
  for (const std::string &line : report->lines)
    lines += line + "\n";
  return lines;
}
