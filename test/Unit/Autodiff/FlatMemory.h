//===- FlatMemory.h - Values in flat numbers --------------------*- C++ -*-===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COMM_TEST_UNIT_AUTODIFF_FLATMEMORY_H
#define COMM_TEST_UNIT_AUTODIFF_FLATMEMORY_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::comm::testing {

/// Reads flat numbers as values, and writes values as flat numbers.
class FlatMemory {
public:
  FlatMemory(OpBuilder &builder, Location loc, Value memory)
      : builder(builder), loc(loc), memory(memory) {}

  Value read(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return memref::LoadOp::create(builder, loc, memory, takeIndex());
    return bufferization::ToTensorOp::create(builder, loc, tensor,
                                             takeView(tensor),
                                             /*restrict=*/true);
  }

  void write(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor)
      bufferization::MaterializeInDestinationOp::create(
          builder, loc, Type(), value, takeView(tensor), /*restrict=*/true,
          /*writable=*/true);
    else
      memref::StoreOp::create(builder, loc, value, memory, takeIndex());
  }

private:
  Value takeIndex() {
    return arith::ConstantIndexOp::create(builder, loc, offset++);
  }

  Value takeView(RankedTensorType type) {
    SmallVector<int64_t> strides = computeStrides(type.getShape());
    auto view = MemRefType::get(
        type.getShape(), type.getElementType(),
        StridedLayoutAttr::get(builder.getContext(), offset, strides));
    Value cast = memref::ReinterpretCastOp::create(
        builder, loc, view, memory, offset, type.getShape(), strides);
    offset += type.getNumElements();
    return cast;
  }

  OpBuilder &builder;
  Location loc;
  Value memory;
  int64_t offset = 0;
};

} // namespace mlir::comm::testing

#endif // COMM_TEST_UNIT_AUTODIFF_FLATMEMORY_H
