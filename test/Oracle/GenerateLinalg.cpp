//===- GenerateLinalg.cpp - Structured ops of a random program ------------===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;
using namespace mlir::comm;
using namespace mlir::comm::oracle;

void Generator::stepLinalg() {
  Entry x = pick();
  int64_t rank = x.shape.size();
  auto empty = [&](ArrayRef<int64_t> shape) -> Value {
    return tensor::EmptyOp::create(builder, loc, shape, element);
  };
  switch (choices.choose(7)) {
  case 0:
  case 1:
    return stepReduce();
  case 2:
  case 3:
    return stepContraction();
  case 4:
    return stepGeneric();
  case 5: {
    // Upstream's verifier does not survive a transpose of rank 0.
    if (rank == 0)
      return;
    SmallVector<int64_t> order(rank), shape;
    std::iota(order.begin(), order.end(), 0);
    for (int64_t dim = rank - 1; dim > 0; --dim)
      std::swap(order[dim], order[choices.choose(dim + 1)]);
    for (int64_t dim : order)
      shape.push_back(x.shape[dim]);
    add(linalg::TransposeOp::create(builder, loc, getStatic(x), empty(shape),
                                    order)
            ->getResult(0),
        shape, x.varying);
    return;
  }
  case 6: {
    int64_t dim = choices.choose(rank + 1), size = 1 + choices.choose(3);
    SmallVector<int64_t> shape = x.shape;
    shape.insert(shape.begin() + dim, size);
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    if (count > kMaxElements)
      return;
    add(linalg::BroadcastOp::create(builder, loc, getStatic(x), empty(shape),
                                    ArrayRef<int64_t>{dim})
            ->getResult(0),
        shape, x.varying);
    return;
  }
  }
}

/// A reduction over some dimensions, into zeros or into what is at hand.
void Generator::stepReduce() {
  std::optional<Entry> x =
      pickWhere([](const Entry &entry) { return !entry.shape.empty(); });
  if (!x)
    return;
  SmallVector<int64_t> dims, shape;
  int64_t certain = choices.choose(x->shape.size());
  for (int64_t dim = 0; dim < static_cast<int64_t>(x->shape.size()); ++dim)
    if (dim == certain || choices.chooseOnceIn(3))
      dims.push_back(dim);
    else
      shape.push_back(x->shape[dim]);
  int64_t kind = choices.choose(4);
  AxisSet varying = x->varying;
  Value init;
  std::optional<Entry> accumulator =
      pickWhere([&](const Entry &entry) { return entry.shape == shape; });
  if (accumulator && choices.chooseOnceIn(2)) {
    init = getStatic(*accumulator);
    varying |= accumulator->varying;
  } else {
    double start = kind < 2 ? 0 : kind == 2 ? -INFINITY : INFINITY;
    init = linalg::FillOp::create(
               builder, loc, makeScalarConstant(start),
               Value(tensor::EmptyOp::create(builder, loc, shape, element)))
               .getResult(0);
  }
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    Value a = arguments[0], b = arguments[1], result;
    if (kind == 0)
      result = arith::AddFOp::create(nested, loc, a, b);
    else if (kind == 1)
      result = arith::AddFOp::create(
          nested, loc, arith::MulFOp::create(nested, loc, a, a), b);
    else if (kind == 2)
      result = arith::MaximumFOp::create(nested, loc, a, b);
    else
      result = arith::MinimumFOp::create(nested, loc, a, b);
    linalg::YieldOp::create(nested, loc, result);
  };
  add(linalg::ReduceOp::create(builder, loc, getStatic(*x), init, dims, body)
          .getResult(0),
      shape, varying);
}

