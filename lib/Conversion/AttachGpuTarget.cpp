//===- AttachGpuTarget.cpp - What device code is compiled for -------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Triple.h"

#include <cstdlib>

namespace mlir::comm {
#define GEN_PASS_DEF_ATTACHGPUTARGET
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

std::string comm::findCudaToolkit(StringRef given) {
  if (!given.empty())
    return given.str();
  for (const char *name : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const char *path = std::getenv(name))
      return path;
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  SmallString<128> real;
  if (!ptxas || llvm::sys::fs::real_path(*ptxas, real))
    return "";
  return llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str();
}

/// 90 of sm_90a.
static unsigned getNumber(StringRef chip) {
  unsigned number = 0;
  if (chip.consume_front("sm_"))
    chip.consumeInteger(10, number);
  return number;
}

/// The version of PTX that a chip needs, as LLVM names the feature.
static StringRef getPtxFeature(StringRef chip) {
  unsigned number = getNumber(chip);
  if (number > 100)
    return "+ptx87";
  return number == 100 ? "+ptx86" : "+ptx80";
}

/// Whether LLVM knows the chip, and CUDA's assembler, which has dropped those
/// before sm_75.
static bool isChip(StringRef chip) {
  if (getNumber(chip) < 75)
    return false;
  NVVM::SerializeGPUModuleBase::init();
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  return info->isCPUStringValid(chip);
}

namespace {
struct AttachGpuTarget : comm::impl::AttachGpuTargetBase<AttachGpuTarget> {
  using AttachGpuTargetBase::AttachGpuTargetBase;

  void runOnOperation() override {
    // A module without kernels needs none of it.
    auto modules = getOperation().getOps<gpu::GPUModuleOp>();
    if (modules.empty())
      return;
    if (failed(check()))
      return signalPassFailure();
    auto target = NVVM::NVVMTargetAttr::get(&getContext(), /*O=*/3, kTriple,
                                            chip, getPtxFeature(chip));
    for (gpu::GPUModuleOp module : modules)
      module.setTargetsAttr(ArrayAttr::get(&getContext(), target));
  }

  LogicalResult check() {
    Location loc = getOperation().getLoc();
    if (!isChip(chip))
      return emitError(loc) << "'cubin-chip' expects a GPU such as sm_90, got '"
                            << chip << "'";
    if (!llvm::is_contained({"isa", "bin", "fatbin"}, StringRef(format)))
      return emitError(loc)
             << "'cubin-format' expects isa, bin or fatbin, got '" << format
             << "'";
    SmallString<128> library(findCudaToolkit(toolkit));
    if (library.empty())
      return emitError(loc)
             << "no CUDA toolkit was found, whose libdevice and ptxas make the "
                "code of kernels: set 'cuda-toolkit' or CUDA_HOME";
    llvm::sys::path::append(library, "nvvm", "libdevice", "libdevice.10.bc");
    if (!llvm::sys::fs::exists(library))
      return emitError(loc) << "the CUDA toolkit has no '" << library << "'";
    return success();
  }
};
} // namespace
