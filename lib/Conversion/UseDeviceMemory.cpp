//===- UseDeviceMemory.cpp - Memory that the host cannot touch ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "comm/Conversion/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::comm {
#define GEN_PASS_DEF_USEDEVICEMEMORY
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

/// One element as a memref without dimensions.
static Value getElement(OpBuilder &builder, Location loc, Value memref,
                        ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  MemRefType element = memref::SubViewOp::inferRankReducedResultType(
      /*resultShape=*/{}, type, offsets, ones, ones);
  return memref::SubViewOp::create(builder, loc, element, memref, offsets, ones,
                                   ones);
}

namespace {

class DeviceMemory {
public:
  DeviceMemory(ModuleOp module)
      : runtime(module), types(module.getContext()),
        builder(module.getContext()) {}

  void convert(func::FuncOp function);

private:
  void convertGlobal(memref::GetGlobalOp op);
  void convertCopy(memref::CopyOp op);
  void convertStore(memref::StoreOp op);
  void convertLoad(memref::LoadOp op);
  Value getBytes(Location loc, Value memref);

  RuntimeCalls runtime;
  LLVMTypeConverter types;
  OpBuilder builder;
};

} // namespace

Value DeviceMemory::getBytes(Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t known = getElementBytes(type.getElementType());
  Value bytes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      known *= type.getDimSize(dim);
      continue;
    }
    Value size = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(),
        memref::DimOp::create(builder, loc, memref, dim));
    bytes = bytes ? arith::MulIOp::create(builder, loc, bytes, size) : size;
  }
  Value factor = runtime.getI64(builder, loc, known);
  return bytes ? arith::MulIOp::create(builder, loc, bytes, factor) : factor;
}

void DeviceMemory::convertGlobal(memref::GetGlobalOp op) {
  Location loc = op.getLoc();
  builder.setInsertionPointAfter(op);
  Value host = runtime.getPointer(builder, loc, op);
  Operation *reader = builder.getInsertionPoint()->getPrevNode();
  Value device = runtime.call(builder, loc, "commConstant",
                              {getContext(op), host, getBytes(loc, op)});
  Value memref = createMemRef(builder, loc, types, op.getType(), device, {});
  op.getResult().replaceUsesWithIf(memref, [&](OpOperand &use) {
    return use.getOwner() != reader &&
           !isa<memref::ExtractAlignedPointerAsIndexOp>(use.getOwner());
  });
}

void DeviceMemory::convertCopy(memref::CopyOp op) {
  Location loc = op.getLoc();
  if (!isContiguous(cast<MemRefType>(op.getSource().getType())) ||
      !isContiguous(cast<MemRefType>(op.getTarget().getType()))) {
    linalg::makeMemRefCopyOp(builder, loc, op.getSource(), op.getTarget());
  } else {
    runtime.call(builder, loc, "commCopy",
                 {getContext(op),
                  runtime.getPointer(builder, loc, op.getSource()),
                  runtime.getPointer(builder, loc, op.getTarget()),
                  getBytes(loc, op.getTarget()), runtime.getSite(builder, op)});
  }
  op->erase();
}

/// A kernel writes what the host knows.
void DeviceMemory::convertStore(memref::StoreOp op) {
  Location loc = op.getLoc();
  Value element = getElement(builder, loc, op.getMemRef(), op.getIndices());
  linalg::FillOp::create(builder, loc, op.getValueToStore(), element);
  op->erase();
}

void DeviceMemory::convertLoad(memref::LoadOp op) {
  Location loc = op.getLoc();
  Value element = getElement(builder, loc, op.getMemRef(), op.getIndices());
  Type type = op.getType();
  // As it lies in memory: an i1 takes a byte.
  Type stored = type;
  if (type.isIndex())
    stored = builder.getI64Type();
  else if (isa<IntegerType>(type))
    stored = builder.getIntegerType(getElementBytes(type) * 8);
  Value number;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<func::FuncOp>().front());
    number = LLVM::AllocaOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), stored,
        runtime.getI64(builder, loc, 1));
  }
  runtime.call(builder, loc, "commRead",
               {getContext(op), runtime.getPointer(builder, loc, element),
                number, runtime.getI64(builder, loc, getElementBytes(type)),
                runtime.getSite(builder, op)});
  Value value = LLVM::LoadOp::create(builder, loc, stored, number);
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  else if (type != stored)
    value = arith::TruncIOp::create(builder, loc, type, value);
  op.replaceAllUsesWith(value);
  op->erase();
}

void DeviceMemory::convert(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op))
      convertGlobal(global);
    else if (auto copy = dyn_cast<memref::CopyOp>(op))
      convertCopy(copy);
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      convertStore(store);
    else if (auto load = dyn_cast<memref::LoadOp>(op))
      convertLoad(load);
  }
}

namespace {
struct UseDeviceMemory : comm::impl::UseDeviceMemoryBase<UseDeviceMemory> {
  void runOnOperation() override {
    DeviceMemory memory(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        memory.convert(function);
  }
};
} // namespace
