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

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::runner;

std::unique_ptr<CommDifferentiator> comm::runner::resolveModule(ModuleOp module,
                                                                bool warn) {
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
    return nullptr;
  auto differentiator = std::make_unique<CommDifferentiator>(module);
  for (func::FuncOp function : functions)
    ok &= succeeded(differentiator->resolve(function));
  return ok ? std::move(differentiator) : nullptr;
}

LogicalResult comm::runner::resolveProgram(Program &program, bool warn) {
  if (!resolveModule(*program.module, warn))
    return failure();
  return keepOnly(*program.module, program.getFunction());
}

LogicalResult comm::runner::addVjp(CommDifferentiator &differentiator,
                                   func::FuncOp function, Vjp &vjp) {
  DerivativeOptions options;
  options.wrt = SmallVector<int64_t>(vjp.wrt.begin(), vjp.wrt.end());
  FailureOr<func::FuncOp> generated = differentiator.getVjp(function, options);
  if (failed(generated))
    return failure();
  vjp.signature.name = generated->getName().str();
  return success();
}

LogicalResult comm::runner::addVjp(const Program &program, Vjp &vjp) {
  CommDifferentiator differentiator(*program.module);
  return addVjp(differentiator, program.getFunction(), vjp);
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
