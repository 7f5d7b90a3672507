//===- GenerateLocal.cpp - arith and tensor ops of a random program -------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

static SmallVector<OpFoldResult> fold(OpBuilder &builder,
                                      ArrayRef<int64_t> numbers) {
  SmallVector<OpFoldResult> attrs;
  for (int64_t number : numbers)
    attrs.push_back(builder.getIndexAttr(number));
  return attrs;
}

void Generator::stepBinary() {
  Entry x = pick();
  Entry y =
      *pickWhere([&](const Entry &entry) { return entry.shape == x.shape; });
  Value a = x.value, b = getLike(y, a), result;
  switch (choices.choose(8)) {
  case 0:
  case 1:
    result = arith::MulFOp::create(builder, loc, a, b);
    break;
  case 2:
    result = arith::AddFOp::create(builder, loc, a, b);
    break;
  case 3:
    result = arith::SubFOp::create(builder, loc, a, b);
    break;
  case 4:
    result = arith::MaximumFOp::create(builder, loc, a, b);
    break;
  case 5:
    result = arith::MinimumFOp::create(builder, loc, a, b);
    break;
  case 6: {
    Value condition =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
    result = arith::SelectOp::create(builder, loc, condition, b, a);
    break;
  }
  case 7: {
    // The denominator is never zero.
    Value square = arith::MulFOp::create(builder, loc, b, b);
    SmallVector<Value> sizes;
    auto type = cast<RankedTensorType>(a.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(builder, loc, a, dim));
    Value ones = tensor::SplatOp::create(builder, loc, makeScalarConstant(1),
                                         type, sizes);
    result = arith::DivFOp::create(
        builder, loc, a, arith::AddFOp::create(builder, loc, square, ones));
    break;
  }
  }
  addLocal(result, x.shape, {x, y});
}

void Generator::stepUnary() {
  Entry x = pick();
  Value a = x.value, result;
  int64_t kind = choices.choose(8);
  if (kind >= 4)
    a = getStatic(x);
  switch (kind) {
  case 0:
    result = arith::MulFOp::create(builder, loc, a, a);
    break;
  case 1:
    result = arith::NegFOp::create(builder, loc, a);
    break;
  case 2:
    result = math::AbsFOp::create(builder, loc, a);
    break;
  case 3:
    result = math::FmaOp::create(builder, loc, a, a, a);
    break;
  case 4:
    result = arith::MulFOp::create(builder, loc, a, makeConstant(x.shape));
    break;
  case 5:
    result = arith::AddFOp::create(builder, loc, makeConstant(x.shape), a);
    break;
  case 6: {
    Value constant = makeConstant(x.shape);
    Value condition = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, a, constant);
    result = arith::SelectOp::create(builder, loc, condition, a,
                                     arith::MulFOp::create(builder, loc, a, a));
    break;
  }
  case 7: {
    Value constant = StopGradientOp::create(builder, loc, a);
    result = arith::MulFOp::create(builder, loc, a, constant);
    break;
  }
  }
  addLocal(result, x.shape, {x});
}

