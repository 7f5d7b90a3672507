//===- Differentiate.cpp - A program and its gradients --------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Differentiate.h"

#include "comm/Analysis/ModuleFacts.h"
#include "comm/IR/Comm.h"
#include "comm/Transforms/DifferentiatePass.h"
#include "comm/Transforms/MaterializeReplication.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

LogicalResult comm::runner::resolveProgram(Program &program, bool warn) {
  ModuleOp module = *program.module;
  // What the differentiator writes, whatever the program holds.
  module.getContext()
      ->loadDialect<CommDialect, arith::ArithDialect, func::FuncDialect,
                    linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  bool ok = true;
  ModuleFacts facts(module);
  for (func::FuncOp function : functions)
    ok &= succeeded(materializeReplication(function, facts, warn));
  if (!ok)
    return failure();
  CommDifferentiator differentiator(module);
  for (func::FuncOp function : functions)
    ok &= succeeded(differentiator.resolve(function));
  if (!ok)
    return failure();
  return keepOnly(module, program.getFunction());
}

Result<Vjp> comm::runner::describeVjp(const FunctionSignature &signature,
                                      const std::vector<std::string> &wrt) {
  Vjp vjp;
  vjp.signature = signature;
  for (const std::string &name : wrt) {
    Result<unsigned> position = findValue(signature, ValueKind::Argument, name);
    if (!position)
      return usageFailure("--wrt=" + name + ": " +
                          position.getFailure().message);
    const ValueInfo &info = signature.arguments[*position];
    if (!isFloat(info.type))
      return usageFailure(
          "--wrt=" + name + ": " +
          describeValue(signature, ValueKind::Argument, *position) + " is " +
          info.formatType() + ", which has no gradient");
    vjp.wrt.push_back(*position);
  }
  std::sort(vjp.wrt.begin(), vjp.wrt.end());
  vjp.wrt.erase(std::unique(vjp.wrt.begin(), vjp.wrt.end()), vjp.wrt.end());

  for (unsigned i = 0; i < signature.arguments.size() && wrt.empty(); ++i)
    if (isFloat(signature.arguments[i].type))
      vjp.wrt.push_back(i);
  for (unsigned i = 0; i < signature.results.size(); ++i)
    if (isFloat(signature.results[i].type))
      vjp.seeded.push_back(i);
  if (vjp.wrt.empty() || vjp.seeded.empty())
    return usageFailure(
        "nothing to differentiate: '@" + signature.name + "' has no " +
        (vjp.wrt.empty() ? "argument" : "result") + " of floats");

  for (unsigned position : vjp.seeded)
    vjp.signature.arguments.push_back(signature.results[position]);
  for (unsigned position : vjp.wrt) {
    ValueInfo gradient = signature.arguments[position];
    gradient.gradientOf = position;
    vjp.signature.results.push_back(gradient);
  }
  return vjp;
}

LogicalResult comm::runner::addVjp(const Program &program, Vjp &vjp) {
  DerivativeOptions options;
  options.wrt = SmallVector<int64_t>(vjp.wrt.begin(), vjp.wrt.end());
  CommDifferentiator differentiator(*program.module);
  FailureOr<func::FuncOp> function =
      differentiator.getVjp(program.getFunction(), options);
  if (failed(function))
    return failure();
  vjp.signature.name = function->getName().str();
  return success();
}

FailureOr<FunctionSignature> comm::runner::addJvp(const Program &program,
                                                  const Vjp &vjp) {
  DerivativeOptions options;
  options.wrt = SmallVector<int64_t>(vjp.wrt.begin(), vjp.wrt.end());
  CommDifferentiator differentiator(*program.module);
  FailureOr<func::FuncOp> function =
      differentiator.getJvp(program.getFunction(), options);
  if (failed(function))
    return failure();
  FunctionSignature signature = program.signature;
  signature.name = function->getName().str();
  for (unsigned position : vjp.wrt)
    signature.arguments.push_back(program.signature.arguments[position]);
  for (unsigned position : vjp.seeded)
    signature.results.push_back(program.signature.results[position]);
  return signature;
}

RankValues comm::runner::joinValues(RankValues inputs,
                                    const RankValues &seeds) {
  for (size_t rank = 0; rank < inputs.size(); ++rank)
    inputs[rank].insert(inputs[rank].end(), seeds[rank].begin(),
                        seeds[rank].end());
  return inputs;
}
