//===- Generated.h - Compiled programs for the benchmarks -------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TOOLS_BENCH_GENERATED_H
#define COMM_TOOLS_BENCH_GENERATED_H

#include "comm/InitAll.h"
#include "comm/Runner/Inputs.h"
#include "tools/comm-run/Compile.h"
#include "tools/comm-run/Differentiate.h"
#include "tools/comm-run/LoadProgram.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>
#include <cstdlib>

namespace mlir::comm::bench {

/// The value, or the end of the process with the reason.
template <typename T>
T take(runner::Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "%s\n", result.getFailure().message.c_str());
  std::exit(1);
}

/// The program's `@main`, compiled as comm-run does, differentiated where
/// `grad` says so, with random inputs for every rank.
struct Generated {
  Generated(const std::string &source, bool grad) {
    DialectRegistry registry;
    comm::registerAllDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    llvm::SourceMgr text;
    text.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(source, "main.mlir"), llvm::SMLoc());
    auto program = take(runner::loadProgram(&context, text, "main"));
    signature = program.signature;
    bool ok = succeeded(runner::resolveProgram(program));
    if (grad) {
      auto vjp = take(runner::describeVjp(signature, {}));
      ok &= succeeded(runner::addVjp(program, vjp));
      signature = vjp.signature;
      ok &= succeeded(runner::keepOnly(
          *program.module,
          program.module->lookupSymbol<func::FuncOp>(signature.name)));
    }
    if (!ok)
      std::exit(1);
    code.emplace(take(runner::CompiledModule::create(*program.module)));
    entry = take(code->lookup(signature.name));
    inputs = take(runner::buildInputs(signature, {}, {}));
  }

  runner::FunctionSignature signature;
  std::optional<runner::CompiledModule> code;
  runner::PackedFunction entry;
  runner::RankValues inputs;
};

/// One line for tools/bench.sh, as section.py prints it. `sense` is "<=" or
/// ">="; without a target the figure only informs.
inline void printFigure(const std::string &what, double measured,
                        std::optional<double> target = std::nullopt,
                        const std::string &sense = "") {
  std::printf("{\"section\": \"execution\", \"what\": \"%s\", \"measured\": "
              "%.3f, \"unit\": \"x\", \"target\": %s, \"sense\": %s}\n",
              what.c_str(), measured,
              target ? std::to_string(*target).c_str() : "null",
              target ? ('"' + sense + '"').c_str() : "null");
  std::fflush(stdout);
}

} // namespace mlir::comm::bench

#endif // COMM_TOOLS_BENCH_GENERATED_H
