//===- Pipelines.cpp - From a .mlir file to machine code ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Pipelines.h"

#include "comm/Conversion/Passes.h"
#include "comm/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::comm;

/// Collectives and contractions in the form that the runtime takes.
static void addTensorPasses(OpPassManager &manager, bool verifyRuntime) {
  manager.addPass(createCheckLowering());
  // What is lowered has been proved: no mark that does not hold, no collective
  // that only some ranks reach.
  manager.addPass(createMaterializeReplication());
  manager.addPass(createLowerLocal());
  manager.addPass(createNormalizeLayout());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createPrepareTensors());
  manager.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  if (verifyRuntime) {
    manager.addPass(createVerifyRuntime());
    manager.addPass(createCanonicalizerPass());
  }
}

/// Tensors to memrefs.
static void addBuffers(OpPassManager &manager) {
  manager.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  manager.addPass(createOutlineKernels());
  manager.addPass(createAssignBuffers());
}

/// Runtime calls, and loops for the rest.
static void addRuntimeCalls(OpPassManager &manager) {
  manager.addPass(createConvertCommToRuntime());
  manager.addPass(createConvertContractions());
  manager.addPass(createExpandCopies());
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
}

/// Only arithmetic that the processor or the C library has: none on bf16, and
/// functions of one number in f32 at least.
static void addArithmetic(OpPassManager &manager) {
  manager.addPass(createExpandMath());
  math::MathExtendToSupportedTypesOptions functions;
  functions.targetTypeStr = "f32";
  manager.addNestedPass<func::FuncOp>(
      math::createMathExtendToSupportedTypes(functions));
  arith::ArithEmulateUnsupportedFloatsOptions operations;
  operations.sourceTypeStrs = {"bf16"};
  operations.targetTypeStr = "f32";
  manager.addNestedPass<func::FuncOp>(
      arith::createArithEmulateUnsupportedFloats(operations));
  arith::ArithExpandOpsPassOptions expansion;
  expansion.includeBf16 = true;
  manager.addNestedPass<func::FuncOp>(
      arith::createArithExpandOpsPass(expansion));
  manager.addPass(createConvertMathToFuncs());
  manager.addPass(createLowerMath());
}

void comm::buildHostPipeline(OpPassManager &manager,
                             const HostPipelineOptions &options) {
  addTensorPasses(manager, options.verifyRuntime);
  addBuffers(manager);
  addRuntimeCalls(manager);
  addArithmetic(manager);
  manager.addPass(createConvertKernels());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createLowerControlFlow());
  manager.addPass(createLowerAssertions());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCheckLowered());
}

void comm::registerCommPipelines() {
  PassPipelineRegistration<HostPipelineOptions>(
      "comm-to-host", "From tensors to the LLVM dialect for the host",
      [](OpPassManager &manager, const HostPipelineOptions &options) {
        buildHostPipeline(manager, options);
      });
}
