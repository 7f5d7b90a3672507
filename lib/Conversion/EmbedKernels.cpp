//===- EmbedKernels.cpp - A device's code as data, launches as calls ------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::comm {
#define GEN_PASS_DEF_EMBEDKERNELS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

namespace {

/// The launches of one function. They share the memory in which a call finds
/// the parameters of its kernel.
class LaunchConverter {
public:
  LaunchConverter(func::FuncOp function, RuntimeCalls &runtime,
                  StringAttr image)
      : function(function), runtime(runtime), image(image),
        builder(function.getContext()) {}

  void convert();

private:
  void makeParameters(int64_t number);
  void convert(gpu::LaunchFuncOp launch);

  func::FuncOp function;
  RuntimeCalls &runtime;
  StringAttr image;
  OpBuilder builder;
  /// Where each parameter lies, and the list of these addresses.
  SmallVector<Value> slots;
  Value addresses;
};

} // namespace

void LaunchConverter::makeParameters(int64_t number) {
  Location loc = function.getLoc();
  builder.setInsertionPointToStart(&function.front());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto allocate = [&](Type element) {
    return LLVM::AllocaOp::create(builder, loc, pointer, element,
                                  runtime.getI64(builder, loc, number));
  };
  auto at = [&](Value base, Type element, int64_t index) {
    return LLVM::GEPOp::create(builder, loc, pointer, element, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(index)});
  };
  Value memory = allocate(builder.getI64Type());
  addresses = allocate(pointer);
  for (int64_t i = 0; i < number; ++i) {
    slots.push_back(at(memory, builder.getI64Type(), i));
    LLVM::StoreOp::create(builder, loc, slots.back(),
                          at(addresses, pointer, i));
  }
}

void LaunchConverter::convert(gpu::LaunchFuncOp launch) {
  Location loc = launch.getLoc();
  builder.setInsertionPoint(launch);
  for (auto [operand, slot] : llvm::zip(launch.getKernelOperands(), slots))
    LLVM::StoreOp::create(builder, loc, operand, slot);
  auto toI64 = [&](Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index)
        .getResult();
  };
  runtime.call(
      builder, loc, "commLaunch",
      {function.getArgument(0),
       runtime.getKernel(builder, loc, launch.getKernelName(), image),
       toI64(launch.getGridSizeX()), toI64(launch.getBlockSizeX()), addresses,
       runtime.getSite(builder, launch,
                       launch->getAttrOfType<StringAttr>("of").getValue())});
  launch->erase();
}

void LaunchConverter::convert() {
  SmallVector<gpu::LaunchFuncOp> launches;
  int64_t most = 0;
  function.walk([&](gpu::LaunchFuncOp launch) {
    launches.push_back(launch);
    most = std::max<int64_t>(most, launch.getNumKernelOperands());
  });
  if (launches.empty())
    return;
  makeParameters(most);
  for (gpu::LaunchFuncOp launch : launches)
    convert(launch);
}

namespace {
struct EmbedKernels : comm::impl::EmbedKernelsBase<EmbedKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // There is one at most: comm-launch-kernels makes it.
    auto binaries = module.getOps<gpu::BinaryOp>();
    if (binaries.empty())
      return;
    gpu::BinaryOp binary = *binaries.begin();
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    RuntimeCalls runtime(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        LaunchConverter(function, runtime, object.getObject()).convert();
    binary->erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }
};
} // namespace
