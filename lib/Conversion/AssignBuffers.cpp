//===- AssignBuffers.cpp - From tensors to memrefs ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace mlir::comm {
#define GEN_PASS_DEF_ASSIGNBUFFERS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {
struct AssignBuffers : comm::impl::AssignBuffersBase<AssignBuffers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels, schedules;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (isKernel(function))
        kernels.push_back(function);
      else if (!function.isExternal())
        schedules.push_back(function);
    }
    if (failed(bufferizeKernels(kernels)))
      return signalPassFailure();
    Constants constants(module);
    SymbolTable symbols(module);
    for (func::FuncOp schedule : schedules)
      if (failed(Scheduler(schedule, symbols, constants).run()))
        return signalPassFailure();
  }
};
} // namespace
