//===- NormalizeLayout.cpp - Makes collectives move along dimension 0 -----===//
//
// Part of the comm project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "SizeChecks.h"
#include "comm/Conversion/Passes.h"
#include "comm/IR/Comm.h"

namespace mlir::comm {
#define GEN_PASS_DEF_NORMALIZELAYOUT
#include "comm/Conversion/Passes.h.inc"
} // namespace mlir::comm

using namespace mlir;
using namespace mlir::comm;

static RankedTensorType getType(ArrayRef<OpFoldResult> sizes, Value like) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(
      shape, cast<RankedTensorType>(like.getType()).getElementType());
}

namespace {

/// Rewrites one collective.
class Normalizer {
public:
  Normalizer(CollectiveOpInterface op)
      : op(op), builder(op), loc(op.getLoc()),
        ranks(comm::getGroupSize(op, op.getGroup())),
        sizes(tensor::getMixedSizes(builder, loc, op.getInputValue())),
        input(op.getInputValue()) {
    // A size may be known where the type says it is not, as behind a cast. What
    // is built from the sizes has it static, and so must have the input.
    RankedTensorType known = getType(sizes, input);
    if (known == input.getType())
      return;
    input = tensor::CastOp::create(builder, loc, known, input);
    sizes = tensor::getMixedSizes(builder, loc, input);
  }

  void gather(int64_t dim);
  void scatter(int64_t dim);
  void exchange(int64_t splitDim, int64_t concatDim);

private:
  Value expand(Value value, int64_t dim, OpFoldResult outer,
               OpFoldResult inner);
  Value collapse(Value value, int64_t dim);
  Value move(Value value, int64_t from, int64_t to);
  Value moveData(Value value, int64_t size0);
  void replace(Value value);

  CollectiveOpInterface op;
  OpBuilder builder;
  Location loc;
  int64_t ranks;
  SmallVector<OpFoldResult> sizes;
  Value input;
};

} // namespace

/// [[0], .., [dim, dim + 1], ..] for a larger shape of `rank` dimensions.
static SmallVector<ReassociationIndices> joinAt(int64_t dim, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == dim + 1)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  }
  return groups;
}

/// Splits dimension `dim` into `outer` times `inner`.
Value Normalizer::expand(Value value, int64_t dim, OpFoldResult outer,
                         OpFoldResult inner) {
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, loc, value);
  shape[dim] = inner;
  shape.insert(shape.begin() + dim, outer);
  return tensor::ExpandShapeOp::create(builder, loc, getType(shape, value),
                                       value, joinAt(dim, shape.size()), shape);
}

/// Joins dimensions `dim` and `dim + 1`.
Value Normalizer::collapse(Value value, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return tensor::CollapseShapeOp::create(builder, loc, value,
                                         joinAt(dim, rank));
}

/// Moves a dimension from one position to another.
Value Normalizer::move(Value value, int64_t from, int64_t to) {
  if (from == to)
    return value;
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, loc, value);
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  SmallVector<OpFoldResult> moved;
  for (int64_t dim : permutation)
    moved.push_back(shape[dim]);
  Value empty = tensor::EmptyOp::create(
      builder, loc, moved,
      cast<RankedTensorType>(value.getType()).getElementType());
  return linalg::TransposeOp::create(builder, loc, value, empty, permutation)
      ->getResult(0);
}

/// The collective itself, along dimension 0, which has `size0` afterwards.
Value Normalizer::moveData(Value value, int64_t size0) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = size0;
  OperationState state(loc, op->getName(), value,
                       RankedTensorType::get(shape, type.getElementType()),
                       op->getAttrs());
  for (StringRef name : {"dim", "split_dim", "concat_dim"})
    if (state.attributes.get(name))
      state.attributes.set(name, builder.getI64IntegerAttr(0));
  state.attributes.set(kDetailAttrName,
                       builder.getStringAttr(getSiteDetail(op)));
  return builder.create(state)->getResult(0);
}

void Normalizer::replace(Value value) {
  Value result = op->getResult(0);
  result.replaceAllUsesWith(castChecked(
      builder, op, value, cast<RankedTensorType>(result.getType())));
  op->erase();
}

// x, gathered: n times x outermost, then next to `dim`.
void Normalizer::gather(int64_t dim) {
  if (dim == 0) {
    std::optional<int64_t> known = getConstantIntValue(sizes[0]);
    return replace(
        moveData(input, known ? *known * ranks : ShapedType::kDynamic));
  }
  Attribute one = builder.getIndexAttr(1);
  Value expanded = expand(input, 0, one, sizes[0]);
  Value gathered = moveData(expanded, ranks);
  replace(collapse(move(gathered, 0, dim), dim));
}

// Chunk by chunk: `dim` as n times a chunk, n moved outermost.
void Normalizer::scatter(int64_t dim) {
  OpFoldResult chunk = divideByGroup(builder, op, sizes[dim], dim);
  if (dim == 0)
    return replace(moveData(
        input, getConstantIntValue(chunk).value_or(ShapedType::kDynamic)));
  Value expanded = expand(input, dim, builder.getIndexAttr(ranks), chunk);
  Value scattered = moveData(move(expanded, dim, 0), 1);
  replace(collapse(scattered, 0));
}

// n chunks outermost on both sides: by receiver, then by sender.
void Normalizer::exchange(int64_t splitDim, int64_t concatDim) {
  OpFoldResult chunk = divideByGroup(builder, op, sizes[splitDim], splitDim);
  Attribute n = builder.getIndexAttr(ranks);
  Value expanded = expand(input, splitDim, n, chunk);
  Value exchanged = moveData(move(expanded, splitDim, 0), ranks);
  replace(collapse(move(exchanged, 0, concatDim), concatDim));
}

namespace {
struct NormalizeLayout : comm::impl::NormalizeLayoutBase<NormalizeLayout> {
  void runOnOperation() override {
    SmallVector<CollectiveOpInterface> ops;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (isa<TensorType>(op.getInputValue().getType()))
        ops.push_back(op);
    });
    for (CollectiveOpInterface op : ops) {
      Operation *raw = op.getOperation();
      Normalizer normalizer(op);
      if (auto gather = dyn_cast<AllGatherOp>(raw))
        normalizer.gather(gather.getDim());
      else if (auto gather = dyn_cast<GatherOp>(raw))
        normalizer.gather(gather.getDim());
      else if (auto scatter = dyn_cast<ReduceScatterOp>(raw))
        normalizer.scatter(scatter.getDim());
      else if (auto scatter = dyn_cast<ScatterOp>(raw))
        normalizer.scatter(scatter.getDim());
      else if (auto exchange = dyn_cast<AllToAllOp>(raw))
        normalizer.exchange(exchange.getSplitDim(), exchange.getConcatDim());
    }
  }
};
} // namespace
