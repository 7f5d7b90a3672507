//===- EvaluateTensor.cpp - Tensors ---------------------------------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "comm/Interfaces/AdjointOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

static SmallVector<int64_t> getSizes(const WorldTensor &x) {
  return {x.shape.begin(), x.shape.end()};
}

/// The static sizes of a type, and the given ones in the place of the others.
static SmallVector<int64_t> fillSizes(Type type, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape;
  for (int64_t size : cast<RankedTensorType>(type).getShape()) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    shape.push_back(sizes.front());
    sizes = sizes.drop_front();
  }
  return shape;
}

/// The positions in `source`, rank by rank, of the elements of a slice of it.
void Evaluator::slice(Operation *op, Value source,
                      OffsetSizeAndStrideOpInterface mixed,
                      std::vector<int64_t> &positions) {
  const WorldTensor &x = get(source);
  SmallVector<int64_t> sizes;
  for (OpFoldResult size : mixed.getMixedSizes())
    sizes.push_back(getIndex(size));
  int64_t count = oracle::getSize(sizes);
  for (int64_t rank = 0; rank < world.ranks; ++rank)
    for (int64_t i = 0; i < count; ++i) {
      SmallVector<int64_t, 4> indices = getIndices(sizes, i);
      for (size_t dim = 0; dim < indices.size(); ++dim) {
        int64_t index =
            getIndex(mixed.getMixedOffsets()[dim], rank) +
            indices[dim] * getIndex(mixed.getMixedStrides()[dim], rank);
        if (active[rank] && (index < 0 || index >= x.shape[dim]))
          fail(op, "a slice is out of bounds");
        indices[dim] = std::clamp<int64_t>(index, 0, x.shape[dim] - 1);
      }
      positions.push_back(rank * x.size + getPosition(x.shape, indices));
    }
}

