//===- toy-opt.cpp - comm-opt with one more dialect -----------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Toy.h"
#include "comm/InitAll.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::comm::registerAllDialects(registry);
  registry.insert<toy::ToyDialect>();
  mlir::comm::registerAllPasses();
  toy::registerLowerToy();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "toy optimizer\n", registry));
}
