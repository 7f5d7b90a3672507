//===- RunProgram.cpp - From a program to its results ---------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgram.h"

#include "Compile.h"
#include "Differentiate.h"
#include "KernelCache.h"
#include "comm/Runner/Run.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

MaybeFailure comm::runner::runProgram(Program &program, const CommandLine &line,
                                      const Console &console) {
  Result<RunPlan> plan = planRun(program.signature, line);
  if (!plan)
    return plan.getFailure();
  ModuleOp module = *program.module;
  if (std::optional<Vjp> &vjp = plan->vjp)
    if (failed(addVjp(program, *vjp)) ||
        failed(keepOnly(
            module, {program.getFunction(),
                     module.lookupSymbol<func::FuncOp>(vjp->signature.name)})))
      return Failure{ExitCode::Compile, ""};
  KernelCache cache(line.kernelCache);
  Result<CompiledModule> code =
      CompiledModule::create(module, line.getCompileOptions(&cache));
  if (!code)
    return code.getFailure();
  auto lookup = [&](const std::string &name) { return code->lookup(name); };
  return run(*plan, lookup, line, formatReport(code->getReport()), console);
}