void Generator::stepContraction() {
  std::optional<Entry> x = pickWhere([](const Entry &entry) {
    return entry.shape.size() == 1 || entry.shape.size() == 2;
  });
  if (!x)
    return;
  std::optional<Entry> y = pickWhere([&](const Entry &entry) {
    return (entry.shape.size() == 1 || entry.shape.size() == 2) &&
           entry.shape[0] == x->shape.back();
  });
  if (!y)
    return;
  SmallVector<int64_t> shape(x->shape.begin(), x->shape.end() - 1);
  shape.append(y->shape.begin() + 1, y->shape.end());
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (count > kMaxElements)
    return;
  AxisSet varying = x->varying | y->varying;
  Value init;
  std::optional<Entry> accumulator =
      pickWhere([&](const Entry &entry) { return entry.shape == shape; });
  if (accumulator && choices.chooseOnceIn(3)) {
    init = getStatic(*accumulator);
    varying |= accumulator->varying;
  } else {
    init = linalg::FillOp::create(
               builder, loc, makeScalarConstant(0),
               Value(tensor::EmptyOp::create(builder, loc, shape, element)))
               .getResult(0);
  }
  Value a = getStatic(*x), b = getStatic(*y), result;
  SmallVector<Type> type{init.getType()};
  if (x->shape.size() == 2 && y->shape.size() == 2)
    result =
        linalg::MatmulOp::create(builder, loc, type, ValueRange{a, b}, init)
            .getResult(0);
  else if (x->shape.size() == 2)
    result =
        linalg::MatvecOp::create(builder, loc, type, ValueRange{a, b}, init)
            .getResult(0);
  else if (y->shape.size() == 2)
    result =
        linalg::VecmatOp::create(builder, loc, type, ValueRange{a, b}, init)
            .getResult(0);
  else
    result = linalg::DotOp::create(builder, loc, type, ValueRange{a, b}, init)
                 .getResult(0);
  add(result, shape, varying);
}

/// An elementwise body over inputs that are permuted or lack dimensions, with
/// a dimension that is summed or not, or a capture.
void Generator::stepGeneric() {
  Entry x = pick();
  int64_t loops = x.shape.size();
  MLIRContext *context = builder.getContext();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(loops, context);
  // The second input: what is indexed by a part of the loops.
  SmallVector<AffineExpr> places;
  std::optional<Entry> y = pickWhere([&](const Entry &entry) {
    size_t next = 0;
    for (int64_t size : x.shape)
      if (next < entry.shape.size() && entry.shape[next] == size)
        ++next;
    return next == entry.shape.size();
  });
  for (int64_t loop = 0; loop < loops; ++loop)
    if (places.size() < y->shape.size() &&
        y->shape[places.size()] == x.shape[loop])
      places.push_back(getAffineDimExpr(loop, context));
  AffineMap partial = AffineMap::get(loops, 0, places, context);

  bool sums = loops > 0 && choices.choose(2);
  int64_t summed = sums ? choices.choose(loops) : -1;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> iterators;
  for (int64_t loop = 0; loop < loops; ++loop) {
    iterators.push_back(loop == summed ? utils::IteratorType::reduction
                                       : utils::IteratorType::parallel);
    if (loop == summed)
      continue;
    shape.push_back(x.shape[loop]);
    kept.push_back(getAffineDimExpr(loop, context));
  }
  if (kept.size() > 1 && choices.choose(2)) {
    std::reverse(kept.begin(), kept.end());
    std::reverse(shape.begin(), shape.end());
  }
  Value init = linalg::FillOp::create(
                   builder, loc, makeScalarConstant(0),
                   Value(tensor::EmptyOp::create(builder, loc, shape, element)))
                   .getResult(0);
  AxisSet varying = x.varying | y->varying;
  Value captured;
  if (std::optional<Entry> scalar =
          pickWhere([](const Entry &entry) { return entry.shape.empty(); });
      scalar && choices.choose(2)) {
    captured =
        tensor::ExtractOp::create(builder, loc, scalar->value, ValueRange());
    varying |= scalar->varying;
  }
  int64_t kind = choices.choose(5);
  Value constant = makeScalarConstant(chooseNumber());
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    Value a = arguments[0], b = arguments[1];
    Value result = arith::MulFOp::create(nested, loc, a, b);
    if (kind == 1)
      result = arith::SubFOp::create(nested, loc, result, a);
    if (kind == 2)
      result = arith::MaximumFOp::create(nested, loc, a, b);
    if (kind == 3)
      result = arith::MulFOp::create(nested, loc, result, constant);
    if (kind == 4)
      result = arith::SelectOp::create(
          nested, loc,
          arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OGE, a,
                                constant),
          result, b);
    if (captured)
      result = arith::MulFOp::create(nested, loc, result, captured);
    if (sums)
      result = arith::AddFOp::create(nested, loc, result, arguments[2]);
    linalg::YieldOp::create(nested, loc, result);
  };
  Value result =
      linalg::GenericOp::create(
          builder, loc, TypeRange(init.getType()),
          ValueRange{getStatic(x), getStatic(*y)}, ValueRange{init},
          ArrayRef<AffineMap>{identity, partial,
                              AffineMap::get(loops, 0, kept, context)},
          iterators, body)
          .getResult(0);
  add(result, shape, varying);
}
