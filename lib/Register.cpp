//===- Register.cpp - What comm adds to an MLIR program -------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Register.h"
#include "comm/Analysis/ExternalModels/ScfReplication.h"
#include "comm/Autodiff/ExternalModels.h"
#include "comm/Conversion/Passes.h"
#include "comm/Conversion/Pipelines.h"
#include "comm/IR/Comm.h"
#include "comm/Transforms/Passes.h"

using namespace mlir;

void comm::registerCommDialect(DialectRegistry &registry) {
  registry.insert<CommDialect>();
  registerScfReplicationModels(registry);
  registerArithAdjointModels(registry);
  registerFuncAdjointModels(registry);
  registerFuncTangentModels(registry);
  registerScfTangentModels(registry);
  registerLinalgAdjointModels(registry);
  registerMathAdjointModels(registry);
  registerScfAdjointModels(registry);
  registerTensorAdjointModels(registry);
}

void comm::registerCommPasses() {
  registerCommTransformsPasses();
  registerCommConversionPasses();
  registerCommPipelines();
}