bool Evaluator::runTensor(Operation *op) {
  auto reshape = [&](ArrayRef<int64_t> shape) {
    WorldTensor y = get(op->getOperand(0));
    if (oracle::getSize(shape) != y.size)
      fail(op, "a shape does not fit");
    y.shape.assign(shape.begin(), shape.end());
    set(op->getResult(0), std::move(y));
    return true;
  };
  auto position = [&](const WorldTensor &x, ValueRange operands, int64_t rank) {
    SmallVector<int64_t, 4> indices;
    for (auto [dim, operand] : llvm::enumerate(operands)) {
      int64_t index = get(operand).integers[rank];
      if (active[rank] && (index < 0 || index >= x.shape[dim]))
        fail(op, "an index is out of bounds");
      indices.push_back(std::clamp<int64_t>(index, 0, x.shape[dim] - 1));
    }
    return rank * x.size + getPosition(x.shape, indices);
  };
  auto sizesOf = [&](ValueRange operands) {
    SmallVector<int64_t> sizes;
    for (Value operand : operands)
      sizes.push_back(getIndex(operand));
    return sizes;
  };
  /// Of a tape, the longest of all ranks.
  auto sizesOfTape = [&](ValueRange operands) {
    SmallVector<int64_t> sizes(operands.size(), 0);
    for (auto [size, operand] : llvm::zip(sizes, operands))
      for (int64_t rank = 0; rank < world.ranks; ++rank)
        if (active[rank])
          size = std::max(size, getIndex(operand, rank));
    return sizes;
  };
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tensor::EmptyOp op) {
        SmallVector<int64_t> sizes = op->hasAttr(kTapeAttrName)
                                         ? sizesOfTape(op.getDynamicSizes())
                                         : sizesOf(op.getDynamicSizes());
        set(op, WorldTensor(world, fillSizes(op.getType(), sizes),
                            isFloat(op.getType())));
        return true;
      })
      .Case([&](tensor::SplatOp op) {
        WorldTensor x = get(op.getInput());
        WorldTensor y(world,
                      fillSizes(op.getType(), sizesOf(op.getDynamicSizes())),
                      x.isFloat);
        for (int64_t i = 0; i < y.getCount(); ++i)
          y.copy(i, x, i / y.size);
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::FromElementsOp op) {
        WorldTensor y(world, op.getType().getShape(), isFloat(op.getType()));
        for (auto [i, element] : llvm::enumerate(op.getElements()))
          for (int64_t rank = 0; rank < world.ranks; ++rank)
            y.copy(rank * y.size + i, get(element), rank);
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::ExtractOp op) {
        const WorldTensor &x = get(op.getTensor());
        std::vector<int64_t> source;
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          source.push_back(position(x, op.getIndices(), rank));
        set(op, gather(x, {}, source));
        return true;
      })
      .Case([&](tensor::InsertOp op) {
        WorldTensor y = get(op.getDest());
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          y.copy(position(y, op.getIndices(), rank), get(op.getScalar()), rank);
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::ExtractSliceOp op) {
        std::vector<int64_t> source;
        slice(op, op.getSource(), op, source);
        SmallVector<int64_t> sizes;
        for (OpFoldResult size : op.getMixedSizes())
          sizes.push_back(getIndex(size));
        WorldTensor y = gather(get(op.getSource()), sizes, source);
        llvm::SmallBitVector dropped = op.getDroppedDims();
        y.shape.clear();
        for (auto [dim, size] : llvm::enumerate(sizes))
          if (!dropped[dim])
            y.shape.push_back(size);
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::InsertSliceOp op) {
        WorldTensor y = get(op.getDest());
        std::vector<int64_t> target;
        slice(op, op.getDest(), op, target);
        if (target.size() !=
            static_cast<size_t>(get(op.getSource()).getCount()))
          fail(op, "a slice does not fit");
        else
          for (auto [i, at] : llvm::enumerate(target))
            y.copy(at, get(op.getSource()), i);
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::PadOp op) {
        const WorldTensor &x = get(op.getSource());
        SmallVector<int64_t> shape;
        for (size_t dim = 0; dim < x.shape.size(); ++dim)
          shape.push_back(
              getIndex(op.getMixedLowPad()[dim], getFirstActive()) +
              x.shape[dim] +
              getIndex(op.getMixedHighPad()[dim], getFirstActive()));
        Value border = op.getConstantPaddingValue();
        if (!border) {
          fail(op, "the reference wants a pad of one value");
          return true;
        }
        if (Operation *inside = border.getDefiningOp();
            inside && inside->getParentOp() == op)
          run(inside);
        const WorldTensor fill = get(border);
        WorldTensor y(world, shape, x.isFloat);
        for (int64_t i = 0; i < y.getCount(); ++i)
          y.copy(i, fill, i / y.size);
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          for (int64_t i = 0; i < x.size; ++i) {
            SmallVector<int64_t, 4> indices = getIndices(x.shape, i);
            for (size_t dim = 0; dim < indices.size(); ++dim)
              indices[dim] = std::clamp<int64_t>(
                  indices[dim] + getIndex(op.getMixedLowPad()[dim], rank), 0,
                  shape[dim] - 1);
            y.copy(rank * y.size + getPosition(shape, indices), x,
                   rank * x.size + i);
          }
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::ConcatOp op) {
        SmallVector<int64_t> shape(getSizes(get(op.getInputs()[0])));
        int64_t dim = op.getDim(), offset = 0;
        shape[dim] = 0;
        for (Value input : op.getInputs())
          shape[dim] += get(input).shape[dim];
        WorldTensor y(world, shape, isFloat(op.getType()));
        for (Value input : op.getInputs()) {
          const WorldTensor &x = get(input);
          for (int64_t k = 0; k < x.getCount(); ++k) {
            SmallVector<int64_t, 4> indices = getIndices(x.shape, k % x.size);
            indices[dim] += offset;
            y.copy(k / x.size * y.size + getPosition(shape, indices), x, k);
          }
          offset += x.shape[dim];
        }
        set(op, std::move(y));
        return true;
      })
      .Case([&](tensor::CollapseShapeOp op) {
        SmallVector<int64_t> shape;
        for (const ReassociationIndices &dims : op.getReassociationIndices()) {
          shape.push_back(1);
          for (int64_t dim : dims)
            shape.back() *= get(op.getSrc()).shape[dim];
        }
        return reshape(shape);
      })
      .Case([&](tensor::ExpandShapeOp op) {
        SmallVector<int64_t> shape;
        for (OpFoldResult size : op.getMixedOutputShape())
          shape.push_back(getIndex(size));
        return reshape(shape);
      })
      .Case([&](tensor::ReshapeOp op) {
        SmallVector<int64_t> shape;
        const WorldTensor &sizes = get(op.getShape());
        for (int64_t dim = 0; dim < sizes.size; ++dim)
          shape.push_back(sizes.integers[getFirstActive() * sizes.size + dim]);
        return reshape(shape);
      })
      .Case(
          [&](tensor::CastOp op) { return reshape(get(op.getSource()).shape); })
      .Case([&](tensor::DimOp op) {
        WorldTensor y = makeIndex({});
        int64_t dim = getIndex(op.getIndex());
        for (int64_t rank = 0; rank < world.ranks; ++rank)
          y.integers[rank] = get(op.getSource()).shape[dim];
        set(op, std::move(y));
        return true;
      })
      .Default([](Operation *) { return false; });
}
