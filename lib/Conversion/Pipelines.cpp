//===- Pipelines.cpp - From a .mlir file to machine code ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "comm/Conversion/Pipelines.h"

#include "CudaToolkit.h"
#include "comm/Conversion/Passes.h"
#include "comm/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::comm;

/// Collectives and contractions in the form that the runtime takes.
static void addTensorPasses(OpPassManager &manager, bool verifyRuntime,
                            bool gpu, bool keepGroupsOfOne) {
  manager.addPass(createCheckLowering());
  // What is lowered has been proved: no mark that does not hold, no collective
  // that only some ranks reach.
  manager.addPass(createMaterializeReplication());
  LowerLocalOptions local;
  local.keepGroupsOfOne = keepGroupsOfOne;
  manager.addPass(createLowerLocal(local));
  if (gpu)
    manager.addPass(createScaleAverages());
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

/// From what is left of the host's code to the LLVM dialect.
static void addHostCode(OpPassManager &manager) {
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createLowerControlFlow());
  manager.addPass(createLowerAssertions());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCheckLowered());
}

void comm::buildHostPipeline(OpPassManager &manager,
                             const HostPipelineOptions &options) {
  addTensorPasses(manager, options.verifyRuntime, /*gpu=*/false,
                  /*keepGroupsOfOne=*/false);
  addBuffers(manager);
  addRuntimeCalls(manager);
  addArithmetic(manager);
  manager.addPass(createConvertKernels());
  addHostCode(manager);
}

/// The device's code, from launches of linalg ops to an image.
static void addDeviceCode(OpPassManager &manager,
                          const NcclPipelineOptions &options) {
  manager.addPass(createConvertLaunches());
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // What NVVM has no function of libdevice for, and LLVM an intrinsic.
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCheckLowered());

  AttachGpuTargetOptions target;
  target.chip = options.chip;
  target.format = options.format;
  target.toolkit = options.toolkit;
  manager.addPass(createAttachGpuTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = options.format;
  binary.toolkitPath = findCudaToolkit(options.toolkit);
  manager.addPass(createGpuModuleToBinaryPass(binary));
  manager.addPass(createEmbedKernels());
}

void comm::buildGpuSchedule(OpPassManager &manager,
                            const NcclPipelineOptions &options) {
  addTensorPasses(manager, options.verifyRuntime, /*gpu=*/true,
                  options.keepGroupsOfOne);
  addBuffers(manager);
  manager.addPass(createExpandMath());
  manager.addPass(createLaunchKernels());
  manager.addPass(createGroupMessages());
}

void comm::buildNcclPipeline(OpPassManager &manager,
                             const NcclPipelineOptions &options) {
  buildGpuSchedule(manager, options);
  manager.addPass(createConvertCommToRuntime());
  manager.addPass(createConvertContractions());
  manager.addPass(createUseDeviceMemory());
  LaunchKernelsOptions rest;
  rest.schedule = true;
  manager.addPass(createLaunchKernels(rest));
  addDeviceCode(manager, options);
  addArithmetic(manager);
  addHostCode(manager);
}

void comm::registerGpuTargets(DialectRegistry &registry) {
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void comm::registerCommPipelines() {
  PassPipelineRegistration<HostPipelineOptions>(
      "comm-to-host", "From tensors to the LLVM dialect for the host",
      [](OpPassManager &manager, const HostPipelineOptions &options) {
        buildHostPipeline(manager, options);
      });
  PassPipelineRegistration<NcclPipelineOptions>(
      "comm-to-nccl",
      "From tensors to the LLVM dialect with embedded code for GPUs",
      [](OpPassManager &manager, const NcclPipelineOptions &options) {
        buildNcclPipeline(manager, options);
      });
}
