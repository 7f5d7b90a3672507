//===- Tape.cpp - Where the values of many runs are kept ------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::comm;

RankedTensorType comm::getTapeType(Type type, int64_t runs) {
  SmallVector<int64_t> shape = {runs};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor)
    llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor ? tensor.getElementType() : type);
}

/// Of each rank's own number of runs.
static Value emitEmpty(OpBuilder &builder, Location loc,
                       ArrayRef<OpFoldResult> sizes, Type element) {
  auto empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  if (empty.getType().isDynamicDim(0))
    empty->setAttr(kTapeAttrName, builder.getUnitAttr());
  return empty;
}

Value comm::emitTape(OpBuilder &builder, Location loc, Type type,
                     OpFoldResult runs, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> all = {runs};
  llvm::append_range(all, sizes);
  return emitEmpty(builder, loc, all, getElementTypeOrSelf(type));
}

namespace {
/// Which part of a tape is of one run.
struct Run {
  Run(OpBuilder &builder, Location loc, Value tape, Value run)
      : sizes(tensor::getMixedSizes(builder, loc, tape)),
        offsets(sizes.size(), builder.getIndexAttr(0)),
        strides(sizes.size(), builder.getIndexAttr(1)) {
    offsets[0] = run;
    sizes[0] = builder.getIndexAttr(1);
  }

  SmallVector<OpFoldResult> sizes, offsets, strides;
};
} // namespace

Value comm::emitPut(OpBuilder &builder, Location loc, Value value, Value tape,
                    Value run) {
  if (!isa<RankedTensorType>(value.getType()))
    return tensor::InsertOp::create(builder, loc, value, tape, run);
  Run part(builder, loc, tape, run);
  return tensor::InsertSliceOp::create(builder, loc, value, tape, part.offsets,
                                       part.sizes, part.strides);
}

Value comm::emitGet(OpBuilder &builder, Location loc, Type type, Value tape,
                    Value run) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return tensor::ExtractOp::create(builder, loc, tape, run);
  Run part(builder, loc, tape, run);
  return tensor::ExtractSliceOp::create(builder, loc, tensor, tape,
                                        part.offsets, part.sizes, part.strides);
}

SmallVector<Value> comm::emitGrown(OpBuilder &builder, Location loc,
                                   ValueRange tapes) {
  SmallVector<Value> grown;
  for (Value tape : tapes) {
    auto type = cast<RankedTensorType>(tape.getType());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tape);
    SmallVector<OpFoldResult> more(sizes);
    Value runs = tensor::DimOp::create(builder, loc, tape, 0);
    more[0] = Value(arith::AddIOp::create(builder, loc, runs, runs));
    Value empty = emitEmpty(builder, loc, more, type.getElementType());
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
    grown.push_back(tensor::InsertSliceOp::create(builder, loc, tape, empty,
                                                  offsets, sizes, strides));
  }
  return grown;
}
