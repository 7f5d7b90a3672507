//===- embed.cpp - A program that differentiates, compiles and runs -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/CompileForHost.h"
#include "comm/InitAll.h"
#include "comm/Runtime/Communicator.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <iostream>

using namespace mlir;
using Row = StridedMemRefType<float, 1>;

/// The status, then what @layer_vjp returns.
struct Results {
  int32_t status;
  Row y, dx, dw;
};

/// What is called: x, w and the seed of y.
using Vjp = void(Results *, CommContext *, Row *, Row *, Row *);

int main(int argc, char **argv) {
  DialectRegistry registry;
  comm::registerAllDialects(registry);
  MLIRContext context(registry);

  auto module = parseSourceFile<ModuleOp>(argv[argc - 1], &context);
  auto layer = module ? module->lookupSymbol<func::FuncOp>("layer") : nullptr;
  if (!layer || failed(comm::differentiate(layer)))
    return 1;
  auto engine = comm::compileForHost(*module);
  if (failed(engine))
    return 1;
  auto vjp = reinterpret_cast<Vjp *>(
      llvm::cantFail((*engine)->lookup("_mlir_ciface_layer_vjp")));

  Results results[4];
  std::string error;
  auto world = comm::runtime::World::create({{"tp", 4}}, "threads", {}, error);
  auto failure = world->launch([&](comm::runtime::Context &rank) {
    // x is one value, each rank has its own w; the seed of y is ones.
    float w = rank.getRank();
    float values[3][4] = {{1, 2, 3, 4}, {w, w, w, w}, {1, 1, 1, 1}};
    Row rows[3];
    for (int i = 0; i < 3; ++i)
      rows[i] = {values[i], values[i], 0, {4}, {1}};
    vjp(&results[rank.getRank()], &rank, &rows[0], &rows[1], &rows[2]);
  });
  if (failure)
    llvm::report_fatal_error(failure->message.c_str());
  for (Results &result : results) {
    // Their memory is the ranks' and goes with the world.
    for (Row *row : {&result.y, &result.dx, &result.dw})
      for (float element : *row)
        std::cout << element << " ";
    std::cout << "\n";
  }
}
