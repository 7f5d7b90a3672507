//===- ConvertLaunches.cpp - Kernels of a GPU take addresses --------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::comm {
#define GEN_PASS_DEF_CONVERTLAUNCHES
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

/// What of a memref only the run knows, besides its address: sizes, then
/// strides.
static SmallVector<unsigned> getDynamic(ArrayRef<int64_t> numbers) {
  SmallVector<unsigned> positions;
  for (auto [position, number] : llvm::enumerate(numbers))
    if (ShapedType::isDynamic(number))
      positions.push_back(position);
  return positions;
}

static SmallVector<int64_t> getStrides(MemRefType type) {
  // Those of contiguous memory follow from the sizes.
  if (type.getLayout().isIdentity())
    return {};
  return type.getStridesAndOffset().first;
}

static SmallVector<Value> convertOperands(gpu::LaunchFuncOp launch,
                                          RuntimeCalls &runtime) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  SmallVector<Value> operands;
  auto add = [&](Value index) {
    operands.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index));
  };
  for (Value operand : launch.getKernelOperands()) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (operand.getType().isIndex()) {
      add(operand);
    } else if (!type) {
      operands.push_back(operand);
    } else {
      operands.push_back(runtime.getPointer(builder, loc, operand));
      for (unsigned dim : getDynamic(type.getShape()))
        add(memref::DimOp::create(builder, loc, operand, dim));
      for (unsigned dim : getDynamic(getStrides(type)))
        add(memref::ExtractStridedMetadataOp::create(builder, loc, operand)
                .getStrides()[dim]);
    }
  }
  return operands;
}

/// The memref of a kernel whose address and dynamic numbers are arguments.
static Value createView(OpBuilder &builder, Location loc,
                        const LLVMTypeConverter &types, MemRefType type,
                        Value memory, ValueRange sizes, ValueRange strides) {
  if (type.getLayout().isIdentity())
    return createMemRef(builder, loc, types, type, memory, sizes);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, types.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, memory);
  descriptor.setAlignedPtr(builder, loc, memory);
  // The address is the first element's.
  descriptor.setConstantOffset(builder, loc, 0);
  auto next = [&](int64_t known, ValueRange &dynamic) -> Value {
    if (!ShapedType::isDynamic(known))
      return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                      known);
    Value value = dynamic.front();
    dynamic = dynamic.drop_front();
    return value;
  };
  for (auto [dim, stride] : llvm::enumerate(getStrides(type))) {
    descriptor.setSize(builder, loc, dim, next(type.getDimSize(dim), sizes));
    descriptor.setStride(builder, loc, dim, next(stride, strides));
  }
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}

/// The type of the memref in the kernel: it begins at its address.
static MemRefType withoutOffset(MemRefType type) {
  if (type.getLayout().isIdentity())
    return type;
  return MemRefType::get(
      type.getShape(), type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), 0, getStrides(type)),
      type.getMemorySpace());
}

static void convertKernel(gpu::GPUFuncOp kernel,
                          const LLVMTypeConverter &types) {
  Block &block = kernel.front();
  Location loc = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  Type i64 = builder.getI64Type();
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> attributes;
  unsigned numArguments = kernel.getNumArguments();
  // Before what stands for shared memory, whose arguments are the last.
  unsigned position = numArguments;
  auto addArgument = [&](Type type, DictionaryAttr list = {}) {
    inputs.push_back(type);
    attributes.push_back(list ? list : builder.getDictionaryAttr({}));
    return block.insertArgument(position++, type, loc);
  };
  for (unsigned number = 0; number < numArguments; ++number) {
    BlockArgument argument = block.getArgument(number);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (argument.getType().isIndex()) {
      Value index = arith::IndexCastOp::create(builder, loc, argument.getType(),
                                               addArgument(i64));
      argument.replaceAllUsesWith(index);
    } else if (!type) {
      argument.replaceAllUsesWith(addArgument(argument.getType()));
    } else {
      Value memory = addArgument(pointer, kernel.getArgAttrDict(number));
      auto addDynamic = [&](ArrayRef<int64_t> numbers) {
        SmallVector<Value> values;
        for (unsigned i = 0, e = getDynamic(numbers).size(); i < e; ++i)
          values.push_back(addArgument(i64));
        return values;
      };
      SmallVector<Value> sizes = addDynamic(type.getShape());
      SmallVector<Value> strides = addDynamic(getStrides(type));
      Value view = createView(builder, loc, types, withoutOffset(type), memory,
                              sizes, strides);
      // Loads, stores and sizes take any layout.
      argument.replaceAllUsesWith(view);
    }
  }
  block.eraseArguments(0, numArguments);
  kernel.setFunctionType(builder.getFunctionType(inputs, {}));
  kernel.setAllArgAttrs(attributes);
}

namespace {
struct ConvertLaunches : comm::impl::ConvertLaunchesBase<ConvertLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    RuntimeCalls runtime(module);
    LLVMTypeConverter types(&getContext());
    SmallVector<gpu::LaunchFuncOp> launches;
    SmallVector<gpu::GPUFuncOp> kernels;
    module.walk([&](Operation *op) {
      if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
        launches.push_back(launch);
      else if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
        kernels.push_back(kernel);
    });
    for (gpu::LaunchFuncOp launch : launches)
      launch.getKernelOperandsMutable().assign(
          convertOperands(launch, runtime));
    for (gpu::GPUFuncOp kernel : kernels)
      convertKernel(kernel, types);
  }
};
} // namespace
