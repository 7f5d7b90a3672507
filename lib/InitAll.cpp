//===- InitAll.cpp - Registers everything that the tools know -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The one file that includes every upstream dialect: it takes 12 s to compile.

#include "comm/InitAll.h"
#include "comm/Conversion/Pipelines.h"
#include "comm/Register.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

void comm::registerAllDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerCommDialect(registry);
  registerGpuTargets(registry);
}

void comm::registerAllPasses() {
  mlir::registerAllPasses();
  registerCommPasses();
}
