//===- ConvertKernels.cpp - Kernels take addresses ------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "RuntimeCalls.h"
#include "StreamedMemory.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/StreamedArguments.h"
#include "comm/Runtime/Arena.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::comm {
#define GEN_PASS_DEF_CONVERTKERNELS
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;
using runtime::bufferAlignment;

/// Whether the memory is the program's own, and not a caller's.
static bool isAligned(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<memref::ViewOp>(op))
      return getConstantIntValue(view.getByteShift()).value_or(1) %
                 bufferAlignment ==
             0;
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(op))
      memref = op->getOperand(0);
    else
      return isa<memref::GetGlobalOp, RegionBranchOpInterface,
                 UnrealizedConversionCastOp>(op);
  }
  return !isa<FunctionOpInterface>(
      cast<BlockArgument>(memref).getOwner()->getParentOp());
}

namespace {

/// Converts one kernel and the calls of it.
class KernelConverter {
public:
  KernelConverter(func::FuncOp kernel, const LLVMTypeConverter &types)
      : kernel(kernel), types(types),
        areAligned(kernel.getNumArguments(), true) {}

  /// The operands of a call, as the kernel will take them.
  SmallVector<Value> convertOperands(func::CallOp call, RuntimeCalls &runtime);
  /// Makes the kernel take them. All calls have been seen.
  LLVM::LLVMFuncOp convert();

private:
  func::FuncOp kernel;
  const LLVMTypeConverter &types;
  SmallVector<bool> areAligned;
};

} // namespace

SmallVector<Value> KernelConverter::convertOperands(func::CallOp call,
                                                    RuntimeCalls &runtime) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  auto toI64 = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  };
  SmallVector<Value> operands;
  for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      operands.push_back(isa<IndexType>(operand.getType()) ? toI64(operand)
                                                           : operand);
      continue;
    }
    areAligned[number] = areAligned[number] && isAligned(operand);
    operands.push_back(runtime.getPointer(builder, loc, operand));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        operands.push_back(
            toI64(memref::DimOp::create(builder, loc, operand, dim)));
  }
  return operands;
}

LLVM::LLVMFuncOp KernelConverter::convert() {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  NamedAttribute noAlias(LLVM::LLVMDialect::getNoAliasAttrName(),
                         builder.getUnitAttr());
  NamedAttribute aligned(LLVM::LLVMDialect::getAlignAttrName(),
                         builder.getI64IntegerAttr(bufferAlignment));

  Block &block = kernel.front();
  unsigned numArguments = block.getNumArguments();
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<std::string> streamed;
  builder.setInsertionPointToStart(&block);
  auto addArgument = [&](Type type, ArrayRef<NamedAttribute> list = {}) {
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr(list));
    return block.addArgument(type, loc);
  };
  for (unsigned number = 0; number < numArguments; ++number) {
    BlockArgument argument = block.getArgument(number);
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      if (isStreamed(argument))
        streamed.push_back(std::to_string(types.size()));
      // No two arguments overlap where one of them is written.
      Value memory = areAligned[number]
                         ? addArgument(pointer, {noAlias, aligned})
                         : addArgument(pointer, noAlias);
      SmallVector<Value> sizes;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          sizes.push_back(addArgument(i64));
      argument.replaceAllUsesWith(
          createMemRef(builder, loc, this->types, type, memory, sizes));
    } else if (isa<IndexType>(argument.getType())) {
      Value index = arith::IndexCastOp::create(builder, loc, argument.getType(),
                                               addArgument(i64));
      argument.replaceAllUsesWith(index);
    } else {
      argument.replaceAllUsesWith(addArgument(argument.getType()));
    }
  }
  block.eraseArguments(0, numArguments);
  Operation *terminator = block.getTerminator();
  builder.setInsertionPoint(terminator);
  LLVM::ReturnOp::create(builder, terminator->getLoc(), ValueRange());
  terminator->erase();

  builder.setInsertionPoint(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, kernel.getName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types),
      LLVM::Linkage::Internal);
  function->setAttr(kKernelAttrName, builder.getUnitAttr());
  function.setAllArgAttrs(attributes);
  if (!streamed.empty())
    function.setPassthroughAttr(builder.getArrayAttr(builder.getStrArrayAttr(
        {kStreamedArgumentsName, llvm::join(streamed, ",")})));
  function.getBody().takeBody(kernel.getBody());
  kernel.erase();
  return function;
}

namespace {
struct ConvertKernels : comm::impl::ConvertKernelsBase<ConvertKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    RuntimeCalls runtime(module);
    LLVMTypeConverter types(&getContext());
    llvm::MapVector<StringAttr, KernelConverter> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (isKernel(function))
        kernels.insert({function.getNameAttr(), {function, types}});
    module.walk([&](func::CallOp call) {
      if (!isKernel(call))
        return;
      auto &kernel = kernels.find(call.getCalleeAttr().getAttr())->second;
      OpBuilder builder(call);
      SmallVector<Value> operands = kernel.convertOperands(call, runtime);
      auto converted = LLVM::CallOp::create(builder, call.getLoc(), TypeRange(),
                                            call.getCalleeAttr(), operands);
      converted->setAttr(kKernelAttrName, builder.getUnitAttr());
      call->erase();
    });
    for (auto &[name, kernel] : kernels)
      kernel.convert();
    // Views whose address was taken at their source.
    module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }
};
} // namespace