void Generator::stepTensor() {
  Entry x = pick();
  int64_t rank = x.shape.size();
  SmallVector<int64_t> ones(rank, 1);
  auto chooseSlice = [&](ArrayRef<int64_t> whole, SmallVector<int64_t> &offsets,
                         SmallVector<int64_t> &sizes,
                         SmallVector<int64_t> &strides) {
    for (int64_t size : whole) {
      int64_t length = 1 + choices.choose(size);
      int64_t stride =
          length > 1 && (length - 1) * 2 < size ? 1 + choices.choose(2) : 1;
      offsets.push_back(choices.choose(size - (length - 1) * stride));
      sizes.push_back(length);
      strides.push_back(stride);
    }
  };
  SmallVector<int64_t> offsets, sizes, strides;
  switch (choices.choose(11)) {
  case 0: {
    chooseSlice(x.shape, offsets, sizes, strides);
    add(tensor::ExtractSliceOp::create(
            builder, loc, x.value, fold(builder, offsets), fold(builder, sizes),
            fold(builder, strides)),
        sizes, x.varying);
    return;
  }
  case 1: {
    // A place that depends on the rank.
    AxisSet all = (AxisSet(1) << axisSizes.size()) - 1;
    SmallVector<int64_t> axes = chooseAxes(all);
    int64_t n = getGroupSize(axes);
    if (rank == 0 || x.shape[0] < n)
      return;
    Value index = makeAxisIndex(axes);
    offsets.assign(rank, 0);
    sizes = x.shape;
    sizes[0] = 1 + choices.choose(x.shape[0] - n + 1);
    SmallVector<OpFoldResult> places = fold(builder, offsets);
    places[0] = index;
    add(tensor::ExtractSliceOp::create(builder, loc, getType(sizes), x.value,
                                       places, fold(builder, sizes),
                                       fold(builder, ones)),
        sizes, x.varying | getSet(axes));
    return;
  }
  case 2: {
    // Rank-reducing.
    if (rank < 2)
      return;
    sizes = x.shape;
    int64_t dim = choices.choose(rank);
    offsets.assign(rank, 0);
    offsets[dim] = choices.choose(sizes[dim]);
    sizes[dim] = 1;
    SmallVector<int64_t> shape = sizes;
    shape.erase(shape.begin() + dim);
    add(tensor::ExtractSliceOp::create(
            builder, loc, getType(shape), x.value, fold(builder, offsets),
            fold(builder, sizes), fold(builder, ones)),
        shape, x.varying);
    return;
  }
  case 3: {
    std::optional<Entry> dest = pickWhere([&](const Entry &entry) {
      if (entry.shape.size() != x.shape.size())
        return false;
      for (auto [whole, part] : llvm::zip(entry.shape, x.shape))
        if (whole < part)
          return false;
      return true;
    });
    for (auto [whole, part] : llvm::zip(dest->shape, x.shape))
      offsets.push_back(choices.choose(whole - part + 1));
    add(tensor::InsertSliceOp::create(
            builder, loc, getStatic(x), dest->value, fold(builder, offsets),
            fold(builder, x.shape), fold(builder, ones)),
        dest->shape, x.varying | dest->varying);
    return;
  }
  case 4: {
    SmallVector<int64_t> low, high, shape;
    for (int64_t size : x.shape) {
      low.push_back(choices.choose(2));
      high.push_back(choices.choose(2));
      shape.push_back(low.back() + size + high.back());
    }
    if (ShapedType::getNumElements(shape) > kMaxElements)
      return;
    Value border = makeScalarConstant(chooseNumber());
    AxisSet varying = x.varying;
    if (std::optional<Entry> scalar =
            pickWhere([](const Entry &entry) { return entry.shape.empty(); });
        scalar && choices.choose(2)) {
      border =
          tensor::ExtractOp::create(builder, loc, scalar->value, ValueRange());
      varying |= scalar->varying;
    }
    add(tensor::PadOp::create(builder, loc, getType(shape), getStatic(x),
                              fold(builder, low), fold(builder, high), border),
        shape, varying);
    return;
  }
  case 5: {
    if (rank == 0)
      return;
    int64_t dim = choices.choose(rank);
    Entry y = *pickWhere([&](const Entry &entry) {
      SmallVector<int64_t> shape = entry.shape;
      if (shape.size() != x.shape.size())
        return false;
      shape[dim] = x.shape[dim];
      return shape == x.shape;
    });
    SmallVector<int64_t> shape = x.shape;
    shape[dim] += y.shape[dim];
    if (ShapedType::getNumElements(shape) > kMaxElements)
      return;
    addLocal(tensor::ConcatOp::create(builder, loc, dim,
                                      ValueRange{getStatic(x), getStatic(y)}),
             shape, {x, y});
    return;
  }
  case 6: {
    if (rank < 2)
      return;
    int64_t at = choices.choose(rank - 1);
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim == at + 1) {
        groups.back().push_back(dim);
        shape.back() *= x.shape[dim];
        continue;
      }
      groups.push_back({dim});
      shape.push_back(x.shape[dim]);
    }
    add(tensor::CollapseShapeOp::create(builder, loc, getStatic(x), groups),
        shape, x.varying);
    return;
  }
  case 7: {
    if (rank == 0 || rank > 2)
      return;
    int64_t at = choices.choose(rank), size = x.shape[at];
    int64_t factor = size % 2 == 0 ? 2 : size;
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    for (int64_t dim = 0; dim < rank; ++dim) {
      groups.push_back({static_cast<int64_t>(shape.size())});
      shape.push_back(dim == at ? factor : x.shape[dim]);
      if (dim != at)
        continue;
      groups.back().push_back(shape.size());
      shape.push_back(size / factor);
    }
    add(tensor::ExpandShapeOp::create(builder, loc, getType(shape),
                                      getStatic(x), groups),
        shape, x.varying);
    return;
  }
  case 8: {
    SmallVector<Value> at;
    for (int64_t size : x.shape)
      at.push_back(makeIndex(choices.choose(size)));
    Value scalar = tensor::ExtractOp::create(builder, loc, x.value, at);
    SmallVector<int64_t> shape = chooseShape();
    if (choices.choose(2))
      add(tensor::SplatOp::create(builder, loc, scalar, getType(shape)), shape,
          x.varying);
    else
      add(tensor::FromElementsOp::create(builder, loc, getType({2}),
                                         ValueRange{scalar, scalar}),
          {2}, x.varying);
    return;
  }
  case 9: {
    Entry y = pick();
    SmallVector<Value> from, to;
    for (int64_t size : x.shape)
      from.push_back(makeIndex(choices.choose(size)));
    for (int64_t size : y.shape)
      to.push_back(makeIndex(choices.choose(size)));
    Value scalar = tensor::ExtractOp::create(builder, loc, x.value, from);
    addLocal(tensor::InsertOp::create(builder, loc, scalar, y.value, to),
             y.shape, {x, y});
    return;
  }
  case 10: {
    if (rank == 0)
      return;
    // Sizes that are forgotten.
    SmallVector<int64_t> open(
        cast<RankedTensorType>(x.value.getType()).getShape());
    open[choices.choose(rank)] = ShapedType::kDynamic;
    if (getType(open) != x.value.getType())
      add(tensor::CastOp::create(builder, loc, getType(open), x.value), x.shape,
          x.varying);
    return;
  }
  }
}
