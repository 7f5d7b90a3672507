//===- Execute.cpp - The compiled program on a backend -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"
#include "comm/Runner/Launch.h"
#include "tools/comm-run/Compile.h"
#include "tools/comm-run/LoadProgram.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

static runner::ValueInfo describe(Type type) {
  runner::ValueInfo info;
  info.type = getElementTypeOrSelf(type).isF32() ? COMM_F32 : COMM_F64;
  for (int64_t size : cast<RankedTensorType>(type).getShape())
    info.shape.push_back(ShapedType::isDynamic(size) ? runner::kDynamic : size);
  return info;
}

std::string mlir::comm::oracle::execute(ModuleOp module, StringRef function,
                                        const Ranks &ranks,
                                        const Values &arguments,
                                        const Values &expected, double largest,
                                        const std::string &backend) {
  OwningOpRef<ModuleOp> copy = module.clone();
  auto entry = copy->lookupSymbol<func::FuncOp>(function);
  if (failed(runner::keepOnly(*copy, {entry})))
    return "cannot keep one function:";
  runner::FunctionSignature signature;
  signature.name = function.str();
  for (auto [name, size] : llvm::zip(ranks.getNames(), ranks.getSizes()))
    signature.mesh.push_back({name.str(), size});
  for (Type type : entry.getArgumentTypes())
    signature.arguments.push_back(describe(type));
  for (Type type : entry.getResultTypes())
    signature.results.push_back(describe(type));

  runner::CompileOptions compile;
  runner::Result<runner::Target> target = runner::getTargetOfBackend(backend);
  if (!target)
    return "does not run: " + target.getFailure().message;
  compile.target = *target;
  auto compiled = runner::CompiledModule::create(*copy, compile);
  if (!compiled)
    return "does not compile: " + compiled.getFailure().message;
  auto code = compiled->lookup(function);
  if (!code)
    return "is not found: " + code.getFailure().message;

  runner::RankValues inputs(ranks.getCount());
  for (int64_t rank = 0; rank < ranks.getCount(); ++rank)
    for (auto [argument, info] : llvm::zip(arguments, signature.arguments)) {
      runner::HostTensor tensor(info.type, runner::Shape(argument.shape.begin(),
                                                         argument.shape.end()));
      for (int64_t i = 0; i < argument.size; ++i)
        tensor.setDouble(i, argument.doubles[rank * argument.size + i]);
      inputs[rank].push_back(std::move(tensor));
    }
  bool isNarrow = signature.results[0].type == COMM_F32;
  double tolerance = (isNarrow ? 1e-4 : 1e-11) * std::max(1.0, largest);
  runner::LaunchOptions options;
  options.backend = backend;
  options.timeout = std::chrono::milliseconds(10000);
  for (int run = 0; run < 2; ++run) {
    runner::Launch launched = runner::launch(*code, signature, inputs, options);
    if (launched.failure)
      return "fails: " + launched.failure->message;
    for (int64_t rank = 0; rank < ranks.getCount(); ++rank)
      for (auto [number, value] : llvm::enumerate(expected)) {
        const runner::HostTensor &got = launched.results[rank][number];
        if (!llvm::equal(got.getShape(), value.shape))
          return "has a result of a wrong shape:";
        for (int64_t i = 0; i < value.size; ++i) {
          double right = value.doubles[rank * value.size + i];
          double is = got.getDouble(i);
          if (!(std::fabs(is - right) <= tolerance))
            return "has a wrong value: result " + std::to_string(number) +
                   " on rank " + std::to_string(rank) + ", element " +
                   std::to_string(i) + ": expected " + std::to_string(right) +
                   ", got " + std::to_string(is);
        }
      }
  }
  return "";
}
